// Service principals: identities of machines. Each has a team, a role in it, globs for its allowed assets, and keys. Promises: a key is shown
// once, to a person. A change acts on the next request. A deleted service principal leaves no right behind.
import { Problem } from '@gantry/contract/problems.ts';
import type { Role } from '@gantry/contract/roles.ts';
import type { ServicePrincipalWithKey } from '@gantry/contract/people/service-principals.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { errorCode, unique_violation } from '../../ground/database/database.ts';
import { loadTeam } from '../principals/load-team.ts';
import { signedInUser } from '../principals/signed-in.ts';
import { issueKey } from './issue-key.ts';
import { prefixOf } from '../../ground/config/key-form.ts';
import type { ServicePrincipalParts } from './parts.ts';
import { refuseIdle } from './refuse-idle.ts';
import { readBack } from './show.ts';
import * as store from './store.ts';

export interface NewServicePrincipal {
  name: string;
  team: string;
  role: Role;
  allowed_assets: string[];
  description: string;
}

export async function createPrincipal(
  parts: ServicePrincipalParts,
  caller: Caller,
  { team: team_name, ...made }: NewServicePrincipal,
): Promise<ServicePrincipalWithKey> {
  const { db } = parts;
  const team = await loadTeam(db, team_name);
  const grant = authorize(caller, 'principal.change', team);
  const user = signedInUser(caller);
  refuseIdle(made.allowed_assets);
  const { id, key } = await change(db, grant, 'principal.created', async (tx, note) => {
    const id = await store.insertPrincipal(tx, { ...made, team_id: team.id, created_by: user.id });
    if (id === undefined) throw new Problem('not_found');
    const key = await issueKey(parts, tx, { principal_id: id, issued_to: user.id });
    const { name, role, allowed_assets } = made;
    const gateway_key = await parts.issueGatewayKey(tx, { id, name, team_id: team.id, issued_by: user.id });
    note({
      principal: `principal:${name}`,
      role,
      allowed_assets,
      key: prefixOf(key),
      issued_to: user.email,
      gateway_key,
    });
    return { id, key };
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation)
      throw new Problem('exists', { detail: `The service principal ${made.name} already exists.` });
    throw error;
  });
  return { ...(await readBack(db, id)), key };
}
