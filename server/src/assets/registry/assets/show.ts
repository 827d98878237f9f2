import { Problem } from '@gantry/contract/problems.ts';
import { printGrantee } from '@gantry/contract/refs.ts';
import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { entriesOf } from '../../../governance/access/acl.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { passes } from '../../../governance/access/can.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { principalNames } from '../principals/principal-names.ts';
import * as contents from '../content-store.ts';
import { loadAsset } from '../load-asset.ts';
import { canUseAsset } from './can-use-asset.ts';
import { detailRecord, type DetailParts } from './records.ts';
import * as store from '../store.ts';
import { wanted, type Kind } from '../../../ground/copies/copies.ts';
import type { ReadAsOf } from '../../../people/login/read-as-of.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { textOfAsset } from '../asset-copies.ts';
import { findAssets, type AssetFor, type AssetRecord } from '../find.ts';

/** Ids of those versions whose present content is approved. Approvals, a higher folder, passes it in. */
export type FindApproved = (
  db: Reader,
  versions: readonly { id: string; digest: string }[],
) => Promise<ReadonlySet<string>>;

/** Provided by approvals, a higher folder. */
export interface Approvals {
  findApproved: FindApproved;
  /** Throws when the newest version is already approved. */
  refuseApprovedNewest: (db: Reader, asset: AssetRecord) => Promise<void>;
}

/** Right after a change. */
export async function show(
  db: Reader,
  approvals: Approvals,
  caller: Caller,
  ref: { kind: AssetKind; name: string },
): Promise<AssetDetail> {
  const asset = await loadAsset(db, ref, caller);
  authorize(caller, 'asset.read', asset);
  const parts = await loadDetail(db, approvals, asset);
  return { ...detailRecord(caller, asset, parts), can: await canUseAsset(db, caller, asset, parts) };
}

/** For a request that reads nothing else. */
export function showAsOf(
  { db, readAsOf }: { db: Reader; readAsOf: ReadAsOf },
  approvals: Approvals,
): (caller: Caller, ref: { kind: AssetKind; name: string }) => Promise<AssetDetail> {
  const kind = details(approvals);
  return async (caller, ref) => {
    const asking = signedIn(caller);
    const asked = { detail: wanted(kind, { ...ref, caller_id: asking.id }) };
    const { caller: user, detail } = await readAsOf(asking, asked);
    if (detail === undefined) throw new Problem('not_found');
    authorize(user, 'asset.read', detail.asset);
    const { asset, parts } = detail;
    return { ...detailRecord(user, asset, parts), can: await canUseAsset(db, user, asset, parts) };
  };
}

export function details(approvals: Approvals): Kind<AssetFor, { asset: AssetRecord; parts: DetailParts }> {
  return {
    name: 'detail',
    textOf: textOfAsset,
    load: async (db, keys) => {
      const assets = await findAssets(db, keys);
      return await Promise.all(
        assets.map(async (asset) => asset && { asset, parts: await loadDetail(db, approvals, asset) }),
      );
    },
  };
}

async function loadDetail(db: Reader, approvals: Approvals, asset: AssetRecord): Promise<DetailParts> {
  const versions = await store.versions(db, asset.id);
  const [approved, submit, permissions, content] = await Promise.all([
    approvals.findApproved(db, versions),
    passes(async () => await approvals.refuseApprovedNewest(db, asset)),
    permissionsOf(db, asset.id),
    versions[0] === undefined ? undefined : contents.content(db, versions[0].digest),
  ]);
  return { versions, approved, submit, permissions, config: content?.config ?? null };
}

async function permissionsOf(db: Reader, asset_id: string): Promise<AssetDetail['permissions']> {
  const entries = await entriesOf(db, asset_id);
  const nameOf = await principalNames(db, entries);
  return entries.map(({ principal_type, principal_id, actions }) => ({
    principal: printGrantee({ principal_type, principal_id: nameOf(principal_id) }),
    actions,
  }));
}
