import type { Group } from '@gantry/contract/people/groups.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../../parts/form/confirm.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field, TextArea } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask, send } from '../../server.ts';

interface Props {
  group: Group;
  onClose: () => void;
}

export function AddGroupMember({ group: { id, name, team, members }, onClose }: Props) {
  const whole = useQuery(ask('teams.show', { params: { team } }));
  const add = useSend('groups.add_member', { says: (_, { body }) => `${body.email} is in group ${name}` });
  const others = (whole.data?.members ?? [])
    .map(({ principal }) => principal.replace(/^user:/, ''))
    .filter((email) => !members.some((member) => member.email === email));
  return (
    <FormDialog
      title={`Add a member to ${name}`}
      send="Add to the group"
      sending={add}
      onSend={({ email = '' }) => add.mutate({ params: { id }, body: { email } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Choice name="email" label="Member" options={others} help={`Members of team ${team} who are not in it yet.`} />
    </FormDialog>
  );
}

export function ChangeGroup({ group: { id, ...before }, onClose }: Props) {
  const { name, description } = before;
  const change = useSend('groups.update', {
    says: (after) => `Group ${after.name} is changed`,
    undo: async () => await send('groups.update', { params: { id }, body: { name, description } }),
  });
  return (
    <FormDialog
      title={`Change ${name}`}
      send="Save"
      sending={change}
      onSend={(body) => change.mutate({ params: { id }, body }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field name="name" label="Name" required defaultValue={name} />
      <TextArea name="description" label="Description" rows={2} defaultValue={description} />
    </FormDialog>
  );
}

export function DeleteGroup({ group: { id, name }, onClose }: Props) {
  const navigate = useNavigate();
  const remove = useSend('groups.delete', { changes: ['permissions'], says: () => `Group ${name} is deleted` });
  return (
    <Confirm
      title={`Delete group ${name}`}
      about="The permissions that it got end for its members."
      name={name}
      send="Delete the group"
      sending={remove}
      onClose={onClose}
      onSend={() => remove.mutate({ params: { id } }, { onSuccess: () => void navigate({ to: '/groups' }) })}
    />
  );
}
