import { defineCommand, required } from '../../command.ts';
import { describeTeam } from '../../principals/describe-team.ts';

export const command = defineCommand({
  words: 'team show',
  summary: 'A team and its members',
  needs: 'team.read',
  examples: ['svc team show ml', 'svc team show ml --json'],
  arguments: { name: required('The team', 'team') },
  flags: {},
  async run({ name }, session) {
    const team = await session.call('teams.show', { params: { team: name } });
    return { data: team, view: describeTeam(team) };
  },
});
