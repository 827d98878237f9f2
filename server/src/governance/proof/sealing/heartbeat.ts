// A heartbeat: one entry per interval, signed with the next checkpoint. It distinguishes a suppressed log from a log without events. It is
// in the governance chain. It names the heads of the other chains, so that one chain protects the others.
import { append } from '../../audit/append.ts';
import { headOf } from '../../audit/chain.ts';
import type { Database } from '../../../ground/database/database.ts';
import * as store from '../store.ts';

/** Writes a heartbeat if an interval has passed since the last one of any server. Returns the seconds until the next check. */
export async function beat(db: Database, interval_seconds: number): Promise<number> {
  const since = await store.sinceHeartbeat(db);
  if (since === undefined) return interval_seconds;
  if (since < interval_seconds) return interval_seconds - since;
  await db.transaction(async (tx) => {
    if (!(await store.mayBeat(tx))) return;
    // Checked again under the lock: another server may have written one meanwhile.
    if (((await store.sinceHeartbeat(tx)) ?? 0) < interval_seconds) return;
    const signin = await headOf(tx, 'signin');
    const actor = { kind: 'system', id: null, name: 'system.heartbeat' };
    const detail = { interval_seconds, signin: { ...signin } };
    const nowhere = { team: null, asset: null, ip: null, request_id: null };
    await append(tx, { ...nowhere, event: 'audit.heartbeat', outcome: 'done', actor, detail }, []);
  });
  return interval_seconds;
}
