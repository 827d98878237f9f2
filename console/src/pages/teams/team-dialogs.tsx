import { roles } from '@gantry/contract/roles.ts';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../../parts/form/confirm.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';

export function AddMember({ team, onClose }: { team: string; onClose: () => void }) {
  const add = useSend('teams.add_member', {
    changes: ['users', 'auth'],
    says: (_, { body }) => `${body.principal} is ${body.role} in team ${team}`,
  });
  return (
    <FormDialog
      title={`Add a member to ${team}`}
      send="Add to the team"
      sending={add}
      onSend={({ principal = '', role }) =>
        add.mutate(
          {
            params: { team },
            body: { principal: `user:${principal}`, role: roles.find((each) => each === role) ?? 'viewer' },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Field name="principal" label="E-mail" type="email" required help="Of a user of this organisation." />
      <Choice name="role" label="Role" options={roles} help="Each role includes the ones before it." />
    </FormDialog>
  );
}

export function DeleteTeam({ team, onClose }: { team: string; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useSend('teams.delete', { changes: ['auth', 'users'], says: () => `Team ${team} is deleted` });
  return (
    <Confirm
      title={`Delete team ${team}`}
      about="Its members lose their role in it, and its keys end. A team with assets, groups or service principals stays."
      name={team}
      send="Delete the team"
      sending={remove}
      onClose={onClose}
      onSend={() => remove.mutate({ params: { team } }, { onSuccess: () => void navigate({ to: '/teams' }) })}
    />
  );
}
