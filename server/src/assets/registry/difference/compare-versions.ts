import { printVersionRef, type AssetRef } from '@gantry/contract/refs.ts';
import type { VersionDifference } from '@gantry/contract/assets/registry.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { loadAsset } from '../load-asset.ts';
import { loadVersion } from '../versions/load-version.ts';
import { compare } from './compare.ts';

export async function compareVersions(
  db: Reader,
  caller: Caller,
  { from, to, ...ref }: AssetRef & { from: string; to: string },
): Promise<VersionDifference> {
  const asset = await loadAsset(db, ref, caller);
  authorize(caller, 'asset.read', asset);
  const [before, after] = [await loadVersion(db, asset, from), await loadVersion(db, asset, to)];
  return {
    from: printVersionRef({ ...ref, version: from }),
    to: printVersionRef({ ...ref, version: to }),
    changes: await compare(db, caller, asset, { before: before.row, after: after.row.digest }),
  };
}
