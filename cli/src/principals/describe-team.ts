import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { fields, table, time, type View } from '../view/view.ts';

type Team = Answer<Endpoints['teams.show']>;

export function describeTeam(team: Team): View {
  return [
    fields({ Team: team.name, 'Your role': team.your_role, Created: time(team.created_at) }),
    table(
      ['member', 'role'],
      team.members.map(({ principal, role }) => [principal, role]),
      `No members yet. Add one: svc team add ${team.name} user:<e-mail> --role contributor`,
    ),
  ];
}
