// A sign of life in the log: an entry an interval, signed with the next checkpoint, so that a log that is kept silent can be told from one in
// which nothing happens. In the chain of governance, whose silence is what matters; it names how far the other chains had come, so that
// one chain vouches for the others.
import { append } from '../../audit/append.ts';
import { headOf } from '../../audit/chain.ts';
import type { Database } from '../../database/database.ts';
import * as store from '../store.ts';

/** Beats when an interval has passed since the last time, whichever server that was; answers in how many seconds to ask again. */
export async function beat(db: Database, interval_seconds: number): Promise<number> {
  const since = await store.sinceHeartbeat(db);
  if (since === undefined) return interval_seconds;
  if (since < interval_seconds) return interval_seconds - since;
  await db.transaction(async (tx) => {
    if (!(await store.mayBeat(tx))) return;
    // Asked again under the lock: another server may have beaten meanwhile.
    if (((await store.sinceHeartbeat(tx)) ?? 0) < interval_seconds) return;
    const signin = await headOf(tx, 'signin');
    const actor = { kind: 'system', id: null, name: 'system.heartbeat' };
    const detail = { interval_seconds, signin: { ...signin } };
    const nowhere = { team: null, asset: null, ip: null, request_id: null };
    await append(tx, { ...nowhere, event: 'audit.heartbeat', outcome: 'done', actor, detail }, []);
  });
  return interval_seconds;
}
