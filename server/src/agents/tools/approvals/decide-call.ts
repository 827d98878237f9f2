import type { WaitingCall } from '@gantry/contract/assets/tool-calls.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import * as store from './approval-store.ts';
import { authorizeDecision } from './may-decide.ts';
import { printWaiting } from './list-waiting.ts';

export interface CallVerdict {
  caller: Caller;
  id: string;
  decision: 'approve' | 'reject';
  /** For the agent. */
  note?: string | undefined;
}

/** The call that was decided. Throws `not_found`, the refusal, `own_request`, or `already_decided`. */
export async function decideCall(
  { db, envelope }: { db: Database; envelope: Envelope },
  { caller, id, decision, note: said }: CallVerdict,
): Promise<WaitingCall> {
  const user = signedIn(caller);
  const row = await store.find(db, id);
  const server = row && (await findAssetById(db, row.server_id, user));
  if (row === undefined || server === undefined) throw new Problem('not_found');
  const grant = authorizeDecision(user, server, row);
  const state = decision === 'approve' ? 'approved' : 'rejected';
  await change(db, grant, `call.${state}`, async (tx, note) => {
    if (!(await store.decide(tx, { id, state, by: user, note: said }))) throw new Problem('already_decided');
    const { tool, server_version: version, arguments_digest, agent, through } = row;
    note({ call: id, tool, version, arguments_digest, agent, through, caller: row.caller, note: said });
  });
  return await printWaiting(envelope, row, user);
}
