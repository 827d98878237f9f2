import type { UserCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findReadable, type AssetRecord } from '../../assets/registry/find.ts';
import { readablePart } from './policy.ts';
import type { NotificationRow } from './store.ts';

/** The readable parts of these rows for the caller, by id. */
export async function readRows(
  db: Reader,
  caller: UserCaller,
  rows: readonly NotificationRow[],
): Promise<Map<string, NotificationRow>> {
  const assets = await readableAssets(db, caller, rows);
  return new Map(
    rows.flatMap((row) => {
      const shown = readablePart(caller, row, assets.get(row.asset_id ?? ''));
      return shown === undefined ? [] : [[row.id, shown] as const];
    }),
  );
}

/** By id. */
export async function readableAssets(
  db: Reader,
  caller: UserCaller,
  rows: readonly { asset_id: string | null }[],
): Promise<Map<string, AssetRecord>> {
  const ids = new Set(rows.flatMap(({ asset_id }) => asset_id ?? []));
  return new Map((await findReadable(db, caller, [...ids])).map((asset) => [asset.id, asset]));
}
