import { defineCommand } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'team list',
  summary: 'Your teams; all of them for platform admins',
  needs: 'team.list',
  examples: ['svc team list', 'svc team list --json'],
  arguments: {},
  flags: { limit: limitFlag },
  async run({ limit }, session) {
    const teams = await takePages(session, limit, (query) => session.call('teams.list', { query }));
    return {
      data: teams,
      view: [
        table(
          ['team', 'your role', 'members', 'created'],
          teams.map((team) => [team.name, team.your_role, team.members.length, time(team.created_at)]),
          'No teams yet. A platform admin creates one: svc team create ml',
        ),
      ],
    };
  },
});
