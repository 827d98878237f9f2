import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SvcLine } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field, Form } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { Secret } from './secret.tsx';

interface FormProps {
  name: string;
  onClose: () => void;
}

export function RotateSecret({ name, onClose }: FormProps) {
  const rotate = useSend('webhooks.rotate', { says: () => `${name} has a new secret` });
  const made = rotate.data?.answer;
  return (
    <Dialog title={`Secret of ${name}`} isOpen onClose={onClose}>
      {made !== undefined ? (
        <Secret value={made.secret} onDone={onClose} />
      ) : (
        <Form
          error={rotate.error}
          isSending={rotate.isPending}
          send="Create a new secret"
          onCancel={onClose}
          onSend={({ grace_seconds }) =>
            rotate.mutate({ params: { name }, body: { grace_seconds: Number(grace_seconds) } })
          }
        >
          <Choice
            name="grace_seconds"
            label="The previous secret also signs for"
            defaultValue="86400"
            options={[
              { value: '0', label: 'no time: it ends now' },
              { value: '3600', label: 'an hour' },
              { value: '86400', label: 'a day' },
              { value: '604800', label: 'seven days' },
            ]}
            help="Deliveries carry both signatures until then, so the receiver can change over."
          />
          <SvcLine line={`svc webhook rotate ${name}`} />
        </Form>
      )}
    </Dialog>
  );
}

/** It cannot be undone, so its name is asked for. */
export function DeleteWebhook({ name, onClose }: FormProps) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const remove = useSend('webhooks.delete', { says: () => `The webhook ${name} no longer exists` });
  return (
    <FormDialog
      title={`Delete ${name}`}
      about="Pending deliveries are dropped."
      sending={{ error: remove.error, isPending: remove.isPending || typed !== name }}
      send={`Delete ${name}`}
      look="danger"
      onSend={() => remove.mutate({ params: { name } }, { onSuccess: () => void navigate({ to: '/webhooks' }) })}
      onClose={onClose}
    >
      <Field
        name="typed"
        label={`Type ${name} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <SvcLine line={`svc webhook delete ${name}`} />
    </FormDialog>
  );
}
