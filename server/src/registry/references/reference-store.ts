// Who refers to an asset, and what keeps it there.
import type { GovernedTx } from '../../access/change.ts';
import type { Reader } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { byNumber } from '../store.ts';

/** Against everybody who would come to refer to it: they hold its row for as long as they take. False when it is gone. */
export const lockAssetAlone = async (tx: GovernedTx, asset_id: string): Promise<boolean> =>
  (await tx.one(sql`select 1 from asset where id = ${asset_id} for update`)) !== undefined;

/** None of them can be removed until the transaction ends. */
export async function holdAssets(tx: Reader, ids: readonly string[]): Promise<void> {
  // In one order, whoever holds which.
  await tx.all(sql`select 1 from asset where id = any(${ids}) order by id for key share`);
}

/** Assets that serve with, or whose present config has, a reference that was pinned to this one; by id. */
export async function referrers(db: Reader, asset_id: string): Promise<string[]> {
  const pin = JSON.stringify([{ asset_id }]);
  const rows = await db.all<{ id: string }>(sql`
    select a.id from asset a join version v on v.id = a.serving_version_id join content c on c.digest = v.digest where c.pins @> ${pin}::jsonb
    union
    select now.asset_id from (
      select distinct on (v.asset_id) v.asset_id, v.digest from version v join asset a on a.id = v.asset_id
      where a.kind in ('memory-config', 'rag-index') order by v.asset_id, ${byNumber} desc
    ) now join content c on c.digest = now.digest where c.pins @> ${pin}::jsonb`);
  return rows.map(({ id }) => id);
}
