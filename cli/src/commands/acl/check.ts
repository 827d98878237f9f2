import { actionFlag, assetFlag, readAsset } from '../../registry/acl.ts';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { bad, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'acl check',
  summary: 'Check whether you may do an action on an asset, and why; exit 1 for no',
  needs: 'permission.check',
  examples: [
    'svc acl check --asset agents/greeter --action deploy',
    'svc acl check --asset agents/greeter --action use --json',
  ],
  arguments: {},
  flags: { asset: assetFlag, action: actionFlag('The action') },
  async run({ asset, action }, session) {
    const { allowed, reason } = await session.call('permissions.check', { query: { ...readAsset(asset), action } });
    return {
      data: { allowed, reason },
      view: [line(allowed ? good('✓ ') : bad('✗ '), `${allowed ? 'You may' : 'You may not'}: ${reason}`)],
      exit: allowed ? exitCodes.done : exitCodes.refused,
    };
  },
});
