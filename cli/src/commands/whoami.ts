import { defineCommand } from '../command.ts';
import { fields, warn } from '../view/view.ts';

export const command = defineCommand({
  words: 'whoami',
  summary: 'Who you are, your roles and your teams',
  needs: 'session.read',
  examples: ['svc whoami', 'svc whoami --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const user = await session.call('auth.me', {});
    const from = (await session.token())?.from;
    return {
      data: user,
      view: [
        fields({
          ...(user.kind === 'user' ? { 'E-mail': user.email } : { 'Service principal': user.name }),
          ...(user.kind === 'user' ? { Name: user.name, Role: user.role } : {}),
          'Allowed assets': user.allowed_assets === null ? undefined : user.allowed_assets.join(', ') || 'none',
          Teams: user.teams.length === 0 ? '-' : user.teams.map((team) => `${team.name} (${team.role})`).join(', '),
          'Primary team': user.primary_team,
          'Active team': user.active_team,
          Server: session.server,
          'Token from': from,
          Password: user.must_change_password ? warn('must be changed: svc login') : undefined,
        }),
      ],
    };
  },
});
