import { parsePrincipal } from '@gantry/contract/refs.ts';
import { actions } from '@gantry/contract/roles.ts';
import { useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form, Tick } from '../../parts/form.tsx';
import { useSend } from '../../parts/use-send.ts';
import { send } from '../../server.ts';

const says: Record<(typeof actions)[number], string> = {
  read: 'see it, its versions and its state',
  use: 'call it',
  write: 'push versions, set secrets, see its cost',
  deploy: 'deploy, stop and start it',
  publish: 'list it for other teams',
  admin: 'grant access, transfer and delete it',
};

export function GrantDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const [who, setWho] = useState('');
  const grantee = who === 'org' ? ({ kind: 'org', name: null } as const) : parsePrincipal(who);
  const grant = useSend('permissions.grant', {
    changes: ['registry', 'agents'],
    says: (_, { body }) => `${who} may ${body.actions.join(', ')} agents/${name}`,
    undo: async ({ id }, { body }) =>
      await send('permissions.revoke', { params: { id }, query: { actions: body.actions.join(',') } }),
  });
  return (
    <Dialog title={`Grant access to agents/${name}`} about="Earlier grants stay." isOpen onClose={onClose}>
      <Form
        send={grantee === undefined ? 'Grant' : `Grant to ${who}`}
        error={grant.error}
        isSending={grant.isPending || grantee === undefined}
        onCancel={onClose}
        onSend={(values) => {
          if (grantee === undefined) return;
          grant.mutate(
            {
              body: {
                resource_type: 'agent',
                resource_id: name,
                principal_type: grantee.kind,
                principal_id: grantee.name,
                actions: actions.filter((action) => values[action] === 'on'),
              },
            },
            { onSuccess: onClose },
          );
        }}
      >
        <Field
          name="principal_id"
          label="Who"
          required
          value={who}
          placeholder="team:ops"
          help="team:<name>, user:<e-mail>, group:<name>, principal:<name>, or org for everybody."
          onChange={(event) => setWho(event.target.value.trim())}
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-strong">May</legend>
          {actions.map((action) => (
            <Tick key={action} name={action} label={action} help={says[action]} defaultChecked={action === 'use'} />
          ))}
        </fieldset>
      </Form>
    </Dialog>
  );
}
