// Who decides for a team, and who is shown a team and what belongs to it. Beside each rule stands the condition that narrows to its candidates.
import type { SignedInCaller } from '../access/caller.ts';
import { decide, effectiveRole, type Roles } from '../access/decide.ts';
import { sql, type Sql } from '../database/sql.ts';

export interface Person extends Roles {
  id: string;
  email: string;
  active: boolean;
}

/** Active admins of the platform, and of the team where one is named. decide() says so of `approval.decide`, too. */
export function isAdminOf(person: Omit<Person, 'email'>, team_id: string | undefined): boolean {
  const role = team_id === undefined ? person.role : effectiveRole(person, team_id);
  return person.active && role === 'admin';
}

/** isAdminOf() any of these teams, or the platform alone, as a condition on `app_user u`. */
export function whereAdminOf(team_ids: readonly string[]): Sql {
  return sql`(u.active and (u.role = 'admin' or exists (
    select from membership m where m.user_id = u.id and m.team_id = any(${team_ids}) and m.role = 'admin')))`;
}

/** Its members and platform admins see a team in lists, with its groups and service principals. */
export function isListedOfTeam(
  caller: SignedInCaller,
  operation: 'team.read' | 'group.read' | 'principal.read',
  team: { id: string; name: string },
): boolean {
  return decide(caller, operation, { kind: 'team', ...team }).allowed;
}

/** isListedOfTeam() as a condition on the id of the team. */
export function whereListedOfTeam(caller: SignedInCaller, team_id: Sql): Sql {
  if (caller.role === 'admin') return sql`true`;
  return sql`${team_id} = any(${caller.memberships.map((membership) => membership.team_id)})`;
}
