import type { ServicePrincipal } from '@gantry/contract/people/service-principals.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { ChoiceFilter, Filters } from '../../parts/list/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { askList } from '../../server.ts';
import { usePeopleTabs } from '../people/people-tabs.ts';
import { useTeamNames } from '../people/team-choice.tsx';
import { KeyAge } from './key-age.tsx';
import { NewPrincipal } from './new-principal.tsx';

const route = getRouteApi('/service-principals');

const columns: readonly Column<ServicePrincipal>[] = [
  { header: 'Name', width: 'minmax(0,1fr)', cell: ({ name }) => name },
  { header: 'Team', width: '120px', isExtra: true, cell: ({ team }) => team },
  { header: 'Role', width: '100px', isExtra: true, cell: ({ role }) => role },
  {
    header: 'Reaches',
    width: 'minmax(0,2fr)',
    isExtra: true,
    cell: ({ allowed_assets }) => allowed_assets.join(', ') || 'nothing yet',
  },
  { header: 'Key', width: '160px', cell: (principal) => <KeyAge principal={principal} /> },
];

export function PrincipalsPage() {
  const { team } = route.useSearch();
  const principals = useInfiniteQuery(askList('principals.list', { query: { limit: 100, ...(team && { team }) } }));
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Service principals"
      tabs={usePeopleTabs()}
      svc="svc principal list"
      about="A pipeline or a script signs in as one, with a key instead of a password."
      actions={
        <Button look="main" onClick={() => setCreating(true)}>
          New service principal
        </Button>
      }
    >
      <Filters>
        <ChoiceFilter name="team" label="All teams" options={useTeamNames()} />
      </Filters>
      <List
        label="Service principals"
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/service-principals/$id', params: { id } })}
        {...pagesOf(principals)}
        empty={
          <Empty>No service principal yet. Make one for each pipeline, with the fewest assets that it needs.</Empty>
        }
      />
      {isCreating && <NewPrincipal team={team} onClose={() => setCreating(false)} />}
    </Page>
  );
}
