import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'team delete',
  summary: 'Delete a team that has no assets, groups or service principals',
  needs: 'team.delete',
  examples: ['svc team delete ml', 'svc team delete ml --yes'],
  arguments: { name: required('The team', 'team') },
  flags: { yes: yesFlag },
  async run({ name, yes }, session) {
    const { members } = await session.call('teams.show', { params: { team: name } });
    await confirmFinal(session, {
      yes,
      deed: `Delete team ${name}, which ${members.length === 1 ? 'one user is' : `${members.length} users are`} in`,
      otherwise: `team ${name} was not deleted`,
    });
    await session.call('teams.delete', { params: { team: name } });
    return {
      data: { team: name, deleted: true },
      view: [line(good('✓ '), `Team ${name} is deleted`)],
    };
  },
});
