// Admins of the platform or of the asset's team decide a request once. Submitters and authors of the content do not decide it.
// Must never happen: two decisions on one request, or an approval of content that the version no longer has.
import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, Refusal } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { change, type GovernedTx, type Note } from '../../governance/access/change.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import { holdRoles } from '../../people/principals/find.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { finalise, lockDigest } from '../../assets/registry/versions/version.ts';
import { approversOf, makersOf } from './approvers.ts';
import { expireOverdue } from './expire.ts';
import { coveredNow, digestOfForm, notCovered, type CoveredNow, type PlanFor } from './covers.ts';
import { partIn } from './policy.ts';
import { loadRequest, readBack } from './load-request.ts';
import * as store from './store.ts';
import { removeVotes, vote, votes } from './vote-store.ts';

type Verdict = { status: 'rejected'; reason: string } | { status: 'approved'; reason: string; planFor: PlanFor };

export interface Asked {
  user: SignedInCaller;
  row: store.ApprovalRow;
  asset: AssetRecord;
}

/**
 * One rejection rejects. The required number of approvals approves; until then the request is pending. A repeated vote decides if the votes
 * are now enough. Otherwise it returns the current state and records nothing.
 */
export async function decideRequest(db: Database, caller: Caller, id: string, verdict: Verdict): Promise<Approval> {
  const user = signedIn(caller);
  const { row, asset } = await loadRequest(db, id, user);
  const grant = authorize(user, 'approval.decide', asset);
  await refuseOwn(db, { user, row, asset });
  if (row.status === 'pending') {
    const now = verdict.status === 'approved' ? await coveredNow(db, verdict.planFor, asset, row) : null;
    const work = async (tx: GovernedTx, note: Note) =>
      await decideOnce(tx, note, { user, row, asset }, { ...verdict, now });
    const wasWaiting = await change(db, grant, 'approval.decided', work);
    if (!wasWaiting) await expireOverdue(db, { id });
  }
  const decided = await readBack(db, user, id);
  refuseOther(decided, verdict, row);
  return decided;
}

/** False if the request is no longer pending: decided, closed or overdue. Then nothing is written and no entry is left. */
async function decideOnce(
  tx: GovernedTx,
  note: Note,
  asked: Asked,
  { status, reason, now }: Pick<Verdict, 'status' | 'reason'> & { now: CoveredNow },
): Promise<boolean> {
  const { user, row } = asked;
  // The lock lasts until the commit, so the second of two admins counts the first one's vote.
  const held = await store.hold(tx, row.id);
  if (held === undefined) return false;
  const { id, version, digest, target } = row;
  const covers = digestOfForm(row.covers);
  const about = { approval_id: id, approver: user.label, decision: status, version, digest, target, covers, reason };
  let approvals_required: number | null = null;
  if (status === 'approved') {
    ({ approvals_required } = held);
    const { isNew, approvers } = await approveOnce(tx, asked, { reason, now });
    if (approvers.length < approvals_required) {
      if (isNew) note({ ...about, approvals: approvers.length, approvals_required }, { event: 'approval.voted' });
      return true;
    }
    if (!(await finalise(tx, row))) throw superseded(row);
    const not_counted = await removeVotes(tx, id, { but: approvers.map((one) => one.user_id) });
    note({ approved_by: approvers.map(({ by }) => by), not_counted });
  }
  const isDecided = await store.decide(tx, id, { status, reason, decided_by: user.id, approvals_required });
  if (!isDecided) throw new Problem('conflict', { detail: 'This request expired at this moment.' });
  note({ ...about, submitted_by: row.submitter });
  return true;
}

/** Returns the voters who may still approve. */
async function approveOnce(tx: GovernedTx, asked: Asked, { reason, now }: { reason: string; now: CoveredNow }) {
  const { user, row, asset } = asked;
  // The lock prevents a push between this comparison and the check of the authors.
  const digest = await lockDigest(tx, row.version_id);
  await refuseOwn(tx, asked);
  const held = await store.approval(tx, row.id);
  if (digest !== row.digest || held === undefined || held.target_changed) throw superseded(held ?? row);
  const beyond = notCovered(row.covers, now);
  if (beyond.length > 0) throw wider(row, beyond);
  const isNew = await vote(tx, { approval_id: row.id, user_id: user.id, reason });
  const said = await votes(tx, [row.id]);
  await holdRoles(
    tx,
    asset.team.id,
    said.map((one) => one.user_id),
  );
  const able = (await approversOf(tx, [row], new Map([[asset.id, asset]]))).get(row.id) ?? [];
  const approvers = said.filter(({ user_id }) => able.some(({ id }) => id === user_id));
  return { isNew, approvers };
}

/** Throws `own_request`. */
export async function refuseOwn(db: Reader, { user, row, asset }: Asked): Promise<void> {
  const makers = (await makersOf(db, [row])).get(row.id);
  const part = makers && partIn(makers, user.id);
  if (part === undefined) return;
  const why = {
    submitter: 'You submitted this request yourself',
    key_holders: `${row.submitter} submitted this request, and you were shown its key`,
    authors: `You pushed content of ${asset.ref}@${row.version} yourself, or you were shown the key that pushed it`,
  }[part];
  throw new Refusal({ code: 'own_request', reason: `${why}. Another admin must decide.` }, 'approval.decide', asset);
}

function refuseOther(decided: Approval, verdict: Verdict, row: store.ApprovalRow): void {
  if (decided.closed_reason === 'superseded') throw superseded(row);
  const waits = decided.status === 'pending' && verdict.status === 'approved';
  const same =
    decided.status === verdict.status && (decided.closed_reason === null || decided.closed_reason === 'rejected');
  if (waits || same) return;
  throw alreadyDecided(decided);
}

export function alreadyDecided(decided: Approval): Problem {
  const how = decided.closed_reason ?? decided.status;
  return new Problem('already_decided', {
    detail: `This request is already ${how}${decided.decided_by === null ? '' : `, by ${decided.decided_by}`}.`,
    fields: { status: decided.status },
  });
}

/** The approvers see the form of today. So they approve no request whose form says less. */
export function wider({ target }: store.ApprovalRow, beyond: readonly string[]): Problem {
  return new Problem('superseded', {
    detail: `A deploy to ${target} gets more than at this request: ${beyond.join(', ')}.`,
    hint: 'Submit it again: svc submit',
  });
}

export function superseded(row: store.ApprovalRow): Problem {
  const what = row.target_changed ? `The target ${row.target}` : `The content of version ${row.version}`;
  return new Problem('superseded', { detail: `${what} has changed since this request.` });
}
