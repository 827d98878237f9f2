import type { AssetKind } from '@gantry/contract/roles.ts';
import { defineCommand, required } from '../../command.ts';
import { kinds } from '../../registry/kinds.ts';
import { readNamed, suggestAsset } from '../../registry/named.ts';
import { good, line } from '../../view/view.ts';

export function commandFor(kind: AssetKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} unpublish`,
    summary: 'Remove it from the lists of other teams; it stays readable by its name',
    needs: 'asset.publish',
    examples: [`svc registry ${kind} unpublish ${example}`, `svc registry ${kind} unpublish ${example} --json`],
    arguments: { name: required('Its name', kind) },
    flags: {},
    async run({ name: given }, session) {
      const { name } = readNamed(kind, given);
      const asset = await suggestAsset(session, kind, name, () =>
        session.call('registry.unpublish', { params: { kind, name } }),
      );
      return {
        data: asset,
        view: [line(good('✓ '), `${asset.ref} is listed only for team ${asset.team}`)],
        undo: `svc registry ${kind} publish ${name}`,
      };
    },
  });
}
