import type { Model } from '@gantry/contract/models/models.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Action } from '../../parts/action/action.tsx';
import { ChoiceFilter, Filters } from '../../parts/list/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask, askList } from '../../server.ts';
import { useOrganisationTabs } from '../organisation/tabs.ts';
import { useCanCreate } from '../registry/can-create.ts';
import { ShownModelState } from './model-state.tsx';
import { rate } from './price.ts';

const route = getRouteApi('/models');

const columns: readonly Column<Model>[] = [
  { header: 'Model', width: 'minmax(0,1.4fr)', cell: ({ name }) => name },
  { header: 'State', width: '120px', cell: (model) => <ShownModelState model={model} /> },
  { header: 'Provider', width: '110px', isExtra: true, cell: ({ provider }) => provider },
  { header: 'Served as', width: 'minmax(0,1.2fr)', isExtra: true, cell: ({ model }) => model },
  { header: 'Team', width: 'minmax(0,0.8fr)', isExtra: true, cell: ({ team }) => team },
  { header: 'Last answer', width: '100px', isExtra: true, cell: (model) => <When at={lastAnswer(model)} /> },
  { header: 'Upstreams', width: '80px', isExtra: true, align: 'right', cell: ({ upstreams }) => upstreams.length },
  { header: 'Input / M', width: '80px', isExtra: true, align: 'right', cell: ({ price }) => rate(price, 'input') },
  { header: 'Output / M', width: '80px', isExtra: true, align: 'right', cell: ({ price }) => rate(price, 'output') },
];

export function ModelsPage() {
  const { team } = route.useSearch();
  const { data: me } = useQuery(ask('auth.me', {}));
  const models = useInfiniteQuery(askList('models.list', { query: { team, limit: 200 } }));
  const can = useCanCreate();
  const navigate = useNavigate();
  const add = (
    <Action
      can={can}
      svc="svc model add"
      look="main"
      onPress={() => void navigate({ to: '/registry/$kind/new', params: { kind: 'model' } })}
    >
      Add a model
    </Action>
  );
  return (
    <Page
      title="Models"
      wide
      about="What agents call through the gateway. Prices are in dollars for a million tokens."
      svc="svc model list"
      actions={add}
      tabs={useOrganisationTabs()}
    >
      <Filters>
        <ChoiceFilter name="team" label="All teams" options={me?.teams.map(({ name }) => name) ?? []} />
      </Filters>
      <List
        label="Models"
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ name }) => ({ to: '/models/$name', params: { name } })}
        {...pagesOf(models)}
        empty={
          <Empty>
            No model is here yet. Add one with its provider and the name of the secret that holds its credential; agents
            then call it by its name.
          </Empty>
        }
      />
    </Page>
  );
}

function lastAnswer({ upstreams }: Model): string | undefined {
  return upstreams
    .flatMap(({ health }) => health?.last_success_at ?? [])
    .toSorted()
    .at(-1);
}
