// The rules for the deciders and viewers of a team. Beside each rule is the SQL condition for its candidates.
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { decide, effectiveRole, type Roles } from '../../governance/access/decide.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';

export interface Person extends Roles {
  id: string;
  email: string;
  active: boolean;
}

/** Active admins of the platform, and of the given team. decide() has the same rule for `approval.decide`. */
export function isAdminOf(person: Omit<Person, 'email'>, team_id: string | undefined): boolean {
  const role = team_id === undefined ? person.role : effectiveRole(person, team_id);
  return person.active && role === 'admin';
}

/** isAdminOf() for any of these teams, or only for the platform, as a condition on `app_user u`. */
export function whereAdminOf(team_ids: readonly string[]): Sql {
  return sql`(u.active and (u.role = 'admin' or exists (
    select from membership m where m.user_id = u.id and m.team_id = any(${team_ids}) and m.role = 'admin')))`;
}

/** The lists of members and platform admins have a team, its groups and its service principals. */
export function isListedOfTeam(
  caller: SignedInCaller,
  operation: 'team.read' | 'group.read' | 'principal.read',
  team: { id: string; name: string },
): boolean {
  return decide(caller, operation, { kind: 'team', ...team }).allowed;
}

/** isListedOfTeam() as a condition on the team's id. */
export function whereListedOfTeam(caller: SignedInCaller, team_id: Sql): Sql {
  if (caller.role === 'admin') return sql`true`;
  return sql`${team_id} = any(${caller.memberships.map((membership) => membership.team_id)})`;
}
