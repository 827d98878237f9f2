import type { UserCaller } from '../access/caller.ts';
import { canRead, isMember } from '../access/decide.ts';
import type { Reader } from '../database/database.ts';
import { findAssetsById } from '../registry/find.ts';
import type { NotificationRow } from './store.ts';

/**
 * Of what somebody was told, what they may still know: nothing of an asset that they may not read by now, and the words of a request only
 * while they are admin, of the asset's team, or the one that it is about.
 */
export async function readable(
  db: Reader,
  caller: UserCaller,
  rows: readonly NotificationRow[],
): Promise<NotificationRow[]> {
  const ids = [...new Set(rows.map((row) => row.asset_id))];
  const assets = new Map((await findAssetsById(db, ids)).map((asset) => [asset.id, asset]));
  return rows.flatMap((row) => {
    const asset = assets.get(row.asset_id);
    if (asset === undefined || !canRead(caller, asset)) return [];
    const own = row.kind !== 'submitted' && row.kind !== 'withdrawn';
    const inside = own || caller.role === 'admin' || isMember(caller, asset.team.id) || asset.owner_id === caller.id;
    return [inside ? row : { ...row, words: '' }];
  });
}
