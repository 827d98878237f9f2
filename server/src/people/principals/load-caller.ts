import { Problem } from '@gantry/contract/problems.ts';
import { namePattern } from '@gantry/contract/refs.ts';
import type { Origin, SignedInCaller, UserCaller, UserIdentity } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import * as store from './store.ts';
import * as teamStore from './team-store.ts';

/** The user's current role, teams and groups; undefined for a removed or disabled user. */
export async function loadCaller(db: Reader, user_id: string, origin: Origin): Promise<UserCaller | undefined> {
  const [user] = await loadUsers(db, [user_id]);
  return user && { ...user, active_team: user.primary_team, presence: null, origin };
}

/** The active ones of these users, unsorted. */
export async function loadUsers(db: Reader, ids: readonly string[]): Promise<UserIdentity[]> {
  const rows = await store.usersWithTeams(db, ids);
  return rows
    .filter(({ active }) => active)
    .map(({ id, email, name, role, memberships, groups, reading, must_change_password, primary_team_id }) => {
      const primary = memberships.find(({ team_id }) => team_id === primary_team_id);
      const primary_team = primary === undefined ? null : { id: primary.team_id, name: primary.team };
      return {
        kind: 'user',
        id,
        email,
        label: email,
        name,
        role,
        memberships,
        groups,
        reading,
        primary_team,
        must_change_password,
      };
    });
}

/**
 * The team in X-Service-Team. It selects one of the caller's teams and never grants rights. Platform admins may select any team, and holders of
 * a reading grant the team that they read.
 */
export async function findTeamToActFor(
  db: Reader,
  caller: Pick<SignedInCaller, 'memberships' | 'role' | 'reading'>,
  name: string,
): Promise<{ id: string; name: string }> {
  if (!namePattern.test(name))
    throw new Problem('malformed', { detail: 'X-Service-Team must be the name of one team.' });
  const own = caller.memberships.find((membership) => membership.team === name);
  if (own !== undefined) return { id: own.team_id, name: own.team };
  const other = caller.role === 'admin' || caller.reading.length > 0 ? await teamStore.teamByName(db, name) : undefined;
  const isReader = caller.reading.some(({ team_id }) => team_id === null || team_id === other?.id);
  // A missing team gets the same answer as one without the caller.
  if (other === undefined || (caller.role !== 'admin' && !isReader))
    throw new Problem('not_in_team', { detail: `You are not in team:${name}.` });
  return { id: other.id, name: other.name };
}
