// Calls of tools that wait for the reader's decision. The arguments are shown as they are: a person approves exactly these.
import type { WaitingCall } from '@gantry/contract/assets/tool-calls.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { pagesOf } from '../../parts/list/list.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { visible } from '../../parts/visible.ts';
import { askList } from '../../server.ts';

/** Nothing tells the browser that a call has begun to wait. */
const again_ms = 15_000;

export function useWaitingCalls() {
  return pagesOf(useInfiniteQuery({ ...askList('tool_calls.waiting', { query: {} }), refetchInterval: again_ms }));
}

export function Call({ call }: { call: WaitingCall }) {
  const { id, server, tool, agent, through, caller, is_own, wanted_by, asked_at, expires_at } = call;
  const [name] = server.replace('mcp-servers/', '').split('@');
  const decide = useSend('tool_calls.decide', {
    says: (_, { body }) =>
      body.decision === 'approve'
        ? `${agent ?? caller} may call ${tool} once with these arguments`
        : `The call of ${tool} is rejected`,
  });
  return (
    <li className="flex flex-col gap-2" aria-label={`${tool} of ${name}, for ${is_own ? 'you' : caller}`}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-section">
          {tool} of {name}
        </h2>
        <span className="text-meta text-quiet">
          for {is_own ? 'you' : caller}
          {through.length > 0 && `, through ${through.map((ref) => ref.replace('agents/', '')).join(' ← ')}`}, asked{' '}
          <When at={asked_at} />
        </span>
      </div>
      <fieldset
        disabled={decide.isPending}
        className="flex min-w-0 flex-col gap-2.5 rounded border border-line border-l-2 border-l-waiting bg-raised px-3 py-2.5"
      >
        <legend className="sr-only">The call and your decision</legend>
        <Arguments args={call.arguments} />
        <p className="text-meta text-quiet">
          {wanted_by.join(' and ')} {wanted_by.length === 1 ? 'wants' : 'want'} a person for this call. An approval lets
          it out once, and ends <When at={expires_at} />.
        </p>
        <Decision onDecide={(decision, note) => decide.mutate({ params: { id }, body: { decision, ...note } })} />
      </fieldset>
      {decide.error !== null && <Refusal error={decide.error} />}
    </li>
  );
}

export function Arguments({ args }: { args: WaitingCall['arguments'] }) {
  const members = Object.entries(args);
  if (members.length === 0) return <p className="text-quiet">No arguments.</p>;
  return (
    <dl className="grid grid-cols-[minmax(72px,max-content)_1fr] gap-x-4 gap-y-1.5">
      {members.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{visible(name)}</dt>
          <dd className="min-w-0">
            <pre className="max-h-96 overflow-auto font-mono text-meta break-words whitespace-pre-wrap">
              {visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}
            </pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Decision({ onDecide }: { onDecide: (decision: 'approve' | 'reject', note: { note?: string }) => void }) {
  const [isRejecting, setRejecting] = useState(false);
  const [text, setText] = useState('');
  if (!isRejecting)
    return (
      <div className="flex flex-wrap gap-2">
        <Button look="main" onClick={() => onDecide('approve', {})}>
          Approve this call
        </Button>
        <Button onClick={() => setRejecting(true)}>Reject…</Button>
      </div>
    );
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onDecide('reject', text.trim() === '' ? {} : { note: text.trim() });
      }}
    >
      <label className="flex flex-col gap-1">
        <span className="font-strong">Why not, for the agent</span>
        <textarea
          rows={2}
          maxLength={1000}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="field h-auto field-sizing-content max-h-60 py-2"
        />
      </label>
      <div className="flex gap-2">
        <Button type="submit" look="main">
          Reject
        </Button>
        <Button look="quiet" onClick={() => setRejecting(false)}>
          Back
        </Button>
      </div>
    </form>
  );
}
