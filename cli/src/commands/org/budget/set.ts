import { defineCommand } from '../../../command.ts';
import { describeBudget } from '../../../keys/describe-key.ts';
import { limitFlags, limitsAsFlags, readLimits } from '../../../keys/limits.ts';
import { misuse } from '../../../refusal.ts';

export const command = defineCommand({
  words: 'org budget set',
  summary: 'Limit what the whole organisation spends',
  needs: 'budget.change_org',
  examples: ['svc org budget set --monthly 2000', 'svc org budget set --daily none --json'],
  arguments: {},
  flags: limitFlags,
  async run(given, session) {
    const limits = readLimits(given);
    if (Object.keys(limits).length === 0) throw misuse('Name a limit', 'For example --monthly 2000, or --daily none.');
    const before = await session.call('budgets.show', { query: { scope: 'org' } });
    const budget = await session.call('budgets.set', { body: { scope: 'org', limits } });
    return {
      data: budget,
      view: describeBudget(budget),
      undo: `svc org budget set ${limitsAsFlags(before.limits, limits)}`,
    };
  },
});
