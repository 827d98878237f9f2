import type { Notification } from '@gantry/contract/telling/notifications.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, type LinkProps } from '@tanstack/react-router';
import { Button } from '../../parts/action/button.tsx';
import { ChoiceFilter, Filters } from '../../parts/list/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { State, type Meaning } from '../../parts/figures/state.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { ask, askList } from '../../server.ts';

const route = getRouteApi('/notifications');

const kinds: Record<Notification['kind'], readonly [Meaning, string]> = {
  submitted: ['waiting', 'asks for approval'],
  withdrawn: ['stopped', 'withdrawn'],
  approved: ['good', 'approved'],
  rejected: ['failed', 'rejected'],
  superseded: ['stopped', 'submitted again'],
  revoked: ['failed', 'approval revoked'],
  expired: ['stopped', 'expired'],
  budget_reached: ['waiting', 'spends its budget'],
  key_paused: ['stopped', 'paused'],
  agent_crashing: ['failed', 'crashes'],
  agent_steady: ['good', 'steady again'],
  refresh_failed: ['failed', 'not refreshed'],
  target_drifted: ['waiting', 'changed by hand'],
  runs_wait: ['waiting', 'waits for an answer'],
  calls_wait: ['waiting', 'has calls that wait for a decision'],
  questions_wait: ['waiting', 'asks you something'],
};

const columns: readonly Column<Notification>[] = [
  {
    header: 'About',
    width: 'minmax(0,2fr)',
    cell: ({ account, asset, asset_version, read_at }) => (
      <>
        {read_at === null && <span className="mr-2 rounded-small bg-accent-soft px-1 text-accent">new</span>}
        {account ?? (asset_version === null ? asset : `${asset} ${asset_version}`)}
      </>
    ),
  },
  {
    header: 'What',
    width: '150px',
    cell: ({ kind }) => <State meaning={kinds[kind][0]}>{kinds[kind][1]}</State>,
  },
  { header: 'By', width: 'minmax(0,1.2fr)', isExtra: true, cell: ({ by }) => by },
  { header: 'Text', width: 'minmax(0,2.5fr)', isExtra: true, cell: ({ text }) => text },
  { header: 'When', width: '90px', isExtra: true, align: 'right', cell: ({ created_at }) => <When at={created_at} /> },
];

export function NotificationsPage() {
  const { unread } = route.useSearch();
  const told = useInfiniteQuery(
    askList('notifications.list', { query: { unread: unread === undefined ? 'false' : 'true', limit: 100 } }),
  );
  const counts = useQuery(ask('notifications.count', {}));
  const read = useSend('notifications.read');
  const pages = pagesOf(told);
  const fresh = (pages.rows ?? []).filter(({ read_at }) => read_at === null).map(({ id }) => id);
  return (
    <Page
      title="Notifications"
      wide
      above={[{ label: 'Home', link: { to: '/' } }]}
      svc="svc notifications"
      about={counts.data === undefined ? undefined : `${counts.data.unread} unread, of the last 90 days`}
      actions={
        <Button
          disabled={fresh.length === 0 || read.isPending}
          focusableWhenDisabled
          onClick={() => read.mutate({ body: { ids: fresh.slice(0, 200) } })}
        >
          Mark as read
        </Button>
      }
    >
      <Filters>
        <ChoiceFilter name="unread" label="Read and unread" options={[{ value: 'true', label: 'Unread' }]} />
      </Filters>
      <List
        label="Notifications"
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={linkOf}
        {...pages}
        empty={
          <Empty>
            {unread === undefined
              ? 'No notification yet. They tell of requests that you may decide, of decisions about yours, of spent budgets, and of runs and calls that wait for you.'
              : 'You have read all of them.'}
          </Empty>
        }
      />
    </Page>
  );
}

function linkOf({ approval_id, kind, account }: Notification): LinkProps {
  if (kind === 'agent_crashing' || kind === 'agent_steady')
    return { to: '/agents/$name', params: { name: (account ?? '').slice('agents/'.length) } };
  if (kind === 'target_drifted')
    return { to: '/targets/$name', params: { name: (account ?? '').slice('targets/'.length) } };
  if (kind === 'refresh_failed') return linkOfRefresh(account ?? '');
  if (kind === 'runs_wait' || kind === 'calls_wait' || kind === 'questions_wait') return { to: '/inbox' };
  return approval_id === null ? { to: '/budgets' } : { to: '/approvals/$id', params: { id: approval_id } };
}

function linkOfRefresh(ref: string): LinkProps {
  const [, name = ''] = ref.split('/');
  return ref.startsWith('knowledge-bases/')
    ? { to: '/knowledge/$name', params: { name } }
    : { to: '/registry/$kind/$name', params: { kind: 'rag-index', name } };
}
