import type { Approval, ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { askList } from '../../server.ts';
import { endedBy, RequestState } from './request-state.tsx';

const columns: readonly Column<Approval>[] = [
  { header: 'Version', width: '90px', cell: ({ asset_version }) => asset_version },
  { header: 'Outcome', width: '110px', cell: (request) => <RequestState request={request} /> },
  { header: 'By', width: 'minmax(0,1fr)', isExtra: true, cell: endedBy },
  { header: 'Reason', width: 'minmax(0,2fr)', isExtra: true, cell: ({ reason }) => reason },
  {
    header: 'Decided',
    width: '90px',
    isExtra: true,
    align: 'right',
    cell: ({ decided_at }) => <When at={decided_at} />,
  },
];

/** The decided requests for the same asset, newest first. */
export function Earlier({ request: { id, asset } }: { request: ApprovalDetail }) {
  const decided = useInfiniteQuery(askList('approvals.list', { query: { asset, status: 'decided' } }));
  const { rows, ...pages } = pagesOf(decided);
  return (
    <List
      label="Earlier decisions"
      columns={columns}
      keyOf={(row) => row.id}
      linkOf={(row) => ({ to: '/approvals/$id', params: { id: row.id } })}
      rows={rows?.filter((row) => row.id !== id)}
      {...pages}
      empty={<Empty>Nothing of {asset} was decided before.</Empty>}
    />
  );
}
