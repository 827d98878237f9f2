import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { When } from '../../../parts/figures/when.tsx';
import { ask } from '../../../server.ts';

/** Why an older version serves. Nothing unless the last deploy is a rollback. */
export function RolledBack({ name }: { name: string }) {
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  if (status === undefined || status.rolled_back === null) return null;
  const { from, to, by, at, reason } = status.rolled_back;
  return (
    <p className="mb-5 rounded border border-line bg-waiting-soft px-4 py-2.5">
      Rolled back from {from} to {to} by {by}, <When at={at} />
      {reason === null ? '.' : `: ${reason}`}{' '}
      <Link
        to="/agents/$name/difference"
        params={{ name }}
        search={{ from: to, to: from }}
        className="text-accent underline"
      >
        What {from} changed
      </Link>
    </p>
  );
}
