import { Problem } from '@gantry/contract/problems.ts';
import type { ServicePrincipalWithKey } from '@gantry/contract/people/service-principals.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { signedInUser } from '../principals/signed-in.ts';
import { issueKey } from './issue-key.ts';
import { prefixOf } from '../../ground/config/key-form.ts';
import type { ServicePrincipalParts } from './parts.ts';
import { loadPrincipalRow, readBack } from './show.ts';
import * as store from './store.ts';

/** Creates a new key. Tokens from an old key end with that key. */
export async function rotateKey(
  parts: ServicePrincipalParts,
  caller: Caller,
  id: string,
  grace_seconds: number,
): Promise<ServicePrincipalWithKey> {
  const { db } = parts;
  const { row, team } = await loadPrincipalRow(db, id);
  const grant = authorize(caller, 'principal.change', team);
  const user = signedInUser(caller);
  const key = await change(db, grant, 'principal.key_rotated', async (tx, note) => {
    // The second of two simultaneous rotations ends the key of the first, so there is only one newest key.
    if ((await store.lockPrincipal(tx, id)) === undefined) throw new Problem('not_found');
    const ended = await store.endKeys(tx, id, grace_seconds);
    const key = await issueKey(parts, tx, { principal_id: id, issued_to: user.id });
    note({ principal: `principal:${row.name}`, key: prefixOf(key), issued_to: user.email, ended, grace_seconds });
    return key;
  });
  return { ...(await readBack(db, id)), key };
}
