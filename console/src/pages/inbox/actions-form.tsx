// Actions that an agent wants to take, and the decision of a person on each of them.
import { useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { membersOf } from '../../parts/members-of.ts';
import { Values } from '../../parts/values.tsx';
import type { AskedAction, Decided, Decision } from './question-shapes.ts';
import { parseAnswer } from './parse-answer.ts';

interface ActionsFormProps {
  actions: readonly AskedAction[];
  answer: (decided: readonly Decided[]) => unknown;
  onAnswer: (value: unknown) => void;
}

/** The decision on the last undecided action sends all. */
export function ActionsForm({ actions, answer, onAnswer }: ActionsFormProps) {
  const [decided, setDecided] = useState<Readonly<Record<number, Decided>>>({});
  const decide = (index: number, one: Decided) => {
    const now = { ...decided, [index]: one };
    const all = actions.flatMap((_, n) => now[n] ?? []);
    if (all.length === actions.length) onAnswer(answer(all));
    else setDecided(now);
  };
  return (
    <ol className="flex flex-col gap-3">
      {actions.map((action, index) => (
        <li
          key={index}
          aria-label={action.name}
          className="flex flex-col gap-2 not-first:border-t not-first:border-line not-first:pt-3"
        >
          <p>
            It wants to use <span className="font-mono text-meta">{action.name}</span>
          </p>
          {action.description !== '' && <Markdown text={action.description} />}
          {decided[index] === undefined ? (
            <Decide action={action} onDecide={(one) => decide(index, one)} />
          ) : (
            <p className="text-quiet">
              {words[decided[index].decision].done}. {actions.length - Object.keys(decided).length} more to decide.
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

const words: Record<Decision, { label: string; done: string }> = {
  approve: { label: 'Approve', done: 'Approved' },
  edit: { label: 'Edit…', done: 'Edited' },
  reject: { label: 'Reject…', done: 'Rejected' },
  respond: { label: 'Respond…', done: 'Responded' },
  ignore: { label: 'Ignore', done: 'Ignored' },
};

function Decide({ action, onDecide }: { action: AskedAction; onDecide: (decided: Decided) => void }) {
  const [doing, setDoing] = useState<'edit' | 'reject' | 'respond'>();
  const press = (decision: Decision) =>
    decision === 'approve' || decision === 'ignore' ? onDecide({ decision }) : setDoing(decision);
  if (doing === 'edit')
    return (
      <EditArgs
        args={action.args}
        onDone={(args) => onDecide({ decision: 'edit', args })}
        onCancel={() => setDoing(undefined)}
      />
    );
  if (doing !== undefined)
    return (
      <SayWhy
        decision={doing}
        onDone={(text) => onDecide({ decision: doing, text })}
        onCancel={() => setDoing(undefined)}
      />
    );
  return (
    <>
      {/* What the tool gets: markdown could hide a part of it. */}
      <Values value={action.args} isExact />
      <div className="flex flex-wrap gap-2">
        {action.allowed.map((decision) => (
          <Button key={decision} look={decision === 'approve' ? 'main' : 'plain'} onClick={() => press(decision)}>
            {words[decision].label}
          </Button>
        ))}
      </div>
    </>
  );
}

function EditArgs({
  args,
  onDone,
  onCancel,
}: {
  args: Record<string, unknown>;
  onDone: (args: Record<string, unknown>) => void;
  onCancel: () => void;
}) {
  const [texts, setTexts] = useState(() =>
    Object.fromEntries(Object.entries(args).map(([name, value]) => [name, printed(value)])),
  );
  const read = Object.entries(texts).map(
    ([name, text]) => [name, typeof args[name] === 'string' ? { value: text } : parseAnswer(text)] as const,
  );
  const isReady = read.every(([, one]) => one !== undefined);
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onDone(Object.fromEntries(read.map(([name, one]) => [name, membersOf(one)['value']])));
      }}
    >
      {read.map(([name, one]) => (
        <label key={name} className="flex flex-col gap-1">
          <span className="font-strong">{name}</span>
          <textarea
            rows={1}
            value={texts[name]}
            onChange={({ target }) => setTexts({ ...texts, [name]: target.value })}
            className="field h-auto field-sizing-content max-h-60 py-1.5 font-mono text-meta"
          />
          {one === undefined && <span className="text-meta text-failed">This is no JSON.</span>}
        </label>
      ))}
      <Ends send="Approve as edited" isReady={isReady} onCancel={onCancel} />
    </form>
  );
}

const printed = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function SayWhy({
  decision,
  onDone,
  onCancel,
}: {
  decision: 'reject' | 'respond';
  onDone: (text: string) => void;
  onCancel: () => void;
}) {
  const [text, setText] = useState('');
  const isReady = decision === 'reject' || text.trim() !== '';
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onDone(text);
      }}
    >
      <label className="flex flex-col gap-1">
        <span className="font-strong">{decision === 'reject' ? 'Why not, for the agent' : 'Your response'}</span>
        <textarea
          rows={2}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="field h-auto field-sizing-content max-h-60 py-2"
        />
      </label>
      <Ends send={decision === 'reject' ? 'Reject' : 'Respond'} isReady={isReady} onCancel={onCancel} />
    </form>
  );
}

function Ends({ send, isReady, onCancel }: { send: string; isReady: boolean; onCancel: () => void }) {
  return (
    <div className="flex gap-2">
      <Button type="submit" look="main" disabled={!isReady} focusableWhenDisabled>
        {send}
      </Button>
      <Button look="quiet" onClick={onCancel}>
        Back
      </Button>
    </div>
  );
}
