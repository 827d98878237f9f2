// Rows → the wire's records. The words of a request (message, reason, who can decide) are for the asset's team, its owner and the
// submitter: that an asset may be read by everybody does not open them.
import type { Approval } from '@gantry/contract/approvals.ts';
import type { SignedInCaller } from '../access/caller.ts';
import { canRead, isMember } from '../access/decide.ts';
import type { Reader } from '../database/database.ts';
import { findAssetsById, type AssetRecord } from '../registry/find.ts';
import { approversOf } from './approvers.ts';
import type { ApprovalRow } from './store.ts';
import { votes, type Vote } from './vote-store.ts';

/** In the order of the rows; rows of assets that are gone, or that the caller may not read, are left out. */
export async function approvalRecords(
  db: Reader,
  caller: SignedInCaller,
  rows: readonly ApprovalRow[],
): Promise<Approval[]> {
  const assets = new Map(
    (
      await findAssetsById(
        db,
        rows.map((row) => row.asset_id),
        caller,
      )
    ).map((asset) => [asset.id, asset]),
  );
  const approvers = await approversOf(db, rows, assets);
  const said = Map.groupBy(
    await votes(
      db,
      rows.map((row) => row.id),
    ),
    (vote) => vote.approval_id,
  );
  return rows.flatMap((row) => {
    const asset = assets.get(row.asset_id);
    // Who submitted it may have lost the right to know of the asset since.
    if (asset === undefined || !canRead(caller, asset)) return [];
    const all = said.get(row.id) ?? [];
    const able = approvers.get(row.id) ?? [];
    // Of one that waits, what counts as things stand; with the decision the others were taken away.
    const given = row.status === 'pending' ? all.filter(({ user_id }) => able.some(({ id }) => id === user_id)) : all;
    // Where enough have said so by now, because one who did may again or fewer are asked for, any of them decides with another word.
    const isEnough = given.length >= row.approvals_required;
    const waited_for = able.filter(({ id }) => isEnough || !all.some(({ user_id }) => user_id === id));
    return [approvalRecord(caller, row, asset, { given, can_decide: waited_for.map(({ email }) => email) })];
  });
}

/** Does the caller read what the request says, beyond that there is one? */
export function readsWords(caller: SignedInCaller, row: ApprovalRow, asset: AssetRecord): boolean {
  return (
    caller.role === 'admin' ||
    isMember(caller, asset.team.id) ||
    asset.owner_id === caller.id ||
    row.submitted_by === caller.id
  );
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
