// The events of a run, for any number of readers. The table is the only buffer, so a slow reader holds one page.
// A reader that reconnects with its last id misses no event.
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import type { Database } from '../database/database.ts';
import { subscribe } from './subscribe.ts';
import { eventsAfter, hasMore } from './store.ts';

const page = 500;
// Notifications wake the readers. This poll limits the delay after a lost notification.
const poll_ms = 5000;

/** Every event after `seq`: first the stored events, then new ones. Ends after the run's `end`, or with the signal. */
export async function* runEvents(
  db: Database,
  run_id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<RunEvent>> {
  const subscription = await subscribe(db, run_id);
  try {
    for (let seq = after; !signal.aborted;) {
      const events = await eventsAfter(db, run_id, seq, page);
      for (const event of events) {
        yield { id: String(event.seq), data: event };
        seq = event.seq;
        if (event.kind === 'end' || signal.aborted) return;
      }
      if (events.length === 0 && !(await hasMore(db, run_id, seq))) return;
      if (events.length < page) await subscription.sleep(poll_ms, signal);
    }
  } finally {
    await subscription.close();
  }
}
