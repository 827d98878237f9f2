import type { User } from './people.ts';
import { fields, time, warn, type Line, type View } from '../view/view.ts';

export function describeUser(user: User): View {
  return [
    fields({
      'E-mail': user.email,
      Name: user.name,
      Role: user.role,
      Teams: user.teams.map((team) => `${team.name} (${team.role})`).join(', ') || '-',
      State: stateOf(user),
      Created: time(user.created_at),
    }),
  ];
}

function stateOf({ active, mail_expires_at, must_change_password }: User): Line {
  if (!active) return warn('disabled');
  if (mail_expires_at !== null) return [warn('invited by mail'), ', token valid until ', time(mail_expires_at)];
  return must_change_password ? warn('must change password') : 'active';
}
