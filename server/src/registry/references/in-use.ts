// The users of an asset: serving revisions, and present configs, with a reference pinned to it.
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetRef } from '@gantry/contract/refs.ts';
import type { AssetUsers } from '@gantry/contract/registry.ts';
import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import { canRead, decide } from '../../access/decide.ts';
import type { Reader } from '../../database/database.ts';
import { findAssetsById, type AssetRecord } from '../find.ts';
import { loadAsset } from '../load-asset.ts';
import * as references from './reference-store.ts';

/** Throws `in_use` with the names of those that the caller may read. */
export async function refuseWhileInUse(db: Reader, caller: Caller, asset: AssetRecord): Promise<void> {
  const { assets, hidden } = await usersOf(db, caller, asset);
  if (assets.length + hidden === 0) return;
  const others = hidden === 0 ? [] : [`${hidden} that you may not read`];
  throw new Problem('in_use', {
    detail: `${asset.ref} is used by ${[...assets, ...others].join(', ')}.`,
    fields: { used_by: assets },
  });
}

export async function usedBy(db: Reader, caller: Caller, ref: AssetRef): Promise<AssetUsers> {
  const asset = await loadAsset(db, ref, caller);
  authorize(caller, 'asset.read', asset);
  const found = await usersOf(db, caller, asset);
  // The number of hidden ones is for those whose removal it stops.
  return decide(caller, 'asset.delete', asset).allowed ? found : { ...found, hidden: 0 };
}

async function usersOf(db: Reader, caller: Caller, asset: AssetRecord): Promise<AssetUsers> {
  const users = await findAssetsById(db, await references.referrers(db, asset.id), caller);
  const assets = users
    .filter((user) => canRead(caller, user))
    .map(({ ref }) => ref)
    .toSorted();
  return { assets, hidden: users.length - assets.length };
}

/** Until the transaction ends, nothing new can refer to the asset. Undefined when it is gone. */
export const holdAlone = references.lockAssetAlone;
