// What later features ask of the registry. Records come with their ACL rows, so that authorize() can decide on them as they are.
import { printRef } from '@gantry/contract/refs.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import type { SignedInCaller } from '../access/caller.ts';
import { canRead } from '../access/decide.ts';
import type { Reader } from '../database/database.ts';
import { toAssetRecord, type AssetRecord } from './asset.ts';
import * as store from './store.ts';
import type { VersionRow } from './store.ts';

export { toAssetRecord, type AssetRecord } from './asset.ts';
export { selectAsset, type AssetRowWithEntries, type VersionRow } from './store.ts';

export async function findAsset(db: Reader, kind: AssetKind, name: string): Promise<AssetRecord | undefined> {
  const row = await store.asset(db, kind, name);
  return row && toAssetRecord(row);
}

export async function findAgent(db: Reader, name: string): Promise<AssetRecord | undefined> {
  return await findAsset(db, 'agent', name);
}

/** Those that are still there, in no order. */
export async function findAssetsById(db: Reader, ids: readonly string[]): Promise<AssetRecord[]> {
  return (await store.assetsById(db, ids)).map(toAssetRecord);
}

export async function findAssetById(db: Reader, id: string): Promise<AssetRecord | undefined> {
  return (await findAssetsById(db, [id]))[0];
}

/** Of these, those that the caller may read, in no order, with the entries that cover the caller. */
export async function findReadable(db: Reader, caller: SignedInCaller, ids: readonly string[]): Promise<AssetRecord[]> {
  return (await store.assetsFor(db, caller, ids)).map(toAssetRecord).filter((asset) => canRead(caller, asset));
}

/** What a user owns, and since when there is something of that name. */
export async function ownedAssets(db: Reader, user_id: string): Promise<{ name: string; created_at: string }[]> {
  const owned = await store.assetsOwnedBy(db, user_id);
  return owned.map(({ created_at, ...ref }) => ({ name: printRef(ref), created_at }));
}

/** `latest` is the highest version, draft or final. */
export async function findVersion(db: Reader, asset_id: string, version: string): Promise<VersionRow | undefined> {
  return await store.version(db, asset_id, version);
}

export async function findVersionById(db: Reader, id: string): Promise<VersionRow | undefined> {
  return await store.versionById(db, id);
}

/** Ids of everybody who ever pushed under these versions, by version id. */
export const authorsOf = store.authors;
