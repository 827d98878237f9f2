import { Problem } from '@gantry/contract/problems.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import type { AssetRecord } from './asset.ts';
import { findAsset, findAssetById } from './find.ts';
import * as store from './store.ts';

/** Throws `not_found`, also for an asset that the caller may not read. */
export async function loadAsset(
  db: Reader,
  { kind, name }: { kind: AssetKind; name: string },
  caller: Caller,
): Promise<AssetRecord> {
  return (await findAsset(db, kind, name, caller)) ?? gone();
}

/**
 * The present state, which may differ from the state of the decision. It and its ACL are locked until the transaction ends. Throws
 * `not_found` when it is gone.
 */
export async function holdAsset(tx: GovernedTx, id: string, caller: Caller | null): Promise<AssetRecord> {
  const held = await store.lockAsset(tx, id);
  return (held && (await findAssetById(tx, id, caller))) ?? gone();
}

function gone(): never {
  throw new Problem('not_found');
}
