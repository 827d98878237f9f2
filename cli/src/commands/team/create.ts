import { defineCommand, required } from '../../command.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'team create',
  summary: 'Create a team',
  needs: 'team.create',
  examples: ['svc team create ml', 'svc team create support --json'],
  arguments: { name: required('Lower-case letters, digits and hyphens') },
  flags: {},
  async run({ name }, session) {
    const team = await session.call('teams.create', { body: { name } });
    return {
      data: team,
      view: [line(good('✓ '), `Team ${team.name} exists`)],
      next: [{ command: `svc team add ${team.name} user:<e-mail> --role contributor`, when: 'to add a member' }],
    };
  },
});
