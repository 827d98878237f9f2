import { parsePrincipal, printRef, type AssetRef } from '@gantry/contract/refs.ts';
import { actions } from '@gantry/contract/roles.ts';
import { useState } from 'react';
import { FormDialog } from '../../../parts/form/form-dialog.tsx';
import { Field, Tick } from '../../../parts/form/form.tsx';
import { useSend } from '../../../parts/action/use-send.ts';
import { send } from '../../../server.ts';

const says: Record<(typeof actions)[number], string> = {
  read: 'see it, its versions and its state',
  use: 'call it',
  write: 'push versions, set secrets, see its cost',
  deploy: 'deploy, stop and start it',
  publish: 'list it for other teams',
  admin: 'grant access, transfer and delete it',
};

export function GrantDialog({ of, onClose }: { of: AssetRef; onClose: () => void }) {
  const [who, setWho] = useState('');
  const grantee = who === 'org' ? ({ kind: 'org', name: null } as const) : parsePrincipal(who);
  const grant = useSend('permissions.grant', {
    changes: ['registry', 'agents'],
    says: (_, { body }) => `${who} may ${body.actions.join(', ')} ${printRef(of)}`,
    undo: async ({ id }, { body }) =>
      await send('permissions.revoke', { params: { id }, query: { actions: body.actions.join(',') } }),
  });
  return (
    <FormDialog
      title={`Grant access to ${printRef(of)}`}
      about="Earlier grants stay."
      send={grantee === undefined ? 'Grant' : `Grant to ${who}`}
      sending={{ error: grant.error, isPending: grant.isPending || grantee === undefined }}
      onSend={(values) => {
        if (grantee === undefined) return;
        grant.mutate(
          {
            body: {
              resource_type: of.kind,
              resource_id: of.name,
              principal_type: grantee.kind,
              principal_id: grantee.name,
              actions: actions.filter((action) => values[action] === 'on'),
            },
          },
          { onSuccess: onClose },
        );
      }}
      onClose={onClose}
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
    </FormDialog>
  );
}
