import type { Approval } from '@gantry/contract/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller, SignedInCaller } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import { signedIn } from '../principals/signed-in.ts';
import { findAssetById, type AssetRecord } from '../registry/find.ts';
import { approvalRecords } from './record.ts';
import * as store from './store.ts';

export async function show(db: Reader, caller: Caller, id: string): Promise<Approval> {
  const user = signedIn(caller);
  const { asset } = await loadRequest(db, id);
  authorize(user, 'approval.read', asset);
  return await readBack(db, user, id);
}

/** The request and its asset; a request whose asset was removed is not there. */
export async function loadRequest(db: Reader, id: string): Promise<{ row: store.ApprovalRow; asset: AssetRecord }> {
  const row = await store.approval(db, id);
  const asset = row && (await findAssetById(db, row.asset_id));
  if (row === undefined || asset === undefined) throw new Problem('not_found');
  return { row, asset };
}

export async function readBack(db: Reader, caller: SignedInCaller, id: string): Promise<Approval> {
  const row = await store.approval(db, id);
  const [record] = row === undefined ? [] : await approvalRecords(db, caller, [row]);
  if (record === undefined) throw new Problem('not_found');
  return record;
}
