import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { IconButton } from '../../parts/action/button.tsx';
import { Menu, MenuItem } from '../../parts/action/menu.tsx';
import { Facts, Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { State } from '../../parts/figures/state.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { ask } from '../../server.ts';
import { Deliveries } from './deliveries.tsx';
import { DeleteWebhook, RotateSecret } from './webhook-forms.tsx';
import { stateOfWebhook } from './webhook-state.ts';

const route = getRouteApi('/webhooks/$name');

export function WebhookPage() {
  const { name } = route.useParams();
  const { data: webhook, error } = useQuery(ask('webhooks.show', { params: { name } }));
  const { data: me } = useQuery(ask('auth.me', {}));
  const [open, setOpen] = useState<'rotate' | 'delete'>();
  const test = useSend('webhooks.test');
  const attempt = test.data?.answer;
  const state = webhook && stateOfWebhook(webhook);
  return (
    <Page
      title={name}
      above={[{ label: 'Webhooks', link: { to: '/webhooks' } }]}
      state={state && <State meaning={state.meaning}>{state.word}</State>}
      about={webhook?.url}
      svc={`svc webhook show ${shellWord(name)}`}
      actions={
        <>
          <Menu trigger={<IconButton label="More actions" icon={<Ellipsis size={16} />} />}>
            <MenuItem can={me?.can['webhooks.rotate']} onPress={() => setOpen('rotate')}>
              Rotate its secret…
            </MenuItem>
            <MenuItem can={me?.can['webhooks.delete']} isDanger onPress={() => setOpen('delete')}>
              Delete…
            </MenuItem>
          </Menu>
          <Action
            can={me?.can['webhooks.test']}
            svc={`svc webhook test ${shellWord(name)}`}
            look="main"
            isBusy={test.isPending}
            onPress={() => test.mutate({ params: { name } })}
          >
            {test.isPending ? 'Sending …' : 'Send a test'}
          </Action>
        </>
      }
    >
      {[error, test.error].map((each, index) => each !== null && <Refusal key={index} error={each} />)}
      {attempt !== undefined && (
        <p role="status" className="mb-4 rounded border border-line bg-raised px-3 py-2">
          <State meaning={attempt.delivered ? 'good' : 'failed'}>
            {attempt.delivered ? 'The test arrived:' : 'The test did not arrive:'}
          </State>{' '}
          {attempt.problem ?? `status ${String(attempt.status)}`}
        </p>
      )}
      {webhook === undefined && error === null && <div className="skeleton mb-6 h-36" />}
      {webhook !== undefined && (
        <Section title="Facts">
          <Facts
            facts={[
              ['Events', webhook.events.join(', ')],
              ['Reached', `governance #${webhook.at_seq}`],
              ['Problem', webhook.last_problem ?? 'none'],
              ['Failed for good', webhook.dead],
              [
                'Created',
                <>
                  by {webhook.created_by} <When at={webhook.created_at} />
                </>,
              ],
              ...(webhook.previous_secret_until === null
                ? []
                : ([
                    [
                      'Previous secret',
                      <>
                        also signs, ends <When at={webhook.previous_secret_until} />
                      </>,
                    ],
                  ] as const)),
            ]}
          />
        </Section>
      )}
      <Deliveries name={name} can={me?.can['webhooks.redeliver']} />
      {open === 'rotate' && <RotateSecret name={name} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && <DeleteWebhook name={name} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}
