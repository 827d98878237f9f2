// A draft becomes the next version of its prompt, as an edit in the registry does. It changes nothing that agents read.
import { nextVersion } from '@gantry/project/agent-yaml/bump-version.ts';
import { Choice } from '../../../parts/form/form.tsx';
import { FormDialog } from '../../../parts/form/form-dialog.tsx';
import { SvcLine } from '../../../parts/copy.tsx';
import { useSend } from '../../../parts/action/use-send.ts';
import type { AssetDetail } from '../asset-actions.tsx';
import type { Draft } from './prompt-text.ts';

interface SaveProps {
  asset: AssetDetail;
  draft: Draft;
  onSaved: (version: string) => void;
  onClose: () => void;
}

export function SaveVersion({ asset: { name, ref, latest_version }, draft, onSaved, onClose }: SaveProps) {
  const versions = (['minor', 'patch', 'major'] as const).flatMap((part) => {
    const version = nextVersion(latest_version ?? '0.0.0', part);
    return version === undefined ? [] : [{ value: version, label: `${version} (${part})` }];
  });
  const save = useSend('registry.edit', { says: (after) => `${ref}@${after.latest_version ?? ''} exists` });
  return (
    <FormDialog
      title={`Save the draft as a version of ${name}`}
      about="Agents that name a label read it once somebody moves the label. That needs an approval of exactly this text, unless an admin moves it."
      send="Save as a new version"
      sending={save}
      onClose={onClose}
      onSend={({ version = '' }) =>
        save.mutate(
          { params: { kind: 'prompt', name }, body: { version, config: draft } },
          {
            onSuccess: () => {
              onSaved(version);
              onClose();
            },
          },
        )
      }
    >
      <Choice name="version" label="Version" options={versions} />
      <SvcLine line={`svc registry prompt edit ${name} --version ${versions[0]?.value ?? ''}`} />
    </FormDialog>
  );
}
