import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, getRouteApi, type LinkProps } from '@tanstack/react-router';
import { useMe } from '../../me.ts';
import { buttonClass } from '../../parts/action/button.tsx';
import { count, duration, money } from '../../parts/figures/figures.ts';
import { ChoiceFilter, Filters, SearchFilter } from '../../parts/list/filters.tsx';
import { List, pagesOf, Shown, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { When } from '../../parts/figures/when.tsx';
import { askList } from '../../server.ts';
import { useTeamNames } from '../people/team-choice.tsx';
import { noneListed } from './none-listed.ts';
import { AgentState } from './agent-state.tsx';

const route = getRouteApi('/agents');

const columns: readonly Column<AgentStatus>[] = [
  { header: 'Agent', width: 'minmax(0,2fr)', cell: ({ name }) => name },
  {
    header: 'State',
    width: '120px',
    cell: ({ state, attention }) => <AgentState state={state} attention={attention} />,
  },
  { header: 'Version', width: '90px', isExtra: true, cell: ({ ref }) => ref?.split('@')[1] ?? '–' },
  { header: 'Team', width: 'minmax(0,1fr)', isExtra: true, cell: ({ team }) => team },
  { header: 'Deployed', width: '110px', isExtra: true, cell: ({ deployed_at }) => <When at={deployed_at} /> },
  { header: 'Calls 24 h', width: '90px', isExtra: true, align: 'right', cell: ({ last_24h }) => count(last_24h.calls) },
  { header: 'Errors', width: '70px', isExtra: true, align: 'right', cell: ({ last_24h }) => count(last_24h.errors) },
  { header: 'p95', width: '80px', isExtra: true, align: 'right', cell: ({ last_24h }) => duration(last_24h.p95_ms) },
  {
    header: 'Cost today',
    width: '90px',
    isExtra: true,
    align: 'right',
    cell: ({ cost }) => (cost === null ? '–' : money(cost.today_usd)),
  },
];

const linkOf = ({ name }: AgentStatus): LinkProps => ({ to: '/agents/$name', params: { name } });

export function AgentsPage() {
  const { state, ...search } = route.useSearch();
  // The service refuses a state that it does not know.
  const query = { ...search, state: state as AgentStatus['state'] | undefined, limit: 200, total: 'true' };
  const isAdmin = useMe()?.role === 'admin';
  const agents = useInfiniteQuery(askList('agents.statuses', { query }));
  return (
    <Page
      title="Agents"
      wide
      svc={svcOf({ state, ...search })}
      actions={
        <Link to="/new-agent" className={buttonClass('main')}>
          New agent
        </Link>
      }
    >
      <Filters aside={<Shown of={agents} noun="agent" />}>
        <SearchFilter label="Search agents" />
        <ChoiceFilter
          name="state"
          label="Any state"
          options={['serving', 'starting', 'asleep', 'stopped', 'failed', 'unknown', 'not_deployed']}
        />
        <ChoiceFilter name="team" label="All teams" options={useTeamNames()} />
      </Filters>
      <List
        label="Agents"
        columns={columns}
        keyOf={({ name }) => name}
        linkOf={linkOf}
        {...pagesOf(agents)}
        empty={
          <Empty>
            {state === undefined && Object.keys(search).length === 0
              ? noneListed(isAdmin)
              : 'No agent that you may read fits these filters.'}
          </Empty>
        }
      />
    </Page>
  );
}

const svcOf = (filter: Record<string, string | undefined>) =>
  Object.entries(filter).reduce(
    (line, [name, word]) => (word === undefined ? line : `${line} --${name} ${shellWord(word)}`),
    'svc list',
  );
