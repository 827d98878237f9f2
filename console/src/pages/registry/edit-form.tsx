import { nextVersion } from '@gantry/project/agent-yaml/bump-version.ts';
import type { ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Choice, Form } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import type { AssetDetail } from './asset-actions.tsx';
import { ConfigFields, type Member } from './config-fields.tsx';
import { readConfig } from './read-config.ts';

interface EditFormProps {
  kind: ConfigOnlyKind;
  members: readonly Member[];
  asset: AssetDetail;
}

/** A version is never changed: an edit makes the next one. */
export function EditForm({ kind, members, asset }: EditFormProps) {
  const { name, ref, config, latest_version } = asset;
  const navigate = useNavigate();
  const back = { to: '/registry/$kind/$name', params: { kind, name } } as const;
  const versions = (['patch', 'minor', 'major'] as const).flatMap((part) => {
    const version = nextVersion(latest_version ?? '0.0.0', part);
    return version === undefined ? [] : [{ value: version, label: `${version} (${part})` }];
  });
  const edit = useSend('registry.edit', {
    changes: ['models'],
    says: (after) => `${ref}@${after.latest_version ?? ''} exists, and new references pin it`,
  });
  const sending = useMutation({
    mutationFn: async ({ version = '', ...given }: Record<string, string>) =>
      await edit.mutateAsync({ params: { kind, name }, body: { version, config: readConfig(members, given) } }),
    onSuccess: () => void navigate(back),
  });
  return (
    <div className="max-w-[720px]">
      <Form
        error={sending.error}
        isSending={sending.isPending}
        send="Save as a new version"
        onCancel={() => void navigate(back)}
        onSend={(values) => sending.mutate(values)}
      >
        <Choice name="version" label="Version" options={versions} />
        <ConfigFields members={members} config={config ?? {}} />
      </Form>
    </div>
  );
}
