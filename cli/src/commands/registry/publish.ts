import type { AssetKind } from '@gantry/contract/roles.ts';
import { defineCommand, required } from '../../command.ts';
import { kinds } from '../../registry/kinds.ts';
import { readNamed, suggestAsset } from '../../registry/named.ts';
import { good, line } from '../../view/view.ts';

export function commandFor(kind: AssetKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} publish`,
    summary: 'List it for the whole organisation, to everybody who may read it',
    needs: 'asset.publish',
    examples: [`svc registry ${kind} publish ${example}`, `svc registry ${kind} publish ${example} --json`],
    arguments: { name: required('Its name', kind) },
    flags: {},
    async run({ name: given }, session) {
      const { name } = readNamed(kind, given);
      const asset = await suggestAsset(session, kind, name, () =>
        session.call('registry.publish', { params: { kind, name } }),
      );
      const readers =
        asset.visibility === 'org' ? 'everybody' : `users outside team ${asset.team} with an entry to read it`;
      return {
        data: asset,
        view: [line(good('✓ '), `${asset.ref} is published: listed for ${readers}`)],
        undo: `svc registry ${kind} unpublish ${name}`,
        next:
          asset.visibility === 'org'
            ? []
            : [{ command: `svc registry ${kind} edit ${name} --visibility org`, when: 'to let everybody read it' }],
      };
    },
  });
}
