// A request is decided once, by an admin of the platform or of the asset's team who neither made it nor wrote what it asks for.
// Must never happen: two decisions on one request, or an approval of content that is no longer under the version.
import type { Approval } from '@gantry/contract/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, Refusal } from '../access/authorize.ts';
import type { Caller, SignedInCaller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import type { Database } from '../database/database.ts';
import { signedIn } from '../principals/signed-in.ts';
import { authorsOf, type AssetRecord } from '../registry/find.ts';
import { finalise } from '../registry/version.ts';
import { keyHolders } from '../service-principals/find.ts';
import { loadRequest, readBack } from './show.ts';
import * as store from './store.ts';

type Verdict = Pick<store.Decision, 'status' | 'reason'>;

/** Deciding the same again answers the decision that stands, and records nothing. */
export async function decideRequest(db: Database, caller: Caller, id: string, verdict: Verdict): Promise<Approval> {
  const user = signedIn(caller);
  const { row, asset } = await loadRequest(db, id);
  const grant = authorize(user, 'approval.decide', asset);
  await refuseOwn(db, user, row, asset);
  if (row.status === 'pending') {
    await change(db, grant, 'approval.decided', async (tx, note) => {
      // No row: somebody was first. Nothing was written then, so this leaves no entry.
      if (!(await store.decide(tx, id, { ...verdict, decided_by: user.id }))) return;
      if (verdict.status === 'approved' && !(await finalise(tx, row))) throw superseded(row);
      const { version, digest, target } = row;
      note({
        approval_id: id,
        approver: user.label,
        decision: verdict.status,
        version,
        digest,
        target,
        reason: verdict.reason,
        submitted_by: row.submitter,
      });
    });
  }
  const decided = await readBack(db, user, id);
  refuseOther(decided, verdict, row);
  return decided;
}

async function refuseOwn(
  db: Database,
  user: SignedInCaller,
  row: store.ApprovalRow,
  asset: AssetRecord,
): Promise<void> {
  const authors = (await authorsOf(db, [row.version_id])).get(row.version_id) ?? [];
  const holders = await keyHolders(db, [row.submitted_by]);
  const why =
    row.submitted_by === user.id
      ? 'You submitted this request yourself'
      : holders.some(({ id }) => id === user.id)
        ? `${row.submitter} submitted this request, and you were shown its key`
        : authors.includes(user.label)
          ? `You pushed content of ${asset.ref}@${row.version} yourself, or were shown the key of who did`
          : undefined;
  if (why !== undefined)
    throw new Refusal(
      { code: 'own_request', reason: `${why}; another admin decides about it.` },
      'approval.decide',
      asset,
    );
}

function refuseOther(decided: Approval, verdict: Verdict, row: store.ApprovalRow): void {
  if (decided.closed_reason === 'superseded') throw superseded(row);
  const same =
    decided.status === verdict.status && (decided.closed_reason === null || decided.closed_reason === 'rejected');
  if (same) return;
  throw alreadyDecided(decided);
}

export function alreadyDecided(decided: Approval): Problem {
  const how = decided.closed_reason ?? decided.status;
  return new Problem('already_decided', {
    detail: `This request is ${how} already${decided.decided_by === null ? '' : `, by ${decided.decided_by}`}.`,
    fields: { status: decided.status },
  });
}

function superseded(row: store.ApprovalRow): Problem {
  return new Problem('superseded', {
    detail: `This request was about other content of version ${row.version} than what is there now.`,
  });
}
