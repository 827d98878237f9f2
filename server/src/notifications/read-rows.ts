import type { UserCaller } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import { findReadable } from '../registry/find.ts';
import { readablePart } from './policy.ts';
import type { NotificationRow } from './store.ts';

/** The readable parts of these rows for the caller, by id. */
export async function readRows(
  db: Reader,
  caller: UserCaller,
  rows: readonly NotificationRow[],
): Promise<Map<string, NotificationRow>> {
  const readable = await findReadable(db, caller, [...new Set(rows.map(({ asset_id }) => asset_id))]);
  const assets = new Map(readable.map((asset) => [asset.id, asset]));
  return new Map(
    rows.flatMap((row) => {
      const shown = readablePart(caller, row, assets.get(row.asset_id));
      return shown === undefined ? [] : [[row.id, shown] as const];
    }),
  );
}
