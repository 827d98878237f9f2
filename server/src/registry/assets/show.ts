import { printGrantee } from '@gantry/contract/refs.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { entriesOf } from '../../access/acl.ts';
import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import type { Reader } from '../../database/database.ts';
import { principalNames } from '../../service-principals/principal-names.ts';
import * as contents from '../content-store.ts';
import { loadAsset } from './load-asset.ts';
import { detailRecord, type AssetDetail } from './records.ts';
import * as store from '../store.ts';

/** Of these versions, the ids of those whose present content is approved. Approvals stand above the registry and hand it down. */
export type FindApproved = (
  db: Reader,
  versions: readonly { id: string; digest: string }[],
) => Promise<ReadonlySet<string>>;

export async function show(
  db: Reader,
  findApproved: FindApproved,
  caller: Caller,
  ref: { kind: AssetKind; name: string },
): Promise<AssetDetail> {
  const asset = await loadAsset(db, ref);
  authorize(caller, 'asset.read', asset);
  const versions = await store.versions(db, asset.id);
  const [approved, permissions, content] = await Promise.all([
    findApproved(db, versions),
    permissionsOf(db, asset.id),
    versions[0] === undefined ? undefined : contents.content(db, versions[0].digest),
  ]);
  return detailRecord(caller, asset, { versions, approved, permissions, config: content?.config ?? null });
}

async function permissionsOf(db: Reader, asset_id: string): Promise<AssetDetail['permissions']> {
  const entries = await entriesOf(db, asset_id);
  const nameOf = await principalNames(db, entries);
  return entries.map(({ principal_type, principal_id, actions }) => ({
    principal: printGrantee({ principal_type, principal_id: nameOf(principal_id) }),
    actions,
  }));
}
