import type { GatewayKey } from '@gantry/contract/models/keys.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Button } from '../../parts/action/button.tsx';
import { ChoiceFilter, Filters, useFilter } from '../../parts/list/filters.tsx';
import { List, pagesOf, Shown, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { askList } from '../../server.ts';
import { useTeamNames } from '../people/team-choice.tsx';
import { holderOf, KeyState } from './key-state.tsx';
import { limitsInWords } from './limits.tsx';
import { NewKey } from './new-key.tsx';
import { scopes } from './scopes.ts';

const route = getRouteApi('/keys');

const columns: readonly Column<GatewayKey>[] = [
  { header: 'Key', width: 'minmax(0,1.5fr)', cell: ({ alias }) => alias },
  {
    header: 'Begins with',
    width: '120px',
    isExtra: true,
    cell: ({ prefix }) => <span className="font-mono">{prefix}</span>,
  },
  { header: 'Works for', width: 'minmax(0,1fr)', isExtra: true, cell: holderOf },
  { header: 'Models', width: 'minmax(0,1fr)', isExtra: true, cell: ({ models }) => models.join(', ') },
  { header: 'Limits', width: 'minmax(0,1fr)', isExtra: true, cell: ({ limits }) => limitsInWords(limits) },
  { header: 'State', width: '90px', cell: ({ state }) => <KeyState state={state} /> },
  { header: 'Expires', width: '80px', isExtra: true, cell: ({ expires_at }) => <When at={expires_at} /> },
];

export function KeysPage() {
  const { scope, team, all } = route.useSearch();
  const known = scopes.find(({ value }) => value === scope)?.value;
  const query = {
    limit: 100,
    total: 'true',
    ...(known && { scope: known }),
    ...(team && { team }),
    all: all ? 'true' : 'false',
  };
  const keys = useInfiniteQuery(askList('keys.list', { query }));
  const [creating, setCreating] = useFilter('new');
  return (
    <Page
      title="Keys"
      wide
      svc="svc key list"
      about="A key calls models through the gateway, within its limits and those of its holder. It calls the agents that it names, as its holder."
      actions={
        <Button look="main" onClick={() => setCreating('yes')}>
          New key
        </Button>
      }
    >
      <Filters aside={<Shown of={keys} noun="key" />}>
        <ChoiceFilter name="scope" label="For anybody" options={scopes} />
        <ChoiceFilter name="team" label="All teams" options={useTeamNames()} />
        <ChoiceFilter name="all" label="Without revoked" options={[{ value: 'yes', label: 'With revoked' }]} />
      </Filters>
      <List
        label="Keys"
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/keys/$id', params: { id } })}
        {...pagesOf(keys)}
        empty={
          <Empty>
            No key that you may see fits these filters. Make one to call models from a notebook or a script.
          </Empty>
        }
      />
      {creating !== '' && <NewKey onClose={() => setCreating('')} />}
    </Page>
  );
}
