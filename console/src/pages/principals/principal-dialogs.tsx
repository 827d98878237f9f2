import { roles } from '@gantry/contract/roles.ts';
import type { ServicePrincipal } from '@gantry/contract/people/service-principals.ts';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../../parts/form/confirm.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field } from '../../parts/form/form.tsx';
import { ShownOnce } from '../../parts/form/shown-once.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { wordsOf } from '../../parts/words.ts';
import { send } from '../../server.ts';
import { AllowedAssets } from './new-principal.tsx';

interface Props {
  principal: ServicePrincipal;
  onClose: () => void;
}

const graces = [
  { value: '0', label: 'at once' },
  { value: '3600', label: 'after an hour' },
  { value: '86400', label: 'after a day' },
  { value: '604800', label: 'after a week' },
];

export function RotateKey({ principal: { id, name }, onClose }: Props) {
  const rotate = useSend('principals.rotate_key', { says: () => `principal:${name} has a new key` });
  if (rotate.data !== undefined)
    return (
      <ShownOnce title={`New key of principal:${name}`} value={rotate.data.answer.key} onClose={onClose}>
        A pipeline reads it from SERVICE_API_KEY.
      </ShownOnce>
    );
  return (
    <FormDialog
      title={`Rotate the key of ${name}`}
      send="Create a new key"
      sending={rotate}
      onSend={({ grace_seconds }) => rotate.mutate({ params: { id }, body: { grace_seconds: Number(grace_seconds) } })}
      onClose={onClose}
    >
      <Choice
        name="grace_seconds"
        label="Earlier keys end"
        options={graces}
        help="At once if a key has leaked. Later, the pipeline has time to take the new one."
      />
    </FormDialog>
  );
}

export function ChangePrincipal({ principal: { id, name, ...before }, onClose }: Props) {
  const { role, allowed_assets, description } = before;
  const change = useSend('principals.update', {
    says: (after) => `principal:${name} is ${after.role}; it reaches ${after.allowed_assets.join(', ') || 'nothing'}`,
    undo: async () => await send('principals.update', { params: { id }, body: { role, allowed_assets, description } }),
  });
  return (
    <FormDialog
      title={`Change ${name}`}
      about="It works from its next request on."
      send="Save"
      sending={change}
      onSend={(given) =>
        change.mutate(
          {
            params: { id },
            body: {
              role: roles.find((each) => each === given.role) ?? role,
              allowed_assets: wordsOf(given.allowed_assets),
              description: given.description ?? '',
            },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Choice name="role" label="Role in the team" options={roles} defaultValue={role} />
      <AllowedAssets before={allowed_assets} />
      <Field name="description" label="Description" defaultValue={description} />
    </FormDialog>
  );
}

export function DeletePrincipal({ principal: { id, name }, onClose }: Props) {
  const navigate = useNavigate();
  const remove = useSend('principals.delete', { changes: ['keys'], says: () => `principal:${name} is deleted` });
  return (
    <Confirm
      title={`Delete principal:${name}`}
      about="Its keys and its permissions end at once."
      name={name}
      send="Delete the service principal"
      sending={remove}
      onClose={onClose}
      onSend={() =>
        remove.mutate({ params: { id } }, { onSuccess: () => void navigate({ to: '/service-principals' }) })
      }
    />
  );
}
