import { roles } from '@gantry/contract/roles.ts';
import { useNavigate } from '@tanstack/react-router';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field } from '../../parts/form/form.tsx';
import { ShownOnce } from '../../parts/form/shown-once.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { wordsOf } from '../../parts/words.ts';
import { TeamChoice } from '../people/team-choice.tsx';

export function NewPrincipal({ team: chosen, onClose }: { team: string | undefined; onClose: () => void }) {
  const navigate = useNavigate();
  const create = useSend('principals.create', {
    says: ({ name, team, role }) => `principal:${name} exists in team ${team} as ${role}`,
  });
  if (create.data !== undefined) {
    const { id, name, key } = create.data.answer;
    const show = () => void navigate({ to: '/service-principals/$id', params: { id } });
    return (
      <ShownOnce title={`Key of principal:${name}`} value={key} onClose={show}>
        A pipeline reads it from SERVICE_API_KEY.
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title="New service principal"
      send="Create, and show its key"
      sending={create}
      onSend={({ name = '', team = '', role, allowed_assets, description = '' }) =>
        create.mutate({
          body: {
            name,
            team,
            role: roles.find((each) => each === role) ?? 'viewer',
            allowed_assets: wordsOf(allowed_assets),
            description,
          },
        })
      }
      onClose={onClose}
    >
      <Field name="name" label="Name" required placeholder="ci" help="Unique in the organisation." />
      <TeamChoice chosen={chosen} />
      <Choice name="role" label="Role in the team" options={roles} />
      <AllowedAssets />
      <Field name="description" label="Description" placeholder="Deploys from the main branch" />
    </FormDialog>
  );
}

export function AllowedAssets({ before = [] }: { before?: readonly string[] }) {
  return (
    <Field
      name="allowed_assets"
      label="Allowed assets"
      placeholder="agents/*, tools/search"
      defaultValue={before.join(', ')}
      help="Patterns between commas. It reaches nothing else, whatever its role allows."
    />
  );
}
