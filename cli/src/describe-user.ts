import type { User } from './people.ts';
import { fields, time, warn, type View } from './view/view.ts';

export function describeUser(user: User): View {
  return [
    fields({
      'E-mail': user.email,
      Name: user.name,
      Role: user.role,
      Teams: user.teams.map((team) => `${team.name} (${team.role})`).join(', ') || '-',
      State: user.active ? (user.must_change_password ? warn('password to change') : 'active') : warn('disabled'),
      Created: time(user.created_at),
    }),
  ];
}
