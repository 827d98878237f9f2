import { defineCommand } from '../../../command.ts';
import { confirmFinal, yesFlag } from '../../../input/confirm-final.ts';
import { baseArgument } from '../../../knowledge/asset.ts';
import { good, line } from '../../../view/view.ts';

export const command = defineCommand({
  words: 'kb hook delete',
  summary: 'Delete the hook of a knowledge base; its secret ends',
  needs: 'asset.write',
  examples: ['svc kb hook delete handbook', 'svc kb hook delete handbook --yes'],
  arguments: { base: baseArgument },
  flags: { yes: yesFlag },
  async run({ base: name, yes }, session) {
    await confirmFinal(session, {
      yes,
      deed: `Delete the hook of ${name} with its secret`,
      otherwise: 'the hook was not deleted',
    });
    await session.call('knowledge.delete_hook', { params: { name } });
    return {
      data: { base: name, deleted: true },
      view: [line(good('✓ '), `${name} has no hook`)],
      next: [{ command: `svc kb hook create ${name}`, when: 'for a new address and secret' }],
    };
  },
});
