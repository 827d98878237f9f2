// The registry's answers for the folders above. A record has the ACL rows about one caller, so authorize() needs no further load. The
// caller is null for a record without a decision.
import { printRef } from '@gantry/contract/refs.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { canRead, type CallingAsset } from '../../governance/access/decide.ts';
import type { Reader } from '../../ground/database/database.ts';
import { toAssetRecord, type AssetRecord } from './asset.ts';
import * as store from './store.ts';
import type { VersionRow } from './store.ts';

export { toAssetRecord, type AssetRecord } from './asset.ts';
export { selectAssets, serversForCallers, type AssetFor, type AssetRowWithEntries, type VersionRow } from './store.ts';

export async function findAsset(
  db: Reader,
  kind: AssetKind,
  name: string,
  caller: Caller | null,
): Promise<AssetRecord | undefined> {
  return (await findAssets(db, [{ kind, name, caller_id: callerId(caller) }]))[0];
}

/** In the order of the request. */
export async function findAssets(db: Reader, asked: readonly store.AssetFor[]): Promise<(AssetRecord | undefined)[]> {
  const rows = new Map((await store.assets(db, asked)).map(({ n, ...row }) => [n, toAssetRecord(row)]));
  return asked.map((_, index) => rows.get(index + 1));
}

export async function findAgent(db: Reader, name: string, caller: Caller | null): Promise<AssetRecord | undefined> {
  return await findAsset(db, 'agent', name, caller);
}

/** The existing ones, in no order. */
export async function findAssetsById(
  db: Reader,
  ids: readonly string[],
  caller: Caller | null,
): Promise<AssetRecord[]> {
  if (ids.length === 0) return [];
  return (await store.assetsById(db, ids, callerId(caller))).map(toAssetRecord);
}

/** With the entries about an asset that calls them. */
export async function findAssetsCalledBy(
  db: Reader,
  ids: readonly string[],
  { id }: Pick<CallingAsset, 'id'>,
): Promise<AssetRecord[]> {
  return (await store.assetsById(db, ids, id)).map(toAssetRecord);
}

export async function findAssetById(db: Reader, id: string, caller: Caller | null): Promise<AssetRecord | undefined> {
  return (await findAssetsById(db, [id], caller))[0];
}

function callerId(caller: Caller | null): string | null {
  return caller?.kind === 'user' || caller?.kind === 'principal' ? caller.id : null;
}

/** Those that the caller may read, in no order. */
export async function findReadable(db: Reader, caller: SignedInCaller, ids: readonly string[]): Promise<AssetRecord[]> {
  return (await findAssetsById(db, ids, caller)).filter((asset) => canRead(caller, asset));
}

/** The assets of a user, with the time of creation. */
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

/** All versions of an asset, the highest first. */
export const versionsOf = store.versions;

/** Ids of the highest version of each asset. */
export async function latestVersionIds(db: Reader, asset_ids: readonly string[]): Promise<Set<string>> {
  return new Set((await store.latestVersions(db, asset_ids)).map(({ id }) => id));
}

/** Ids of all users who ever pushed under these versions, by version id. */
export const authorsOf = store.authors;
