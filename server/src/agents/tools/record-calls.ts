// The calls of tools in the audit log. Each call has its row before it goes out. An entry has a batch of them, with the digests of arguments and results,
// so the log proves what was called and no call waits for the chain.
import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { forgetOldExposures } from '../delegated-calls/exposure.ts';
import { forgetOldApprovals } from './approvals/forget-old.ts';
import { forgetOldQuestions } from './questions/forgets.ts';
import * as store from './tool-call-store.ts';

/** An entry is read as one text. */
const most_of_an_entry = 200;
/** Longer than any call. */
const dead_seconds = 15 * 60;
const keep_days = 90;

/** True when more may be there. */
export async function recordCalls(db: Database): Promise<boolean> {
  const grant = authorize(systemCaller('system.record_tool_calls'), 'system.record_tool_calls', theOrg);
  return await change(db, grant, 'tools.called', async (tx, note) => {
    const calls = await store.toRecord(tx, { most: most_of_an_entry, dead_seconds });
    if (calls.length === 0) return false;
    await store.setRecorded(
      tx,
      calls.map(({ id }) => id),
    );
    // Nobody knows whether the call of a process that died has reached the server.
    note({ calls: calls.length, list: calls.map((call) => ({ ...call, outcome: call.outcome ?? 'unknown' })) });
    return calls.length === most_of_an_entry;
  });
}

export async function forgetOldCalls(db: Database): Promise<void> {
  await store.forgetOld(db, keep_days);
  await forgetOldExposures(db, keep_days);
  await forgetOldApprovals(db);
  await forgetOldQuestions(db);
}
