import { authorize } from '../../../governance/access/authorize.ts';
import { noRequest, systemCaller, type Origin } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import { holdAsset } from '../../../assets/registry/load-asset.ts';
import { enqueueRefresh } from './enqueue-refresh.ts';
import type { RefreshInput } from './refresh-input.ts';

interface Starting {
  started: NonNullable<RefreshInput['started']>;
  /** Asked while the asset is held: another service may have been first. */
  isNeeded: (db: Reader) => Promise<boolean>;
  /** Of the call of a hook. */
  origin?: Origin;
  behind?: boolean;
  /** In the entry of the log. */
  noted?: Record<string, unknown>;
}

/** A refresh that no person starts. It has the rights of the owner, which its run decides when it begins. Nothing happens for an asset that is gone. */
export async function startAsOwner(
  db: Database,
  asset_id: string,
  { started, isNeeded, origin = noRequest(), behind = false, noted = {} }: Starting,
): Promise<void> {
  const asset = await findAssetById(db, asset_id, null);
  if (asset === undefined) return;
  const grant = authorize({ ...systemCaller('system.refresh'), origin }, 'system.refresh', asset);
  await change(db, grant, 'knowledge.refresh_started', async (tx, note) => {
    const held = await holdAsset(tx, asset_id, null);
    if (!(await isNeeded(tx))) return;
    const actor = { user_id: held.owner_id, name: held.owner };
    const { request_id, ip } = origin;
    const run = await enqueueRefresh(tx, held, { actor, origin: { request_id, ip }, started, behind });
    note({ refresh_id: run.id, by: started, ...noted, as: held.owner });
  });
}
