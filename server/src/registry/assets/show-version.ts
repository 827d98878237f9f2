import { Problem } from '@gantry/contract/problems.ts';
import type { AssetVersionDetail } from '@gantry/contract/registry.ts';
import type { AssetRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import type { Reader } from '../../database/database.ts';
import * as contents from '../content-store.ts';
import { findVersion } from '../find.ts';
import { loadAsset } from '../load-asset.ts';
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
  const row = await findVersion(db, asset.id, version);
  const content = row && (await contents.content(db, row.digest));
  if (row === undefined || content === undefined)
    throw new Problem('not_found', {
      detail: `${asset.ref} has no version ${version}.`,
      hint: `List its versions: svc registry ${asset.asset_kind} versions ${asset.name}`,
    });
  const approved = await findApproved(db, [row]);
  return versionDetail(caller, asset, row, {
    approved: approved.has(row.id),
    config: content.config,
    pins: content.pins,
  });
}
