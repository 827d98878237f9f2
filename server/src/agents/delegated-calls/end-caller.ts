import { Problem } from '@gantry/contract/problems.ts';
import type { Origin, SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetById, type AssetRecord } from '../../assets/registry/find.ts';
import type { Link } from '../../ground/run-token.ts';
import { loadIdentity } from '../../people/service-principals/load-caller.ts';

export interface EndCallerOf {
  caller_id: string;
  /** In the words of a refusal. */
  account: string;
  /** The first asset of the chain of calls. */
  first: Link;
  origin: Origin;
}

/** The end caller of a run and the asset that they have called, as they are now. Throws when one is gone. It decides nothing. */
export async function loadEndCaller(
  db: Reader,
  { caller_id, account, first, origin }: EndCallerOf,
): Promise<{ user: SignedInCaller; asset: AssetRecord }> {
  const user = await loadIdentity(db, caller_id, origin);
  if (user === undefined) throw new Problem('forbidden', { detail: `${account} is no longer active.` });
  const asset = await findAssetById(db, first.id, user);
  if (asset === undefined) throw new Problem('not_found', { detail: `${first.ref} no longer exists.` });
  return { user, asset };
}
