import { useState } from 'react';
import { SvcLine } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Field, Form } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { send } from '../../server.ts';
import { Secret } from './secret.tsx';

export function NewWebhook({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const create = useSend('webhooks.create', {
    says: (webhook) => `${webhook.name} sends ${webhook.events.join(', ')} to ${webhook.url}`,
    undo: async (webhook) => await send('webhooks.delete', { params: { name: webhook.name } }),
  });
  const made = create.data?.answer;
  return (
    <Dialog title={made === undefined ? 'New webhook' : `Secret of ${made.name}`} isOpen onClose={onClose}>
      {made !== undefined ? (
        <Secret value={made.secret} onDone={onClose} />
      ) : (
        <Form
          error={create.error}
          isSending={create.isPending}
          send="Create the webhook"
          onCancel={onClose}
          onSend={({ name: given = '', url = '', events = '' }) =>
            create.mutate({ body: { name: given, url, events: events.split(/[\s,]+/).filter((each) => each !== '') } })
          }
        >
          <Field
            name="name"
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            help="Lower-case letters, digits and hyphens."
          />
          <Field name="url" label="Address" inputMode="url" placeholder="https://" />
          <Field
            name="events"
            label="Events"
            defaultValue="*"
            help="An event such as approval.decided, all of a noun such as approval.*, or * for all. Separated by commas."
          />
          <SvcLine line={`svc webhook create ${name || '<name>'} <address> --events …`} />
        </Form>
      )}
    </Dialog>
  );
}
