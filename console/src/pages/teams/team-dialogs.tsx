import { roles } from '@gantry/contract/roles.ts';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field, Form } from '../../parts/form.tsx';
import { useSend } from '../../parts/use-send.ts';

export function AddMember({ team, onClose }: { team: string; onClose: () => void }) {
  const add = useSend('teams.add_member', {
    changes: ['users', 'auth'],
    says: (_, { body }) => `${body.principal} is ${body.role} in team ${team}`,
  });
  return (
    <Dialog title={`Add a member to ${team}`} isOpen onClose={onClose}>
      <Form
        send="Add to the team"
        error={add.error}
        isSending={add.isPending}
        onCancel={onClose}
        onSend={({ principal = '', role }) =>
          add.mutate(
            {
              params: { team },
              body: { principal: `user:${principal}`, role: roles.find((each) => each === role) ?? 'viewer' },
            },
            { onSuccess: onClose },
          )
        }
      >
        <Field name="principal" label="E-mail" type="email" required help="Of a user of this organisation." />
        <Choice name="role" label="Role" options={roles} help="Each role includes the ones before it." />
      </Form>
    </Dialog>
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
      error={remove.error}
      isSending={remove.isPending}
      onClose={onClose}
      onSend={() => remove.mutate({ params: { team } }, { onSuccess: () => void navigate({ to: '/teams' }) })}
    />
  );
}
