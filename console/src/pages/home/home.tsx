import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../parts/action/button.tsx';
import { ChoiceFilter } from '../../parts/list/filters.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { ask } from '../../server.ts';
import { useTeamNames } from '../people/team-choice.tsx';
import { OwnRequests } from './own-requests.tsx';
import { Runs } from './runs.tsx';
import { Waiting } from './waiting.tsx';

const route = getRouteApi('/');

export function HomePage() {
  const { team } = route.useSearch();
  const home = useQuery(ask('home.show', { query: { team } }));
  return (
    <Page
      title="Home"
      svc={team === undefined ? 'svc home' : `svc home --team ${shellWord(team)}`}
      actions={
        <>
          <ChoiceFilter name="team" label="All teams" options={useTeamNames()} />
          <Link to="/notifications" className={buttonClass('quiet')}>
            Notifications
            {(home.data?.unread ?? 0) > 0 && <span className="text-waiting">{home.data?.unread} unread</span>}
          </Link>
        </>
      }
    >
      {home.error !== null && home.data === undefined ? (
        <Refusal error={home.error} />
      ) : (
        <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,4fr)] gap-x-8 max-wide:grid-cols-1">
          <div>
            <Waiting home={home.data} />
            <OwnRequests requests={home.data?.own} />
          </div>
          <Runs home={home.data} />
        </div>
      )}
    </Page>
  );
}
