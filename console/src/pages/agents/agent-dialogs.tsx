// The changes of an agent that need more than a click.
import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { visibilities } from '@gantry/contract/roles.ts';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../../parts/form/confirm.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field, TextArea } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { send } from '../../server.ts';
import { RollbackDialog } from './versions/rollback-dialog.tsx';
import { ScaleDialog } from './scale-dialog.tsx';

export type AgentDialogName = 'rollback' | 'scale' | 'submit' | 'visibility' | 'transfer' | 'delete';

interface AgentDialogProps {
  asset: AssetDetail;
  onClose: () => void;
}

const dialogs = {
  rollback: Rollback,
  scale: Scale,
  submit: Submit,
  visibility: Visibility,
  transfer: Transfer,
  delete: Delete,
};

export function AgentDialog({ dialog, ...rest }: { dialog: AgentDialogName } & AgentDialogProps) {
  const Shown = dialogs[dialog];
  return <Shown {...rest} />;
}

function Rollback({ asset: { name }, onClose }: AgentDialogProps) {
  return <RollbackDialog name={name} onClose={onClose} />;
}

function Scale({ asset: { name }, onClose }: AgentDialogProps) {
  return <ScaleDialog name={name} onClose={onClose} />;
}

function Submit({ asset: { ref, latest_version }, onClose }: AgentDialogProps) {
  const navigate = useNavigate();
  const submit = useSend('approvals.submit', {
    changes: ['registry', 'agents', 'notifications'],
    says: () => `${ref}@${latest_version} waits for its approval`,
  });
  return (
    <FormDialog
      title={`Request the approval of ${ref}@${latest_version}`}
      send="Request approval"
      sending={submit}
      onSend={({ message = '' }) =>
        submit.mutate(
          { body: { asset: `${ref}@${latest_version}`, message } },
          { onSuccess: ({ answer: { id } }) => void navigate({ to: '/approvals/$id', params: { id } }) },
        )
      }
      onClose={onClose}
    >
      <TextArea name="message" label="Message" help="What changes, for the reviewer." />
    </FormDialog>
  );
}

const readers = { private: 'only those with an entry of their own', team: 'its team', org: 'the whole organisation' };

function Visibility({ asset: { ref, name, visibility }, onClose }: AgentDialogProps) {
  const params = { kind: 'agent', name } as const;
  const set = useSend('registry.set_visibility', {
    changes: ['permissions', 'agents'],
    says: (_, { body }) => `${ref} is visible to ${readers[body.visibility]}`,
    undo: async () => await send('registry.set_visibility', { params, body: { visibility } }),
  });
  return (
    <FormDialog
      title={`Visibility of ${ref}`}
      about="Replaces the entries of its team and of the organisation. Other entries stay."
      send="Change visibility"
      sending={set}
      onSend={(values) => {
        const chosen = visibilities.find((each) => each === values['visibility']);
        if (chosen !== undefined) set.mutate({ params, body: { visibility: chosen } }, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <Choice
        name="visibility"
        label="Who may read it"
        defaultValue={visibility}
        options={visibilities.map((value) => ({ value, label: `${value}: ${readers[value]}` }))}
      />
    </FormDialog>
  );
}

function Transfer({ asset: { ref, name, team, owner }, onClose }: AgentDialogProps) {
  const params = { kind: 'agent', name } as const;
  const transfer = useSend('registry.transfer', {
    changes: ['permissions', 'agents', 'teams'],
    says: (now) => `${ref} belongs to team ${now.team}, with ${now.owner} as its owner`,
    undo: async () => await send('registry.transfer', { params, body: { team, owner } }),
  });
  return (
    <FormDialog
      title={`Transfer ${ref}`}
      about="The entries of its team and of its owner go with it. Manual grants stay."
      send="Transfer"
      sending={transfer}
      onSend={(values) =>
        transfer.mutate(
          { params, body: { team: values['team'] ?? team, owner: values['owner'] ?? owner } },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Field name="team" label="Team" required defaultValue={team} />
      <Field name="owner" label="Owner" type="email" required defaultValue={owner} help="A member of the team." />
    </FormDialog>
  );
}

function Delete({ asset: { ref, name }, onClose }: AgentDialogProps) {
  const navigate = useNavigate();
  const remove = useSend('agents.delete', {
    changes: ['registry', 'permissions', 'secrets', 'keys'],
    says: () => `${ref} is deleted`,
  });
  return (
    <Confirm
      title={`Delete ${ref}`}
      about="Stops it and removes its versions, secrets and key. This cannot be undone. Its audit entries stay."
      name={name}
      send={`Delete ${ref}`}
      sending={remove}
      onSend={() => remove.mutate({ params: { name } }, { onSuccess: () => void navigate({ to: '/agents' }) })}
      onClose={onClose}
    />
  );
}
