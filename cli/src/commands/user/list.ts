import { roles } from '@gantry/contract/roles.ts';
import { choice, defineCommand, text } from '../../command.ts';
import type { User } from '../../principals/people.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { prose, table, time, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user list',
  summary: 'The users of the organisation',
  needs: 'user.list',
  examples: ['svc user list', 'svc user list --text ada --role deployer --json'],
  arguments: {},
  flags: {
    text: text('Only with this part of the e-mail address or the name', 'text'),
    role: choice('Only with this role on the whole platform', roles),
    limit: limitFlag,
  },
  async run({ limit, text: part, role }, session) {
    const filter = { ...(part === undefined ? {} : { text: part }), ...(role === undefined ? {} : { role }) };
    const users = await takePages(session, limit, (query) =>
      session.call('users.list', { query: { ...query, ...filter } }),
    );
    return {
      data: users,
      view: [
        table(
          ['e-mail', 'name', 'role', prose('teams'), 'created', ''],
          users.map((user) => [
            user.email,
            user.name,
            user.role,
            user.teams.map((team) => `${team.name}:${team.role}`).join(' '),
            time(user.created_at),
            stateOf(user),
          ]),
          'No users yet. Add one: svc user create ada@example.com',
        ),
      ],
    };
  },
});

function stateOf({ active, mail_expires_at, must_change_password }: User) {
  if (!active) return warn('inactive');
  if (mail_expires_at !== null) return warn('invited by mail');
  return must_change_password ? warn('must change password') : '';
}
