import type { AssetKind } from '@gantry/contract/roles.ts';
import { defineCommand, required, toggle } from '../../command.ts';
import { Refusal } from '../../refusal.ts';
import { kinds } from '../../registry/kinds.ts';
import { readNamed, suggestAsset } from '../../registry/named.ts';
import type { Result } from '../../result.ts';
import { good, line } from '../../view/view.ts';

export function commandFor(kind: AssetKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} delete`,
    summary: 'Remove it, where nothing refers to it; its audit entries stay',
    needs: 'asset.delete',
    examples: [`svc registry ${kind} delete ${example}`, `svc registry ${kind} delete ${example} --yes`],
    arguments: { name: required('Its name') },
    flags: { yes: toggle('Do not ask', 'y') },
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
      const question = `Delete ${ref} with ${versions.length === 1 ? 'its version' : `all of its ${versions.length} versions`}? This cannot be undone.`;
      if (!yes && !(await session.prompt.confirm(question, '--yes')))
        throw new Refusal('declined', `${ref} was not deleted`);
      await session.call('registry.delete', { params });
      return { data: { ref, deleted: true }, view: [line(good('✓ '), `${ref} is deleted`)] };
    },
  });
}
