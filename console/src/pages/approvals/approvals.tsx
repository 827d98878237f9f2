import type { Approval } from '@gantry/contract/approvals.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ChipFilter, Filters } from '../../parts/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { SearchTabs, useSearchTab } from '../../parts/search-tabs.tsx';
import { When } from '../../parts/when.tsx';
import { ask, askList } from '../../server.ts';
import { endedBy, RequestState } from './request-state.tsx';

const route = getRouteApi('/approvals');

const tabs = [
  { value: 'waiting', label: 'Waiting for you' },
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
const decided: readonly Column<Approval>[] = [
  asset,
  { header: 'Outcome', width: '110px', cell: (request) => <RequestState request={request} /> },
  { header: 'By', width: 'minmax(0,1.2fr)', isExtra: true, cell: endedBy },
  { header: 'Reason', width: 'minmax(0,2fr)', isExtra: true, cell: ({ reason }) => reason },
  { header: 'Asked by', width: 'minmax(0,1.2fr)', isExtra: true, cell: ({ submitted_by }) => submitted_by },
  {
    header: 'Decided',
    width: '90px',
    align: 'right',
    isExtra: true,
    cell: ({ decided_at }) => <When at={decided_at} />,
  },
];

const empty = {
  waiting:
    'Nothing waits for you. A request stands here from the moment somebody asks for an approval that you may give.',
  pending: 'No request is open. An author makes one with “Ask for approval” on a version, or with svc submit.',
  decided: 'No request that you may read is decided yet.',
};

export function ApprovalsPage() {
  const { asset } = route.useSearch();
  const status = useSearchTab('status', tabs);
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
        columns={status === 'decided' ? decided : open}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/approvals/$id', params: { id } })}
        {...pagesOf(requests)}
        empty={<Empty>{empty[status]}</Empty>}
      />
    </Page>
  );
}
