import type { Identity, Origin, ServicePrincipalIdentity, SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { loadUsers } from '../principals/load-caller.ts';
import * as store from './store.ts';

export { principalIds } from './store.ts';

/** The user or service principal of this id. Work that continues after its request loads its caller again. */
export async function loadIdentity(db: Reader, id: string, origin: Origin): Promise<SignedInCaller | undefined> {
  const [identity] = await loadIdentities(db, [id]);
  return identity && { ...identity, active_team: identity.primary_team, presence: null, origin };
}

/** The current state, in the order of the ids; undefined for a removed or disabled one. */
export async function loadIdentities(db: Reader, ids: readonly string[]): Promise<(Identity | undefined)[]> {
  const [users, principals] = await Promise.all([loadUsers(db, ids), store.callers(db, ids)]);
  const found = new Map<string, Identity>([...users, ...principals.map(asIdentity)].map((one) => [one.id, one]));
  return ids.map((id) => found.get(id));
}

type Row = Awaited<ReturnType<typeof store.callers>>[number];

function asIdentity({ id, name, role, team_id, team, allowed_assets, reading }: Row): ServicePrincipalIdentity {
  return {
    kind: 'principal',
    id,
    label: `principal:${name}`,
    name,
    // Its role is only in its team. It has no rights on the platform.
    role: 'viewer',
    memberships: [{ team_id, team, role }],
    groups: [],
    reading,
    primary_team: { id: team_id, name: team },
    allowed_assets,
  };
}
