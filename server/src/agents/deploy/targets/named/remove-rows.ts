import type { GovernedTx } from '../../../../governance/access/change.ts';
import { findAssetById } from '../../../../assets/registry/find.ts';
import { removeCredential } from '../../../../assets/targets/find-targets.ts';
import * as resourceStore from '../../resource-store.ts';

const most_named = 100;

/** With a target go its credential and its ledger. Returns what stays at its platform, such as a repository of images, for the log. */
export async function removeTargetRows(tx: GovernedTx, asset_id: string): Promise<Record<string, unknown>> {
  await removeCredential(tx, asset_id);
  const target = await findAssetById(tx, asset_id, null);
  if (target === undefined) return {};
  const left = await resourceStore.openResources(tx, target.name);
  await resourceStore.forgetTarget(tx, target.name);
  if (left.length === 0) return {};
  return { stays: left.slice(0, most_named).map(({ kind, name }) => `${kind} ${name}`), stays_count: left.length };
}
