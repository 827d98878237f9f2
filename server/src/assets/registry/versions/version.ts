// Changes of versions and assets by approvals and deploys, inside the change() of their own event.
import type { Visibility } from '@gantry/contract/roles.ts';
import { removeEntries } from '../../../governance/access/acl.ts';
import type { GovernedTx } from '../../../governance/access/change.ts';
import * as store from '../store.ts';

/**
 * Makes a version's content final. False when the version has another digest now, or is gone. The version stays locked
 * until the transaction ends, so no push can change its content before the commit.
 */
export async function finalise(
  tx: GovernedTx,
  { version_id, digest }: { version_id: string; digest: string },
): Promise<boolean> {
  return await store.finalise(tx, version_id, digest);
}

/** The version's digest, locked until the transaction ends; undefined when the version is gone. */
export const lockDigest = store.lockDigest;

/** Sets the serving version; null for none. */
export async function setServing(tx: GovernedTx, asset_id: string, version_id: string | null): Promise<void> {
  await store.setServing(tx, asset_id, version_id);
}

/** The displayed visibility; the ACL rows decide. */
export async function setVisibility(tx: GovernedTx, asset_id: string, visibility: Visibility): Promise<void> {
  await store.setVisibility(tx, asset_id, visibility);
}

/** Deletes the asset, its versions and its ACL. Content stays under its digest. */
export async function removeAsset(tx: GovernedTx, asset_id: string): Promise<void> {
  await removeEntries(tx, asset_id);
  await store.deleteAsset(tx, asset_id);
}
