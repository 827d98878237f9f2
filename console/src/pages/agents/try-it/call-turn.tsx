import { Problem } from '@gantry/contract/problems.ts';
import { Link } from '@tanstack/react-router';
import { duration } from '../../../parts/figures/figures.ts';
import { Refusal } from '../../../parts/refusal.tsx';
import { State, type Meaning } from '../../../parts/figures/state.tsx';
import type { Step, Turn } from './turn.ts';

const meanings: Record<Turn['state'], Meaning> = {
  running: 'waiting',
  answered: 'good',
  failed: 'failed',
  cancelled: 'stopped',
};

export function CallTurn({ turn }: { turn: Turn }) {
  const { input, state, took_ms, trace_id, messages, steps, output, interrupts, guardrails, error } = turn;
  return (
    <article className="rounded border border-line bg-raised">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-2 text-meta">
        <State meaning={meanings[state]}>{isBlocked(turn) ? 'blocked' : state}</State>
        {took_ms !== undefined && <span className="text-quiet">{duration(took_ms)}</span>}
        {guardrails !== undefined && guardrails !== '' && (
          <span className="text-quiet">guardrails: {describeGuardrails(guardrails)}</span>
        )}
        {trace_id !== undefined && (
          <Link to="/traces/$id" params={{ id: trace_id }} className="ml-auto text-accent">
            Trace {trace_id.slice(0, 8)}
          </Link>
        )}
      </header>
      <div className="flex flex-col gap-2.5 px-3 py-2.5">
        <p className="font-mono text-meta break-words whitespace-pre-wrap text-quiet">{describeInput(input)}</p>
        {steps.length > 0 && (
          <ul className="flex flex-col gap-0.5 text-meta text-quiet">
            {steps.map((step) => (
              <StepLine key={step.id} step={step} />
            ))}
          </ul>
        )}
        {messages.map(({ id, text }) => (
          <p key={id} className="break-words whitespace-pre-wrap">
            {text}
          </p>
        ))}
        {messages.length === 0 && output !== undefined && <Json value={output} />}
        {interrupts !== undefined && (
          <>
            <p className="text-waiting">It stops here and asks:</p>
            <Json value={interrupts} />
          </>
        )}
        {error !== undefined && <Refusal error={error} />}
        {messages.length > 0 && output !== undefined && (
          <details className="text-meta">
            <summary className="text-quiet">Whole output</summary>
            <Json value={output} />
          </details>
        )}
      </div>
    </article>
  );
}

function isBlocked({ error }: Turn): boolean {
  return error instanceof Problem && error.code === 'guardrail_blocked';
}

function StepLine({ step: { kind, name, args, result, isOver } }: { step: Step }) {
  return (
    <li className="min-w-0">
      <span aria-hidden className={isOver ? 'text-good' : 'text-waiting'}>
        {isOver ? '✓' : '◐'}
      </span>{' '}
      {kind} <span className="font-mono text-text">{name}</span>
      {args !== '' && <span className="font-mono break-words"> {args}</span>}
      {result !== undefined && <span className="block truncate pl-4 font-mono">{result}</span>}
    </li>
  );
}

function Json({ value }: { value: unknown }) {
  return (
    <pre className="max-h-96 overflow-auto rounded-small bg-sunken px-2.5 py-2 font-mono text-meta break-words whitespace-pre-wrap">
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  );
}

// A conversation shows its last message, an input of one text that text.
function describeInput(input: Turn['input']): string {
  const [only, ...others] = Object.values(input);
  if (others.length > 0) return JSON.stringify(input, null, 2);
  if (typeof only === 'string') return only;
  const last: unknown = Array.isArray(only) ? only.at(-1) : undefined;
  const said = typeof last === 'object' && last !== null && 'content' in last ? last.content : undefined;
  return typeof said === 'string' ? said : JSON.stringify(input);
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
