import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ChipFilter, Filters } from '../../parts/list/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { SearchTabs, useSearchTab } from '../../parts/page/search-tabs.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask, askList } from '../../server.ts';
import { endedBy, RequestState } from './request-state.tsx';

const route = getRouteApi('/approvals');

const tabs = [
  { value: 'waiting', label: 'Waiting for you' },
  { value: 'own', label: 'Yours' },
  { value: 'pending', label: 'All pending' },
  { value: 'decided', label: 'Decided' },
] as const;

const asset: Column<Approval> = {
  header: 'Request',
  width: 'minmax(0,2fr)',
  cell: (request) => `${request.asset} ${request.asset_version}`,
};
const said: readonly Column<Approval>[] = [
  { header: 'Asked by', width: 'minmax(0,1.2fr)', isExtra: true, cell: ({ submitted_by }) => submitted_by },
  { header: 'Message', width: 'minmax(0,2fr)', isExtra: true, cell: ({ message }) => message },
];
const open: readonly Column<Approval>[] = [
  asset,
  ...said,
  {
    header: 'Approvals',
    width: '80px',
    isExtra: true,
    cell: ({ approved_by, approvals_required }) => `${approved_by.length} of ${approvals_required}`,
  },
  { header: 'Asked', width: '90px', align: 'right', cell: ({ submitted_at }) => <When at={submitted_at} /> },
];
const outcome: Column<Approval> = {
  header: 'Outcome',
  width: '110px',
  cell: (request) => <RequestState request={request} />,
};
const by: readonly Column<Approval>[] = [
  { header: 'By', width: 'minmax(0,1.2fr)', isExtra: true, cell: endedBy },
  { header: 'Reason', width: 'minmax(0,2fr)', isExtra: true, cell: ({ reason }) => reason },
];
const decidedAt: Column<Approval> = {
  header: 'Decided',
  width: '90px',
  align: 'right',
  isExtra: true,
  cell: ({ decided_at }) => <When at={decided_at} />,
};
const decided: readonly Column<Approval>[] = [asset, outcome, ...by, ...said.slice(0, 1), decidedAt];
const own: readonly Column<Approval>[] = [
  asset,
  { ...outcome, header: 'State' },
  {
    header: 'Who decides',
    width: 'minmax(0,2fr)',
    isExtra: true,
    cell: (request) =>
      request.status === 'pending' ? request.can_decide.join(', ') || 'nobody yet' : endedBy(request),
  },
  { header: 'Reason', width: 'minmax(0,2fr)', isExtra: true, cell: ({ reason }) => reason },
  { header: 'Asked', width: '90px', align: 'right', cell: ({ submitted_at }) => <When at={submitted_at} /> },
];
const columnsOf = { waiting: open, own, pending: open, decided };

const empty = {
  waiting:
    'Nothing waits for you. A request stands here from the moment somebody asks for an approval that you may give.',
  own: 'You have asked for no approval yet. An agent’s page has “Request approval”.',
  pending: 'No request is open. An author makes one with “Request approval” on the page of an agent.',
  decided: 'No request that you may read is decided yet.',
};

export function ApprovalsPage() {
  const { asset, status: chosen } = route.useSearch();
  const first = useFirstTab(chosen !== undefined);
  const status = useSearchTab('status', tabs, first);
  const requests = useInfiniteQuery(askList('approvals.list', { query: { status, asset, limit: 100, total: 'true' } }));
  const counts: Record<string, number | undefined> = {
    waiting: useQuery(ask('notifications.count', {})).data?.pending,
  };
  const total = requests.data?.pages[0]?.total;
  return (
    <Page title="Approvals" wide svc={`svc review list --status ${status}`}>
      <SearchTabs
        name="status"
        label="Requests"
        first={first}
        tabs={tabs.map((tab) => ({ ...tab, count: tab.value === status ? total : counts[tab.value] }))}
      />
      {asset !== undefined && (
        <Filters>
          <ChipFilter name="asset" label="asset" />
        </Filters>
      )}
      <List
        key={status}
        label="Requests"
        columns={columnsOf[status]}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/approvals/$id', params: { id } })}
        {...pagesOf(requests)}
        empty={<Empty>{empty[status]}</Empty>}
      />
    </Page>
  );
}

/** The tab that has something for this reader. It is found once, so that no event turns the page. */
function useFirstTab(isChosen: boolean): 'waiting' | 'own' {
  const waiting = useQuery({ ...ask('notifications.count', {}), enabled: !isChosen }).data?.pending;
  const own = useQuery({
    ...ask('approvals.list', { query: { status: 'own', limit: 20 } }),
    enabled: !isChosen && waiting === 0,
  }).data?.items;
  const hasOwn = own?.some(({ status }) => status === 'pending') === true;
  const known = waiting === undefined || (waiting === 0 && own === undefined) ? undefined : waiting === 0 && hasOwn;
  const [first, setFirst] = useState<boolean>();
  if (first === undefined && known !== undefined) setFirst(known);
  return (first ?? known) === true ? 'own' : 'waiting';
}
