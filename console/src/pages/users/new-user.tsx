import { roles } from '@gantry/contract/roles.ts';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { Admission, OneTimePassword } from './admission.tsx';

export function NewUser({ onClose }: { onClose: () => void }) {
  const create = useSend('users.create', { says: ({ email, role }) => `${email} exists as ${role}` });
  if (create.data !== undefined) return <Admission user={create.data.answer} onClose={onClose} />;
  return (
    <FormDialog
      title="Invite a user"
      send="Invite"
      sending={create}
      onSend={({ email = '', name, role, one_time_password }) =>
        create.mutate({
          body: {
            email,
            role: roles.find((each) => each === role) ?? 'viewer',
            one_time_password: one_time_password !== undefined,
            ...(name ? { name } : {}),
          },
        })
      }
      onClose={onClose}
    >
      <Field name="email" label="E-mail" type="email" required />
      <Field name="name" label="Name" placeholder="Ada Lovelace" />
      <Choice
        name="role"
        label="Platform role"
        options={roles}
        help="For the whole platform. Most people are viewers here, and have a role in their team."
      />
      <OneTimePassword />
    </FormDialog>
  );
}
