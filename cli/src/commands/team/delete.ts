import { defineCommand, required } from '../../command.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'team delete',
  summary: 'Delete a team that has no assets, groups or service principals',
  needs: 'team.delete',
  examples: ['svc team delete ml', 'svc team delete ml --json'],
  arguments: { name: required('The team') },
  flags: {},
  async run({ name }, session) {
    await session.call('teams.delete', { params: { team: name } });
    return {
      data: { team: name, deleted: true },
      view: [line(good('✓ '), `There is no team ${name} any more`)],
    };
  },
});
