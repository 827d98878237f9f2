import { defineCommand, duration, required, toggle } from '../../../command.ts';
import { describeBudget } from '../../../keys/describe-key.ts';
import { describeLimits, limitFlags, limitsAsFlags, list, readLimits } from '../../../keys/limits.ts';
import { memberFlags, subjectOf } from '../../../keys/team-subject.ts';
import { misuse } from '../../../refusal.ts';
import { good, line } from '../../../view/view.ts';

export const command = defineCommand({
  words: 'team budget set',
  summary: 'Limit what a team spends, one of its members or agents, or what the keys of new members get',
  needs: 'budget.change',
  examples: [
    'svc team budget set ml --monthly 500',
    'svc team budget set ml --member ada@example.com --daily 10 --weekly none',
    'svc team budget set ml --new-members --daily 5 --models "gpt-*" --expires-in 90d',
  ],
  arguments: { team: required('The team', 'team') },
  flags: {
    ...limitFlags,
    ...memberFlags,
    newMembers: toggle('What the keys of new members and service principals get'),
    models: list('With --new-members: patterns over names of models, separated by commas', 'globs'),
    expiresIn: duration('With --new-members: how long their keys work, or 0 for no end', 3650 * 86_400),
  },
  async run({ team, member, agent, newMembers, models, expiresIn, ...given }, session) {
    const limits = readLimits(given);
    if (!newMembers) {
      if (models !== undefined || expiresIn !== undefined)
        throw misuse('--models and --expires-in go with --new-members');
      if (Object.keys(limits).length === 0) throw misuse('Name a limit', 'For example --monthly 500, or --daily none.');
      const subject = subjectOf(team, { member, agent });
      const before = await session.call('budgets.show', { query: subject });
      const budget = await session.call('budgets.set', { body: { ...subject, limits } });
      const about = member === undefined ? (agent === undefined ? '' : ` --agent ${agent}`) : ` --member ${member}`;
      return {
        data: budget,
        view: describeBudget(budget),
        undo: `svc team budget set ${team}${about} ${limitsAsFlags(before.limits, limits)}`,
      };
    }
    if (member !== undefined || agent !== undefined) throw misuse('--new-members goes without --member and --agent');
    const defaults = await session.call('key_defaults.set', {
      params: { team },
      body: {
        limits,
        ...(models === undefined ? {} : { models }),
        ...(expiresIn === undefined ? {} : { expires_in_seconds: expiresIn === 0 ? null : expiresIn }),
      },
    });
    return {
      data: defaults,
      view: [
        line(
          good('✓ '),
          `New members of team ${team} get ${defaults.models.join(', ')}; limits: ${describeLimits(defaults.limits)}`,
        ),
        line('  Keys and limits that exist stay as they are.'),
      ],
    };
  },
});
