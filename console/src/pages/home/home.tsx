import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useActiveTeam } from '../../parts/active-team.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { Runs } from './runs.tsx';
import { Waiting } from './waiting.tsx';

export function HomePage() {
  const team = useActiveTeam();
  const home = useQuery(ask('home.show', { query: { team } }));
  return (
    <Page
      title="Home"
      svc="svc home"
      actions={
        <Link to="/notifications" className={buttonClass('quiet')}>
          Notifications
          {(home.data?.unread ?? 0) > 0 && <span className="text-waiting">{home.data?.unread} unread</span>}
        </Link>
      }
    >
      {home.error !== null && home.data === undefined ? (
        <Refusal error={home.error} />
      ) : (
        <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,4fr)] gap-x-8 max-wide:grid-cols-1">
          <Waiting home={home.data} />
          <Runs agents={home.data?.agents} />
        </div>
      )}
    </Page>
  );
}
