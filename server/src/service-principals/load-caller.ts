import type { Origin, PrincipalCaller, SignedInCaller } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { loadCaller } from '../principals/load-caller.ts';
import * as store from './store.ts';

/** The service principal as it stands right now; undefined for one that is gone, and where what is to be `provided` does not hold. */
export async function loadPrincipal(
  db: Reader,
  id: string,
  origin: Origin,
  { session_id = '', provided }: { session_id?: string; provided?: Sql } = {},
): Promise<PrincipalCaller | undefined> {
  const row = await store.standing(db, id, provided);
  if (row === undefined) return undefined;
  const { name, role, team_id, team, allowed_assets } = row;
  return {
    kind: 'principal',
    id: row.id,
    label: `principal:${name}`,
    name,
    // Its role is one in its team; beyond it, it is nobody.
    role: 'viewer',
    memberships: [{ team_id, team, role }],
    groups: [],
    primary_team: { id: team_id, name: team },
    active_team: { id: team_id, name: team },
    allowed_assets,
    session_id,
    origin,
  };
}

/** Whoever has this id, user or service principal: work that goes on after its request asks anew who asked for it. */
export async function loadIdentity(db: Reader, id: string, origin: Origin): Promise<SignedInCaller | undefined> {
  return (await loadCaller(db, id, origin)) ?? (await loadPrincipal(db, id, origin));
}
