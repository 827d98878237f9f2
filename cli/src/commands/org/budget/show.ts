import { defineCommand } from '../../../command.ts';
import { describeBudget } from '../../../keys/describe-key.ts';

export const command = defineCommand({
  words: 'org budget show',
  summary: 'The limits of the whole organisation, and what it has spent',
  needs: 'budget.read_org',
  examples: ['svc org budget show', 'svc org budget show --json'],
  arguments: {},
  flags: {},
  async run(_, session) {
    const budget = await session.call('budgets.show', { query: { scope: 'org' } });
    return { data: budget, view: describeBudget(budget) };
  },
});
