import type { Secret } from '@gantry/contract/assets/secrets.ts';
import { useQuery } from '@tanstack/react-query';
import { Confirm } from '../../../parts/form/confirm.tsx';
import { FormDialog } from '../../../parts/form/form-dialog.tsx';
import { Choice, Field, Tick } from '../../../parts/form/form.tsx';
import { useSend } from '../../../parts/action/use-send.ts';
import { ask } from '../../../server.ts';

interface SetSecretProps {
  agent: string;
  team: string;
  /** Absent for one that the page does not show yet. */
  name: string | undefined;
  onClose: () => void;
}

/** The value goes to the service and never comes back. */
export function SetSecret({ agent, team, name, onClose }: SetSecretProps) {
  const { data: status } = useQuery(ask('agents.status', { params: { name: agent } }));
  const isServing = status?.state === 'serving';
  const restart = useSend('agents.restart', {
    says: () => `agents/${agent} gets new containers with its present secrets`,
  });
  const set = useSend('secrets.set', {
    changes: ['agents'],
    says: (secret) => `${secret.name} of ${secret.agent === null ? `team ${secret.team}` : `agents/${agent}`} is set`,
  });
  const mayRestart = status?.can?.['agents.restart']?.allowed === true;
  return (
    <FormDialog
      title={name === undefined ? 'Set a secret' : `Set ${name}`}
      send="Set"
      sending={{ error: set.error ?? restart.error, isPending: set.isPending || restart.isPending }}
      onSend={({ name: typed = '', value = '', owner, restart: isRestarting }) =>
        set.mutate(
          { body: { name: name ?? typed, value, ...(owner === 'team' ? { team } : { agent }) } },
          {
            onSuccess: () =>
              isRestarting === 'on' ? restart.mutate({ params: { name: agent } }, { onSuccess: onClose }) : onClose(),
          },
        )
      }
      onClose={onClose}
    >
      {name === undefined && (
        <Field name="name" label="Name" required placeholder="CRM_TOKEN" help="The variable in the container." />
      )}
      <Choice
        name="owner"
        label="Belongs to"
        options={[
          { value: 'agent', label: `agents/${agent} only` },
          { value: 'team', label: `team ${team}: each agent of it that names the secret` },
        ]}
      />
      <Field
        name="value"
        label="Value"
        type="password"
        required
        autoComplete="new-password"
        help="Nobody can read it here again."
      />
      {isServing && (
        <Tick
          name="restart"
          label="Restart the agent now"
          help="The running container keeps the previous value until then."
          disabled={!mayRestart}
        />
      )}
    </FormDialog>
  );
}

export function RemoveSecret({ secret: { id, name, agent }, onClose }: { secret: Secret; onClose: () => void }) {
  const remove = useSend('secrets.remove', {
    changes: ['agents'],
    says: () => `${name} of agents/${agent} is removed`,
  });
  return (
    <Confirm
      title={`Remove ${name}`}
      about="Its value is lost. A secret of the team with the same name takes its place."
      name={name}
      send={`Remove ${name}`}
      sending={remove}
      onSend={() => remove.mutate({ params: { id } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
