// What was said, and what was answered.
import { Link } from '@tanstack/react-router';
import { GitFork, Pencil } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, IconButton } from '../../parts/action/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { duration } from '../../parts/figures/figures.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { Values } from '../../parts/values.tsx';
import { membersOf } from '../../parts/members-of.ts';
import { mainTextOf, type Answer, type Said } from './entries.ts';
import { MessageFiles } from './files/message-files.tsx';
import { Rating, type Given, type Rate } from './rating.tsx';
import { Tool } from './tool-call.tsx';
import type { Part } from './turn.ts';

interface SaidProps {
  said: Pick<Said, 'text' | 'files' | 'input'>;
  /** Sends another text in its place, in a new conversation. Absent where that cannot be. */
  onEdit?: ((text: string) => void) | undefined;
}

export function SaidMessage({ said: { text, files = [], input }, onEdit }: SaidProps) {
  const [isEditing, setEditing] = useState(false);
  if (isEditing && onEdit !== undefined)
    return <Editing text={text} onSend={onEdit} onCancel={() => setEditing(false)} />;
  const isForm = input !== undefined && Object.keys(input).length > 1;
  return (
    <article aria-label="You" className="group flex max-w-[85%] flex-col items-end self-end">
      <div className="flex max-w-full flex-col gap-2 rounded bg-accent-soft px-3 py-2 break-words whitespace-pre-wrap">
        {isForm ? <Values value={input} /> : text}
        <MessageFiles files={files} />
      </div>
      <Under>
        <Copy text={text} label="the message">
          <span className="sr-only">Copy</span>
        </Copy>
        {onEdit !== undefined && (
          <IconButton label="Edit" icon={<Pencil size={13} />} onClick={() => setEditing(true)} />
        )}
      </Under>
    </article>
  );
}

function Editing({ text, onSend, onCancel }: { text: string; onSend: (text: string) => void; onCancel: () => void }) {
  const [now, setNow] = useState(text);
  const isReady = now.trim() !== '';
  return (
    <form
      className="flex w-full flex-col gap-2 self-end"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSend(now);
      }}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <textarea
        aria-label="The message, edited"
        rows={2}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- its reader has just pressed Edit
        autoFocus
        value={now}
        onChange={({ target }) => setNow(target.value)}
        className="field h-auto field-sizing-content max-h-80 py-2"
      />
      <div className="flex items-center gap-2">
        <Button type="submit" look="main" disabled={!isReady}>
          Send again
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <span className="text-meta text-quiet">In a new conversation. This one stays.</span>
      </div>
    </form>
  );
}

/** What one can do with a message: shown on hover and focus, and always where nothing hovers. */
function Under({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-1 text-meta text-quiet opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-phone:opacity-100 [@media(hover:none)]:opacity-100">
      {children}
    </div>
  );
}

/** Of a call that this page has made. */
export interface Facts {
  run_id?: string | undefined;
  took_ms?: number | undefined;
  trace_id?: string | undefined;
  guardrails?: string | undefined;
}

interface AnswerProps {
  answer: Pick<Answer, 'parts' | 'output'>;
  facts?: Facts | undefined;
  isRunning?: boolean;
  onFork?: (() => void) | undefined;
  onRate?: Rate | undefined;
  rated?: Given | undefined;
  children?: ReactNode;
}

export function AnswerMessage({
  answer: { parts, output },
  facts,
  isRunning = false,
  onFork,
  onRate,
  rated,
  children,
}: AnswerProps) {
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');
  const isWhole = !isRunning && (text !== '' || output !== undefined);
  return (
    <article aria-label="Agent" aria-busy={isRunning} className="group flex min-w-0 flex-col gap-2">
      {parts.map((part, index) => (
        <OnePart key={index} part={part} isRunning={isRunning} />
      ))}
      {text === '' && output !== undefined && <Output output={output} />}
      {children}
      {isWhole && (
        <Under>
          <Copy text={text === '' ? (mainTextOf(output) ?? JSON.stringify(output, null, 2)) : text} label="the answer">
            <span className="sr-only">Copy</span>
          </Copy>
          {onFork !== undefined && (
            <IconButton label="Go on from here in a new conversation" icon={<GitFork size={13} />} onClick={onFork} />
          )}
          {onRate !== undefined && <Rating given={rated} onRate={onRate} />}
          <FactsOf facts={facts} />
        </Under>
      )}
    </article>
  );
}

/** Its text, and the other values folded. */
function Output({ output }: { output: unknown }) {
  const main = mainTextOf(output);
  if (main === undefined) return <Values value={output} />;
  const others = Object.entries(membersOf(output)).filter(([, value]) => value !== main);
  return (
    <>
      <Markdown text={main} />
      {others.length > 0 && (
        <details className="text-meta">
          <summary className="text-quiet">Other values</summary>
          <Values value={Object.fromEntries(others)} />
        </details>
      )}
    </>
  );
}

function FactsOf({ facts: { took_ms, trace_id, guardrails = '' } = {} }: { facts: Facts | undefined }) {
  return (
    <>
      {took_ms !== undefined && <span>{duration(took_ms)}</span>}
      {guardrails !== '' && <span>guardrails: {describeGuardrails(guardrails)}</span>}
      {trace_id !== undefined && (
        <Link to="/traces/$id" params={{ id: trace_id }} className="ml-1 text-accent">
          Trace {trace_id.slice(0, 8)}
        </Link>
      )}
    </>
  );
}

function OnePart({ part, isRunning }: { part: Part; isRunning: boolean }) {
  if (part.kind === 'text') return <Markdown text={part.text} />;
  if (part.kind === 'files') return <MessageFiles files={part.files} />;
  return <Tool call={part} isRunning={isRunning} />;
}

// `pii_detection;redacted=2, content_filter` is `pii_detection redacted 2, content_filter checked`.
function describeGuardrails(summary: string): string {
  return summary
    .split(', ')
    .map((rule) => {
      const [name, ...done] = rule.split(';');
      return `${name} ${done.length === 0 ? 'checked' : done.map((each) => each.replace('=', ' ')).join(', ')}`;
    })
    .join(', ');
}
