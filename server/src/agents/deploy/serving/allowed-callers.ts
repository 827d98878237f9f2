// access.allowed_callers of the serving version. It narrows the callers among the users of the agent, and adds none.
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { effectiveRole } from '../../../governance/access/decide.ts';
import type { AssetSubject } from '../../../governance/access/subject.ts';

/** The owner and admins may always call. */
export function isAllowedCaller(
  user: SignedInCaller,
  agent: AssetSubject,
  allowed_teams: string[] | undefined,
): boolean {
  if (allowed_teams === undefined || agent.owner_id === user.id || effectiveRole(user, agent.team.id) === 'admin')
    return true;
  return user.memberships.some(({ team }) => allowed_teams.includes(team));
}

export function isAllowedTeam(team: string, allowed_teams: string[] | undefined): boolean {
  return allowed_teams === undefined || allowed_teams.includes(team);
}

export function notAllowed({ ref }: AssetSubject, allowed_teams: string[] = []): string {
  const teams = allowed_teams.map((team) => `team:${team}`).join(', ');
  return `${ref} accepts calls ${teams === '' ? 'from nobody' : `only from ${teams}`} (access.allowed_callers).`;
}
