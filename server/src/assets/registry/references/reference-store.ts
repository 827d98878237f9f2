// The users of an asset, and the locks that keep the asset.
import type { GovernedTx } from '../../../governance/access/change.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { byNumber } from '../store.ts';

/** Locks the asset against new references, which hold its row until their transaction ends. False when it is gone. */
export const lockAssetAlone = async (tx: GovernedTx, asset_id: string): Promise<boolean> =>
  (await tx.one(sql`select 1 from asset where id = ${asset_id} for update`)) !== undefined;

/** Until the transaction ends, none of them can be removed. */
export async function holdAssets(tx: Reader, ids: readonly string[]): Promise<void> {
  // One order for all callers, so that two never wait for each other.
  await tx.all(sql`select 1 from asset where id = any(${ids}) order by id for key share`);
}

/** Ids of assets with a reference pinned to this one, in a running version or the present config. */
export async function referrers(db: Reader, asset_id: string): Promise<string[]> {
  const pin = JSON.stringify([{ asset_id }]);
  const rows = await db.all<{ id: string }>(sql`
    select d.agent_id as id from running_content d join content c on c.digest = d.digest where c.pins @> ${pin}::jsonb
    union
    select now.asset_id from (
      select distinct on (v.asset_id) v.asset_id, v.digest from version v join asset a on a.id = v.asset_id
      where a.kind in ('memory-config', 'rag-index', 'orchestration') order by v.asset_id, ${byNumber} desc
    ) now join content c on c.digest = now.digest where c.pins @> ${pin}::jsonb`);
  return rows.map(({ id }) => id);
}
