import type { AssetKind } from '@gantry/contract/roles.ts';
import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { kinds } from '../../registry/kinds.ts';
import { readNamed, suggestAsset } from '../../registry/named.ts';
import type { Result } from '../../result.ts';
import { good, line } from '../../view/view.ts';

export function commandFor(kind: AssetKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} delete`,
    summary: 'Delete it, unless something refers to it; its audit entries stay',
    needs: 'asset.delete',
    examples: [`svc registry ${kind} delete ${example}`, `svc registry ${kind} delete ${example} --yes`],
    arguments: { name: required('Its name', kind) },
    flags: { yes: yesFlag },
    async run({ name: given, yes }, session): Promise<Result> {
      const { name } = readNamed(kind, given);
      if (kind === 'agent') {
        const { deleteAgent } = await import('../../registry/delete-agent.ts');
        return await deleteAgent(session, name, yes);
      }
      const params = { kind, name };
      const { ref, versions } = await suggestAsset(session, kind, name, () =>
        session.call('registry.show', { params }),
      );
      const deed = `Delete ${ref} with ${versions.length === 1 ? 'its version' : `all of its ${versions.length} versions`}`;
      await confirmFinal(session, { yes, deed, otherwise: `${ref} was not deleted` });
      await session.call('registry.delete', { params });
      return { data: { ref, deleted: true }, view: [line(good('✓ '), `${ref} is deleted`)] };
    },
  });
}
