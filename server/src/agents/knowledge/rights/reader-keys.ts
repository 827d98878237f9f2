// A document with readers is found by those alone. Readers are stored by their ids, so that a new team with an old name reads nothing.
import { parsePrincipal } from '@gantry/contract/refs.ts';
import type { EndCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findGrantee } from '../../permissions/find-principal.ts';

/** As rows have it: `team:<id>`. */
export type ReaderKey = string;

/** What the caller is. An agent that nobody calls is nobody. */
export function keysOfCaller(caller: EndCaller | undefined): ReaderKey[] {
  if (caller === undefined || caller.kind === 'agent') return [];
  return [
    `${caller.kind}:${caller.id}`,
    ...caller.memberships.map(({ team_id }) => `team:${team_id}`),
    ...caller.groups.map((id) => `group:${id}`),
  ];
}

/** The keys of these names, and the names that mean nobody. */
export async function keysOfNames(
  db: Reader,
  names: readonly string[],
): Promise<{ keys: Map<string, ReaderKey>; unknown: string[] }> {
  const keys = new Map<string, ReaderKey>();
  const unknown: string[] = [];
  for (const name of new Set(names)) {
    const principal = parsePrincipal(name);
    const id = principal && (await findGrantee(db, principal.kind, principal.name));
    if (principal === undefined || id === undefined) unknown.push(name);
    else keys.set(name, `${principal.kind}:${id}`);
  }
  return { keys, unknown };
}
