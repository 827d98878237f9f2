import type { Tx } from '../../../ground/database/database.ts';
import { enqueue, type RunActor } from '../../../ground/runs/run.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { loadVersion } from '../../../assets/registry/versions/load-version.ts';
import { refreshMutex, type RefreshInput } from './refresh-input.ts';

export type NewRefresh = Pick<RefreshInput, 'origin' | 'started'> & { actor: RunActor; behind?: boolean };

/** With the newest config. Throws `MutexHeld` while another refresh is open, unless it goes behind that one. */
export async function enqueueRefresh(
  tx: Tx,
  asset: AssetRecord,
  { actor, behind = false, origin, started }: NewRefresh,
): Promise<{ id: string }> {
  const { row } = await loadVersion(tx, asset, 'latest');
  const input: RefreshInput = {
    asset_id: asset.id,
    ref: asset.ref,
    version: row.version,
    config: row.digest,
    origin,
    started,
  };
  return await enqueue(tx, {
    kind: 'refresh',
    mutex: refreshMutex(asset.id),
    input,
    actor,
    team_id: asset.team.id,
    behind,
  });
}
