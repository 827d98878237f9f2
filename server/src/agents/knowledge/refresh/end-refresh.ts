// The end of a refresh that did not succeed. One that no person has started becomes an entry of the audit log, which notifications, mail and webhooks follow.
import { authorize } from '../../../governance/access/authorize.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database, Tx } from '../../../ground/database/database.ts';
import type { Ending, RunIdentity } from '../../../ground/runs/run.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import * as refreshes from '../refresh-store.ts';
import * as snapshots from '../snapshot-store.ts';
import type { RefreshInput } from './refresh-input.ts';

/** In one transaction with the end of the run, so it is told once. */
export async function endRefresh(
  db: Database,
  { id, input, actor }: RunIdentity<RefreshInput>,
  { state, problem }: Ending,
  finish: (tx: Tx) => Promise<void>,
): Promise<void> {
  const end = async (tx: Tx) => {
    await finish(tx);
    await snapshots.discard(tx, id);
  };
  const isTold = input.started !== undefined && state !== 'cancelled';
  const asset = isTold ? await findAssetById(db, input.asset_id, null) : undefined;
  if (asset === undefined) return await db.transaction(end);
  const grant = authorize(systemCaller('system.refresh'), 'system.refresh', asset);
  await change(db, grant, 'knowledge.refresh_failed', async (tx, note) => {
    const before = await refreshes.endBefore(tx, asset.id, id);
    await end(tx);
    const because = problem.detail ?? problem.title;
    note({
      asset_id: asset.id,
      refresh_id: id,
      by: input.started,
      as: actor.name,
      code: problem.code,
      because,
      // Nobody is notified of each failure of a source that is away for days.
      again: before !== undefined && before.state !== 'done',
    });
  });
}
