import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { alreadyDecided } from './decide-request.ts';
import { expireOverdue } from './expire.ts';
import { loadRequest, readBack } from './load-request.ts';
import * as store from './store.ts';

/**
 * Revokes an approval. A running deploy decides again before it provisions and before it switches, and then ends. A running agent continues,
 * but its deployers cannot restart it. A repeated call returns the same answer and records nothing.
 */
export async function revoke(db: Database, caller: Caller, id: string, reason: string): Promise<Approval> {
  const user = signedIn(caller);
  const { row, asset } = await loadRequest(db, id, user);
  const grant = authorize(user, 'approval.decide', asset);
  if (row.status === 'pending') {
    await expireOverdue(db, { id });
    const now = await readBack(db, user, id);
    if (now.closed_reason !== null) throw alreadyDecided(now);
    throw notApproved(id);
  }
  await change(db, grant, 'approval.revoked', async (tx, note) => {
    if (!(await store.revoke(tx, id, { reason, decided_by: user.id }))) return;
    const { version, digest, target } = row;
    note({ approval_id: id, version, digest, target, reason, approved_by: row.decider, submitted_by: row.submitter });
  });
  const closed = await readBack(db, user, id);
  if (closed.closed_reason !== 'revoked') throw alreadyDecided(closed);
  return closed;
}

export function notApproved(id: string): Problem {
  return new Problem('conflict', {
    detail: 'This request is not approved yet.',
    hint: `Reject it: svc review reject ${id}`,
  });
}
