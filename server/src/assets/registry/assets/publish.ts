import type { AssetRef } from '@gantry/contract/refs.ts';
import type { AssetState } from '@gantry/contract/assets/registry.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { findAssetById } from '../find.ts';
import { loadAsset } from '../load-asset.ts';
import { assetStateRecord } from './records.ts';
import * as store from '../store.ts';

/** Shows the asset in the lists and searches of other teams, or hides it. The ACL still decides who may read it. */
export async function publish(db: Database, caller: Caller, ref: AssetRef, published: boolean): Promise<AssetState> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, ref, caller);
  const grant = authorize(user, 'asset.publish', asset);
  await change(db, grant, published ? 'asset.published' : 'asset.unpublished', async (tx, note) => {
    // No row means no change, and nothing is recorded.
    if (!(await store.setPublished(tx, asset.id, published))) return;
    note({ visibility: asset.visibility, before: { published: !published }, after: { published } });
  });
  return assetStateRecord((await findAssetById(db, asset.id, caller)) ?? asset);
}
