import { awaitedBy, describeUpcoming, type Awaited, type Upcoming } from '@gantry/contract/agents/upcoming.ts';
import { Link } from '@tanstack/react-router';
import { useMe } from '../../me.ts';
import { State, type Meaning } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';

const words: Record<Awaited, readonly [Meaning, string]> = {
  request: ['none', 'pushed'],
  decision: ['waiting', 'approval asked'],
  change: ['failed', 'rejected'],
  deploy: ['good', 'approved'],
  end: ['waiting', 'deploying'],
  retry: ['failed', 'deploy failed'],
};

/** How far the newest version is, and who has the next step. */
export function UpcomingLine({ upcoming }: { upcoming: Upcoming }) {
  const me = useMe();
  const awaited = awaitedBy(upcoming);
  const [meaning, word] = words[awaited];
  const { request, deployment } = upcoming;
  const at =
    awaited === 'end' || awaited === 'retry' ? deployment?.created_at : (request?.decided_at ?? request?.submitted_at);
  return (
    <p role="status" className="mb-1 flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
      <State meaning={meaning}>{word}</State>
      <span className="min-w-0 text-text">{describeUpcoming(upcoming, me?.email)}</span>
      {typeof at === 'string' && <When at={at} />}
      {request !== null && awaited !== 'request' && (
        <Link to="/approvals/$id" params={{ id: request.id }} className="text-accent">
          The request
        </Link>
      )}
    </p>
  );
}
