import type { Asset } from '@gantry/contract/assets/registry.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../../parts/action/button.tsx';
import { ChoiceFilter, Filters, SearchFilter } from '../../parts/list/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask, askList } from '../../server.ts';
import { strategyName } from './strategies.ts';

const route = getRouteApi('/orchestrations');

const columns: readonly Column<Asset>[] = [
  { header: 'Orchestration', width: 'minmax(0,1.2fr)', cell: ({ name }) => name },
  { header: 'State', width: '120px', cell: ({ serving_version }) => <Serving version={serving_version} /> },
  { header: 'Version', width: '80px', isExtra: true, cell: ({ serving_version }) => serving_version ?? '–' },
  { header: 'Strategy', width: '120px', isExtra: true, cell: ({ strategy }) => strategyName(strategy) },
  { header: 'Team', width: 'minmax(0,0.7fr)', isExtra: true, cell: ({ team }) => team },
  { header: 'Changed', width: '90px', isExtra: true, cell: ({ updated_at }) => <When at={updated_at} /> },
  {
    header: 'Description',
    width: 'minmax(0,2fr)',
    isExtra: true,
    cell: ({ description }) => <span className="text-quiet">{description}</span>,
  },
];

export function Serving({ version }: { version: string | null }) {
  return version === null ? <State meaning="none">not deployed</State> : <State meaning="good">serving</State>;
}

export function OrchestrationsPage() {
  const { text, team } = route.useSearch();
  const { data: me } = useQuery(ask('auth.me', {}));
  const orchestrations = useInfiniteQuery(
    askList('registry.search', { query: { kind: 'orchestration', q: text, team, limit: 200 } }),
  );
  return (
    <Page
      title="Orchestrations"
      wide
      about="Several agents that answer a call together, each call with its own rights, times and cost."
      svc={
        text === undefined
          ? `svc orchestration list${team === undefined ? '' : ` --team ${shellWord(team)}`}`
          : `svc search ${shellWord(text)} --kind orchestration`
      }
      actions={
        <Link to="/registry/$kind/new" params={{ kind: 'orchestration' }} className={buttonClass('main')}>
          New orchestration
        </Link>
      }
    >
      <Filters>
        <SearchFilter label="Search orchestrations" />
        <ChoiceFilter name="team" label="All teams" options={me?.teams.map(({ name }) => name) ?? []} />
      </Filters>
      <List
        label="Orchestrations"
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ name }) => ({ to: '/orchestrations/$name', params: { name } })}
        {...pagesOf(orchestrations)}
        empty={
          <Empty>
            {text === undefined && team === undefined
              ? 'No orchestration is here yet. Write an orchestration.yaml that names your agents, and type svc orchestration push in its folder.'
              : 'No orchestration that you may read fits these filters.'}
          </Empty>
        }
      />
    </Page>
  );
}
