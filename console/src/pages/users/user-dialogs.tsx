import { roles } from '@gantry/contract/roles.ts';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../../parts/form/confirm.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { send } from '../../server.ts';
import { AssetsTo } from '../people/assets-to.tsx';
import { Admission, OneTimePassword } from './admission.tsx';
import type { User } from './user-state.tsx';

interface Props {
  user: User;
  onClose: () => void;
}

export function ResetPassword({ user: { id, email }, onClose }: Props) {
  const reset = useSend('users.reset_password', {
    says: () => `${email} is signed out, and the old password no longer works`,
  });
  if (reset.data !== undefined) return <Admission user={reset.data.answer} onClose={onClose} />;
  return (
    <Confirm
      title={`Reset the password of ${email}`}
      about="Their sessions end at once, and their password no longer works."
      send="Reset the password"
      sending={reset}
      onClose={onClose}
      onSend={({ one_time_password }) =>
        reset.mutate({ params: { id }, body: { one_time_password: one_time_password !== undefined } })
      }
    >
      <OneTimePassword />
    </Confirm>
  );
}

export function ChangeUser({ user: before, onClose }: Props) {
  const { id, email } = before;
  const change = useSend('users.update', {
    changes: ['teams'],
    says: ({ name, role }) => `${email} is ${name}, ${role} on the platform`,
    undo: async () => await send('users.update', { params: { id }, body: { name: before.name, role: before.role } }),
  });
  return (
    <FormDialog
      title={`Change ${email}`}
      send="Save"
      sending={change}
      onSend={({ name = '', role }) =>
        change.mutate(
          { params: { id }, body: { name, role: roles.find((each) => each === role) ?? before.role } },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Field name="name" label="Name" required defaultValue={before.name} />
      <Choice
        name="role"
        label="Platform role"
        options={roles}
        defaultValue={before.role}
        help="It works from their next request on."
      />
    </FormDialog>
  );
}

export function RemoveUser({ user: { id, email }, onClose }: Props) {
  const navigate = useNavigate();
  const remove = useSend('users.remove', { changes: ['teams', 'groups', 'keys'], says: () => `${email} is removed` });
  return (
    <Confirm
      title={`Remove ${email} for good`}
      about="Sessions, teams, groups, keys and permissions end. The audit log keeps the name. A later user with this address is a new user."
      name={email}
      send="Remove the user"
      sending={remove}
      onClose={onClose}
      onSend={({ assets_to }) =>
        remove.mutate(
          { params: { id }, query: assets_to ? { assets_to } : {} },
          { onSuccess: () => void navigate({ to: '/users' }) },
        )
      }
    >
      <AssetsTo where="anywhere" />
    </Confirm>
  );
}
