import type { Approval, ApprovalDetail } from '@gantry/contract/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller, SignedInCaller } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import { costForecast } from '../ledger/agent-cost.ts';
import { describeGuardrails } from '../guardrails/describe.ts';
import { settings } from '../principals/find.ts';
import { signedIn } from '../principals/signed-in.ts';
import { compare } from '../registry/difference/compare.ts';
import { findAssetById, findVersionById, type AssetRecord } from '../registry/find.ts';
import { loadAgentConfig } from '../registry/versions/load-version-content.ts';
import { comments } from './comment-store.ts';
import { readsWords } from './policy.ts';
import { approvalRecords } from './record.ts';
import * as store from './store.ts';

/** The version that a deploy on this target would replace. The folder deploy provides it. */
export type FindRunning = (
  db: Reader,
  asset_id: string,
  target: string,
) => Promise<{ version: string; digest: string } | undefined>;

/** The request with all facts for a decision. */
export async function show(db: Reader, findRunning: FindRunning, caller: Caller, id: string): Promise<ApprovalDetail> {
  const user = signedIn(caller);
  const { row, asset } = await loadRequest(db, id, user);
  authorize(user, 'approval.read', asset);
  const compared =
    asset.asset_kind === 'agent' ? await findRunning(db, asset.id, row.target) : await store.lastApproved(db, row);
  const inside = readsWords(user, row, asset);
  const version = await findVersionById(db, row.version_id);
  return {
    ...(await readBack(db, user, id)),
    is_current: version?.digest === row.digest,
    compared_with: compared === undefined ? null : `${asset.ref}@${compared.version}`,
    changes: await compare(db, user, asset, { before: compared?.digest, after: row.digest }),
    cost: asset.asset_kind === 'agent' ? await costForecast(db, user, asset) : null,
    guardrails: version === undefined ? [] : await guardrails(db, asset, version.id),
    comments: inside ? await comments(db, id) : [],
    previous: previousRecord(await store.previous(db, row), inside),
  };
}

async function guardrails(db: Reader, { asset_kind, team }: AssetRecord, version_id: string): Promise<string[]> {
  if (asset_kind !== 'agent') return [];
  const config = await loadAgentConfig(db, version_id);
  return describeGuardrails(await settings(db), { config, team: team.name });
}

function previousRecord(row: store.ApprovalRow | undefined, inside: boolean): ApprovalDetail['previous'] {
  if (row === undefined) return null;
  const { id, status, closed_reason, digest, decided_at } = row;
  return {
    id,
    status,
    closed_reason,
    asset_version: row.version,
    digest,
    reason: inside ? row.reason : null,
    submitted_by: row.submitter,
    decided_by: row.decider,
    decided_at,
  };
}

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
