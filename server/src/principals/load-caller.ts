import { Problem } from '@gantry/contract/problems.ts';
import { namePattern } from '@gantry/contract/refs.ts';
import type { Origin, SignedInCaller, UserCaller } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import * as store from './store.ts';
import * as teamStore from './team-store.ts';

/**
 * The caller as they stand right now: role, teams and all; undefined for someone who was removed or disabled, and where what is to be
 * `provided` does not hold at the same moment.
 */
export async function loadCaller(
  db: Reader,
  user_id: string,
  origin: Origin,
  { session_id = '', provided }: { session_id?: string; provided?: Sql } = {},
): Promise<UserCaller | undefined> {
  const user = await store.userWithTeams(db, user_id, provided);
  if (user === undefined || !user.active) return undefined;
  const { memberships } = user;
  const primary = memberships.find((membership) => membership.team_id === user.primary_team_id);
  const primary_team = primary === undefined ? null : { id: primary.team_id, name: primary.team };
  return {
    kind: 'user',
    id: user.id,
    email: user.email,
    label: user.email,
    name: user.name,
    role: user.role,
    memberships,
    groups: user.groups,
    primary_team,
    active_team: primary_team,
    session_id,
    must_change_password: user.must_change_password,
    origin,
  };
}

/** The team that X-Service-Team names: it selects among the caller's teams and never grants. Platform admins may select any. */
export async function findTeamToActFor(
  db: Reader,
  caller: SignedInCaller,
  name: string,
): Promise<{ id: string; name: string }> {
  if (!namePattern.test(name))
    throw new Problem('malformed', { detail: 'X-Service-Team must be the name of one team.' });
  const own = caller.memberships.find((membership) => membership.team === name);
  if (own !== undefined) return { id: own.team_id, name: own.team };
  const other = caller.role === 'admin' ? await teamStore.teamByName(db, name) : undefined;
  // A team that is not there and one that the caller is not in get the same answer.
  if (other === undefined) throw new Problem('not_in_team', { detail: `You are not in team:${name}.` });
  return { id: other.id, name: other.name };
}
