import { defineCommand, moment, text } from '../../command.ts';
import { misuse } from '../../refusal.ts';
import { count } from '../../view/count.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'costs correct',
  summary: 'Lower estimated costs to what the provider has billed, so that budgets get the difference back',
  needs: 'cost.correct',
  examples: [
    'svc costs correct --model gpt-4o --since 2026-11-24T09:00:00Z --until 2026-11-24T09:10:00Z --billed 0.88 --reason "bill of the provider"',
    'svc costs correct --agent greeter --since 1h --billed 0 --reason "the upstream was down"',
  ],
  arguments: {},
  flags: {
    since: moment('From this time on'),
    until: moment('Up to this time (default now)'),
    agent: text('Only calls of this agent', 'name'),
    model: text('Only calls of this model', 'name'),
    billed: text('What the provider has billed for all these calls, in USD', 'amount'),
    reason: text('Why, for the log', 'text'),
  },
  async run({ since, billed, reason, ...given }, session) {
    if (since === undefined || billed === undefined || reason === undefined)
      throw misuse(
        '--since, --billed and --reason are needed',
        'svc costs --by model,day --estimated shows what is estimated.',
      );
    const { team } = session.globals;
    const corrected = await session.call('costs.correct', {
      body: { since, ...given, team, billed_usd: billed, reason },
    });
    const { calls, charged_usd, billed_usd } = corrected;
    return {
      data: corrected,
      view: [line(good('✓ '), `${count(calls, 'call')} cost $${billed_usd} now, and $${charged_usd} before`)],
    };
  },
});
