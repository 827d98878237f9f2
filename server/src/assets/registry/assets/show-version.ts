import type { AssetVersionDetail } from '@gantry/contract/assets/registry.ts';
import type { AssetRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { loadAsset } from '../load-asset.ts';
import { loadVersion } from '../versions/load-version.ts';
import { versionDetail } from './records.ts';
import type { FindApproved } from './show.ts';

export async function showVersion(
  db: Reader,
  findApproved: FindApproved,
  caller: Caller,
  { version, ...ref }: AssetRef & { version: string },
): Promise<AssetVersionDetail> {
  const asset = await loadAsset(db, ref, caller);
  authorize(caller, 'asset.read', asset);
  const { row, content } = await loadVersion(db, asset, version);
  const approved = await findApproved(db, [row]);
  return versionDetail(caller, asset, row, {
    approved: approved.has(row.id),
    config: content.config,
    pins: content.pins,
  });
}
