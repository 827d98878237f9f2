import { actions } from '@gantry/contract/roles.ts';
import { assetFlag, readAsset } from '../../acl.ts';
import { choice, defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { misuse } from '../../refusal.ts';
import { bad, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'acl check',
  summary: 'May you do this to that, and why; exit 1 when you may not',
  needs: 'permission.check',
  examples: [
    'svc acl check --asset agents/greeter --action deploy',
    'svc acl check --asset agents/greeter --action use --json',
  ],
  arguments: {},
  flags: { asset: assetFlag, action: choice('What you would do', actions) },
  async run({ asset, action }, session) {
    if (action === undefined) throw misuse('--action is needed', `Name one of ${actions.join(', ')}.`);
    const { allowed, reason } = await session.call('permissions.check', { query: { ...readAsset(asset), action } });
    return {
      data: { allowed, reason },
      view: [line(allowed ? good('✓ ') : bad('✗ '), `${allowed ? 'You may' : 'You may not'}: ${reason}`)],
      exit: allowed ? exitCodes.done : exitCodes.refused,
    };
  },
});
