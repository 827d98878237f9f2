import type { Webhook } from '@gantry/contract/telling/webhooks.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Closed, Empty, Page } from '../../parts/page/page.tsx';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask, askList } from '../../server.ts';
import { useOrganisationTabs } from '../organisation/tabs.ts';
import { NewWebhook } from './new-webhook.tsx';
import { stateOfWebhook } from './webhook-state.ts';

const columns: readonly Column<Webhook>[] = [
  { header: 'Webhook', width: 'minmax(0,0.8fr)', cell: ({ name }) => name },
  {
    header: 'State',
    width: '120px',
    cell: (webhook) => {
      const { meaning, word } = stateOfWebhook(webhook);
      return <State meaning={meaning}>{word}</State>;
    },
  },
  { header: 'Address', width: 'minmax(0,1.6fr)', isExtra: true, cell: ({ url }) => url },
  { header: 'Events', width: 'minmax(0,1fr)', isExtra: true, cell: ({ events }) => events.join(', ') },
  { header: 'Failed', width: '60px', isExtra: true, align: 'right', cell: ({ dead }) => dead },
  { header: 'Reached', width: '70px', isExtra: true, align: 'right', cell: ({ at_seq }) => `#${at_seq}` },
  { header: 'Made', width: '90px', isExtra: true, cell: ({ created_at }) => <When at={created_at} /> },
];

export function WebhooksPage() {
  const { data: me } = useQuery(ask('auth.me', {}));
  const mayList = me?.can['webhooks.list'];
  const webhooks = useInfiniteQuery({
    ...askList('webhooks.list', { query: { limit: 200 } }),
    enabled: mayList?.allowed === true,
  });
  const [isOpen, setOpen] = useState(false);
  return (
    <Page
      title="Webhooks"
      wide
      about="Events of the governance log, sent to an address of yours and signed."
      svc="svc webhook list"
      tabs={useOrganisationTabs()}
      actions={
        <Action
          can={me?.can['webhooks.create']}
          svc="svc webhook create <name> <address> --events '*'"
          look="main"
          onPress={() => setOpen(true)}
        >
          New webhook
        </Action>
      }
    >
      {mayList?.allowed !== true ? (
        <Closed can={mayList} />
      ) : (
        <List
          label="Webhooks"
          columns={columns}
          keyOf={({ id }) => id}
          linkOf={({ name }) => ({ to: '/webhooks/$name', params: { name } })}
          {...pagesOf(webhooks)}
          empty={
            <Empty>
              No webhook is here yet. One sends approvals, deploys and changes of permissions to a chat, a ticket system
              or a SIEM.
            </Empty>
          }
        />
      )}
      {isOpen && <NewWebhook onClose={() => setOpen(false)} />}
    </Page>
  );
}
