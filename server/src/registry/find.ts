// What later features ask of the registry. Records come with their ACL rows, so that authorize() can decide on them as they are.
import { printRef } from '@gantry/contract/refs.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { entriesOf } from '../access/acl.ts';
import type { Reader } from '../database/database.ts';
import { toAssetRecord, type AssetRecord } from './asset.ts';
import * as store from './store.ts';
import type { VersionRow } from './store.ts';

export type { AssetRecord } from './asset.ts';
export type { VersionRow } from './store.ts';

export async function findAsset(db: Reader, kind: AssetKind, name: string): Promise<AssetRecord | undefined> {
  const row = await store.asset(db, kind, name);
  return row && (await withEntries(db, [row]))[0];
}

export async function findAgent(db: Reader, name: string): Promise<AssetRecord | undefined> {
  return await findAsset(db, 'agent', name);
}

/** Those that are still there, in no order. */
export async function findAssetsById(db: Reader, ids: readonly string[]): Promise<AssetRecord[]> {
  return await withEntries(db, await store.assetsById(db, ids));
}

export async function findAssetById(db: Reader, id: string): Promise<AssetRecord | undefined> {
  return (await findAssetsById(db, [id]))[0];
}

/** References of what a user owns. */
export async function ownedRefs(db: Reader, user_id: string): Promise<string[]> {
  return (await store.assetsOwnedBy(db, user_id)).map(printRef);
}

/** `latest` is the highest version, draft or final. */
export async function findVersion(db: Reader, asset_id: string, version: string): Promise<VersionRow | undefined> {
  return await store.version(db, asset_id, version);
}

export async function findVersionById(db: Reader, id: string): Promise<VersionRow | undefined> {
  return await store.versionById(db, id);
}

/** The highest first. */
export async function listVersions(db: Reader, asset_id: string): Promise<VersionRow[]> {
  return await store.versions(db, asset_id);
}

/** Everybody who ever pushed under these versions, as e-mails by version id. */
export const authorsOf = store.authors;

async function withEntries(db: Reader, rows: readonly store.AssetRow[]): Promise<AssetRecord[]> {
  const entries = await entriesOf(
    db,
    rows.map((row) => row.id),
  );
  return rows.map((row) => toAssetRecord(row, entries.get(row.id) ?? []));
}
