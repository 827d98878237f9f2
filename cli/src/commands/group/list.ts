import { defineCommand } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { prose, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'group list',
  summary: "Your teams' groups; all of them for platform admins",
  needs: 'group.list',
  examples: ['svc group list', 'svc group list --team ml --json'],
  arguments: {},
  flags: { limit: limitFlag },
  async run({ limit }, session) {
    const { team: named } = session.globals;
    const team = named === undefined ? {} : { team: named };
    const groups = await takePages(session, limit, (query) =>
      session.call('groups.list', { query: { ...team, ...query } }),
    );
    return {
      data: groups,
      view: [
        table(
          ['group', 'team', 'members', prose('description'), 'created'],
          groups.map((group) => [
            group.name,
            group.team,
            group.members.length,
            group.description,
            time(group.created_at),
          ]),
          'No groups yet. An admin of a team creates one: svc group create oncall --team ml',
        ),
      ],
    };
  },
});
