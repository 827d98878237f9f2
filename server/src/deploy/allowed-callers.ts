// access.allowed_callers of the serving version. It narrows the callers among the users of the agent, and adds none.
import { LRUCache } from 'lru-cache';
import { parsePrincipal } from '@gantry/contract/refs.ts';
import type { SignedInCaller } from '../access/caller.ts';
import { effectiveRole } from '../access/decide.ts';
import type { AssetSubject } from '../access/subject.ts';
import type { Reader } from '../database/database.ts';
import { loadAgentConfig } from '../registry/versions/load-version-content.ts';

const max_versions = 10_000;
// A serving version has final content.
const read = new LRUCache<string, { teams: string[] | undefined }>({ max: max_versions });

/** The team names of a serving version. Undefined when its file names none. */
export async function allowedTeams(db: Reader, version_id: string): Promise<string[] | undefined> {
  const known = read.get(version_id);
  if (known !== undefined) return known.teams;
  const config = await loadAgentConfig(db, version_id);
  const teams = config.access?.allowed_callers?.flatMap((caller) => parsePrincipal(caller)?.name ?? []);
  read.set(version_id, { teams });
  return teams;
}

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

export function notAllowed({ ref }: AssetSubject, allowed_teams: string[] = []): string {
  const teams = allowed_teams.map((team) => `team:${team}`).join(', ');
  return `${ref} accepts calls ${teams === '' ? 'from nobody' : `only from ${teams}`} (access.allowed_callers).`;
}
