// Rows → the wire's records.
import type { Approval } from '@gantry/contract/agents/approvals.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findReadable, type AssetRecord } from '../../assets/registry/find.ts';
import { approversOf } from './approvers.ts';
import { readsWords, waitingFor } from './policy.ts';
import type { ApprovalRow } from './store.ts';
import { votesOf, type Vote } from './vote-store.ts';

/** In the order of the rows, without those of missing or hidden assets. `inside` keeps only requests whose text the caller may read. */
export async function approvalRecords(
  db: Reader,
  caller: SignedInCaller,
  rows: readonly ApprovalRow[],
  { inside = false }: { inside?: boolean } = {},
): Promise<Approval[]> {
  if (rows.length === 0) return [];
  // The submitter may have lost read permission since.
  const readable = await findReadable(
    db,
    caller,
    rows.map((row) => row.asset_id),
  );
  const assets = new Map(readable.map((asset) => [asset.id, asset]));
  const [approvers, votes] = await Promise.all([approversOf(db, rows, assets), votesOf(db, rows)]);
  return rows.flatMap((row) => {
    const asset = assets.get(row.asset_id);
    if (asset === undefined || (inside && !readsWords(caller, row, asset))) return [];
    const all = votes.get(row.id) ?? [];
    const { waits_for, counted } = waitingFor(row, approvers.get(row.id) ?? [], all);
    // The decision deleted the votes that did not count.
    const given = row.status === 'pending' ? counted : all;
    return [approvalRecord(caller, row, asset, { given, can_decide: waits_for.map(({ email }) => email) })];
  });
}

function approvalRecord(
  caller: SignedInCaller,
  row: ApprovalRow,
  asset: AssetRecord,
  { given, can_decide }: { given: Vote[]; can_decide: string[] },
): Approval {
  const { id, status, closed_reason, digest, target, submitted_at, decided_at, expires_at, approvals_required } = row;
  const inside = readsWords(caller, row, asset);
  return {
    id,
    status,
    closed_reason,
    asset: asset.ref,
    asset_version: row.version,
    digest,
    target,
    message: inside ? row.message : '',
    reason: inside ? row.reason : null,
    submitted_by: row.submitter,
    submitted_at,
    decided_by: row.decider,
    decided_at,
    expires_at,
    approvals_required,
    approved_by: given.map(({ by, at, reason }) => ({ by, at, reason: inside ? reason : '' })),
    can_decide: inside ? can_decide : [],
  };
}
