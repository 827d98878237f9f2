import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetById, type AssetRecord } from '../../assets/registry/find.ts';
import { approvalRecords } from './record.ts';
import * as store from './store.ts';

/** The request and its asset. Throws `not_found` if one of them is missing. */
export async function loadRequest(
  db: Reader,
  id: string,
  caller: Caller | null,
): Promise<{ row: store.ApprovalRow; asset: AssetRecord }> {
  const row = await store.approval(db, id);
  const asset = row && (await findAssetById(db, row.asset_id, caller));
  if (row === undefined || asset === undefined) throw new Problem('not_found');
  return { row, asset };
}

export async function readBack(db: Reader, caller: SignedInCaller, id: string): Promise<Approval> {
  const row = await store.approval(db, id);
  const [record] = row === undefined ? [] : await approvalRecords(db, caller, [row]);
  if (record === undefined) throw new Problem('not_found');
  return record;
}
