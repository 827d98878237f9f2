import { defineCommand, required } from '../../../command.ts';
import { describeBudget } from '../../../keys/describe-key.ts';
import { describeLimits } from '../../../keys/limits.ts';
import { memberFlags, subjectOf } from '../../../keys/team-subject.ts';
import { fields } from '../../../view/view.ts';

export const command = defineCommand({
  words: 'team budget show',
  summary:
    'The limits and spending of a team, and the defaults of its new keys; with --member or --agent, of one of them',
  needs: 'budget.read',
  examples: ['svc team budget show ml', 'svc team budget show ml --member ada@example.com --json'],
  arguments: { team: required('The team', 'team') },
  flags: memberFlags,
  async run({ team, ...given }, session) {
    const subject = subjectOf(team, given);
    const budget = await session.call('budgets.show', { query: subject });
    if (subject.scope !== 'team') return { data: budget, view: describeBudget(budget) };
    const defaults = await session.call('key_defaults.show', { params: { team } });
    const { models, limits, expires_in_seconds } = defaults;
    return {
      data: { ...budget, defaults },
      view: [
        ...describeBudget(budget),
        fields({
          'New members': describeLimits(limits),
          'Their models': models.join(', '),
          'Their keys': expires_in_seconds === null ? undefined : `expire after ${expires_in_seconds / 86_400} days`,
        }),
      ],
      next: [{ command: `svc team budget set ${team} --monthly 100`, when: 'to limit what the team spends' }],
    };
  },
});
