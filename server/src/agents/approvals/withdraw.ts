import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { authorize, Refusal } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { alreadyDecided, type Asked } from './decide-request.ts';
import { expireOverdue } from './expire.ts';
import { loadRequest, readBack } from './load-request.ts';
import * as store from './store.ts';

/** The submitter withdraws a pending request. A repeated call returns the same answer and records nothing. */
export async function withdraw(db: Database, caller: Caller, id: string): Promise<Approval> {
  const user = signedIn(caller);
  const { row, asset } = await loadRequest(db, id, user);
  const grant = authorize(user, 'approval.withdraw', asset);
  requireSubmitter({ user, row, asset });
  const isWithdrawn = await change(db, grant, 'approval.withdrawn', async (tx, note) => {
    // No row: the request is decided, closed or overdue. Nothing is written, so no entry is left.
    if (!(await store.withdraw(tx, id))) return false;
    const { version, digest, target } = row;
    note({ approval_id: id, version, digest, target });
    return true;
  });
  if (!isWithdrawn) await expireOverdue(db, { id });
  const closed = await readBack(db, user, id);
  if (closed.closed_reason !== 'withdrawn') throw alreadyDecided(closed);
  return closed;
}

export function requireSubmitter({ user, row, asset }: Asked): void {
  if (row.submitted_by === user.id) return;
  const reason = 'Only its submitter withdraws a request. An admin can reject it.';
  throw new Refusal({ code: 'forbidden', reason }, 'approval.withdraw', asset);
}
