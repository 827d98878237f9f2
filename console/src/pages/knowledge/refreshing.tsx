// A refresh as it goes on, and its end.
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { State } from '../../parts/figures/state.tsx';
import { Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask, refresh } from '../../server.ts';
import { useStream } from '../../use-stream.ts';

const whole = (event: RunEvent) => event;
const isEnd = ({ kind }: RunEvent) => kind === 'end';
/** A step is said when it begins. */
const isSaid = ({ kind, state }: RunEvent) => kind !== 'end' && (kind !== 'step' || state === 'running');
const most_lines = 8;

export function Refreshing({ id, can }: { id: string; can: Allowed | undefined }) {
  const params = { id };
  const { items, error } = useStream('refreshes.events', { params }, { read: whole, isLast: isEnd });
  const hasEnded = items.some(isEnd);
  const { data: ended } = useQuery({ ...ask('refreshes.show', { params }), enabled: hasEnded });
  useEffect(() => {
    if (hasEnded) refresh(['knowledge']);
  }, [hasEnded]);
  const cancel = useSend('refreshes.cancel');
  const said = items.filter(isSaid).map(({ message }) => message);
  const problem = readProblem(ended?.problem ?? null);
  return (
    <Section title="Refresh">
      <div role="status" className="rounded border border-line bg-raised px-3 py-2.5">
        {ended === undefined ? (
          <div className="flex flex-wrap items-center gap-3">
            <State meaning="waiting">It reads the documents</State>
            <Action
              can={can}
              svc={`svc kb cancel ${id}`}
              look="quiet"
              isBusy={cancel.isPending || cancel.isSuccess}
              onPress={() => cancel.mutate({ params })}
            >
              Cancel
            </Action>
          </div>
        ) : (
          <State meaning={ended.state === 'done' ? 'good' : 'failed'}>
            {ended.state !== 'done'
              ? `It is ${ended.state}; what served before still serves`
              : ended.serves
                ? `Snapshot ${ended.snapshot} serves`
                : `Snapshot ${ended.snapshot} waits for an admin of the team`}
          </State>
        )}
        <ul className="mt-1.5 text-meta text-quiet">
          {said.slice(-most_lines).map((line, at) => (
            <li key={at}>{line}</li>
          ))}
        </ul>
      </div>
      {error !== undefined && <Refusal error={error} />}
      {cancel.error !== null && <Refusal error={cancel.error} />}
      {problem !== undefined && <Refusal error={problem} />}
    </Section>
  );
}
