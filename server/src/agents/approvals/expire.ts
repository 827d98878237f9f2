// The service closes requests that are pending longer than the organisation allows. The first replica closes each of them, once. The
// deciding statements read the clock too, so an overdue request cannot be approved, even before it is closed.
import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Database } from '../../ground/database/database.ts';
import { findAssetById } from '../../assets/registry/find.ts';
import { startLoop, type Loop } from '../../ground/queue/loop.ts';
import * as store from './store.ts';

const look_every_ms = 30_000;

export async function expireOverdue(db: Database, only: { id?: string; asset_id?: string } = {}): Promise<void> {
  for (const row of await store.overdueRequests(db, only)) {
    const asset = await findAssetById(db, row.asset_id, null);
    // The removal of an asset closes its pending requests.
    if (asset === undefined) continue;
    const grant = authorize(systemCaller('system.expire'), 'system.expire', asset);
    await change(db, grant, 'approval.expired', async (tx, note) => {
      if (!(await store.expire(tx, row.id))) return;
      const { version, digest, target, submitter, submitted_at, expires_at } = row;
      note({
        approval_id: row.id,
        version,
        digest,
        target,
        submitted_by: submitter,
        submitted_at,
        expired_at: expires_at,
      });
    });
  }
}

/** Closes overdue requests at intervals. */
export function startExpiry(
  db: Database,
  { onError, every_ms = look_every_ms }: { onError: (error: unknown) => void; every_ms?: number },
): Pick<Loop, 'stop'> {
  return startLoop(async () => await expireOverdue(db), { pause_ms: every_ms, failed_pause_ms: every_ms, onError });
}
