// What a reader must know before they trust the agent. Nothing where all is well.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { plural } from '../../parts/figures/figures.ts';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { AgentState } from './agent-state.tsx';

const most_in_head = 60;

export function AgentTrouble({ name }: { name: string }) {
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  if (status === undefined) return null;
  const { state, detail, attention, restarts, last_exit, not_in_effect, outside_setting, no_room, refused_egress } =
    status;
  // The head shows a short reason.
  const isTold = detail.length <= most_in_head && !detail.includes('\n');
  const isWell = isTold || state === 'serving' || state === 'stopped' || state === 'asleep' || state === 'starting';
  const facts = [
    ...attention.filter(({ kind }) => kind !== state).map((one) => one.detail),
    ...(restarts > 0 ? [`${plural(restarts, 'restart')} of its container${last_exit ? `: ${last_exit}` : ''}`] : []),
    ...(not_in_effect.length > 0 ? [`Not in effect here: ${not_in_effect.join(', ')}`] : []),
    ...(outside_setting === null ? [] : [outside_setting]),
    ...(no_room === null ? [] : [no_room]),
  ];
  if (isWell && facts.length === 0 && refused_egress.length === 0) return null;
  return (
    <section aria-label="What is wrong" className="mb-5 rounded border border-line bg-raised px-4 py-3">
      {!isWell && (
        <div className="flex items-baseline gap-3">
          <AgentState state={state} />
          <Link to="/agents/$name/logs" params={{ name }} className="text-accent">
            Logs
          </Link>
          <Link to="/agents/$name/deployments" params={{ name }} className="text-accent">
            Deployments
          </Link>
        </div>
      )}
      {!isWell && (
        <pre className="mt-2 max-h-64 overflow-auto font-mono text-meta break-words whitespace-pre-wrap">{detail}</pre>
      )}
      {facts.map((fact) => (
        <p key={fact} className="text-waiting">
          {fact}
        </p>
      ))}
      {refused_egress.map(({ destination, reason, count, at }) => (
        <p key={`${destination} ${reason}`}>
          <span className="text-failed">refused</span> <span className="font-mono text-meta">{destination}</span>{' '}
          <span className="text-quiet">
            {reason}, {plural(count, 'time')}, last <When at={at} />
          </span>
        </p>
      ))}
    </section>
  );
}
