import type { AssetKind } from '@gantry/contract/roles.ts';
import { defineCommand, required } from '../../command.ts';
import { listVersions } from '../../registry/describe-asset.ts';
import { kinds } from '../../registry/kinds.ts';
import { readNamed, suggestAsset } from '../../registry/named.ts';

export function commandFor(kind: AssetKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} versions`,
    summary: 'Its versions, the highest first; a final one never changes',
    needs: 'asset.read',
    examples: [`svc registry ${kind} versions ${example}`, `svc registry ${kind} versions ${example} --json`],
    arguments: { name: required('Its name', kind) },
    flags: {},
    async run({ name: given }, session) {
      const { name } = readNamed(kind, given);
      const { versions } = await suggestAsset(session, kind, name, () =>
        session.call('registry.show', { params: { kind, name } }),
      );
      return { data: versions, view: [listVersions(versions)] };
    },
  });
}
