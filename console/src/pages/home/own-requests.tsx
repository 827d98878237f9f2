import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Section } from '../../parts/page/page.tsx';
import { Line } from './waiting.tsx';

/** What their author asked for, and how it stands. Nothing without a request. */
export function OwnRequests({ requests = [] }: { requests: readonly Approval[] | undefined }) {
  if (requests.length === 0) return null;
  return (
    <Section
      title="Your requests"
      aside={
        <Link to="/approvals" search={{ status: 'own' }} className="text-accent">
          all your requests
        </Link>
      }
    >
      <ul className="rounded border border-line bg-raised">
        {requests.map((request) => (
          <Line
            key={request.id}
            item={{
              key: request.id,
              meaning: request.status === 'pending' ? 'waiting' : 'good',
              what: request.status,
              link: linkOf(request),
              title: `${request.asset} ${request.asset_version}`,
              detail: request.status === 'pending' ? whoDecides(request) : `by ${request.decided_by ?? 'an admin'}`,
              at: request.decided_at ?? request.submitted_at,
            }}
          />
        ))}
      </ul>
    </Section>
  );
}

/** An approved agent has its next step on its page. */
function linkOf({ id, status, asset }: Approval): LinkProps {
  return status === 'approved' && asset.startsWith('agents/')
    ? { to: '/agents/$name', params: { name: asset.slice('agents/'.length) } }
    : { to: '/approvals/$id', params: { id } };
}

function whoDecides({ can_decide, approved_by, approvals_required }: Approval): string {
  const had = approvals_required > 1 ? `${approved_by.length} of ${approvals_required} approvals; ` : '';
  return had + (can_decide.length === 0 ? 'nobody can decide yet' : `${can_decide.join(', ')} can decide`);
}
