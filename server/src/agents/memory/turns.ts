// The turn of a call on its thread. Promises: the calls on a thread work one after the other, in the order in which they were stored. A call whose
// process dies keeps its place until its end is stored.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../../ground/database/database.ts';
import { exposing } from '../delegated-calls/exposure.ts';
import type { Turns } from '../invoke/turns.ts';
import * as store from './thread-store.ts';

/** Each of them asks the database for its turn. */
const most_waiting = 32;
const first_pause_ms = 5;
const longest_pause_ms = 300;

export function openTurns(db: Database): Turns {
  return {
    enter: async (tx, { run_id, expects, expects_since, is_alone = false, ...named }) => {
      // It locks the thread, so two calls count one after the other.
      const thread_id = await store.putThread(tx, named);
      const others = await store.countTurns(tx, thread_id, run_id);
      if (is_alone && others > 0) throw new Problem('thread_busy');
      if (others >= most_waiting)
        throw new Problem('thread_busy', {
          detail: `${most_waiting} calls work on this thread, or wait for their turn.`,
        });
      await store.enter(tx, { run_id, expects, expects_since }, thread_id);
    },
    wait: async (run_id, signal) => {
      for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(pause_ms * 2, longest_pause_ms)) {
        const turn = await store.turnOf(db, run_id);
        if (turn === undefined || turn.cancel_pending)
          throw new Problem('cancelled', { fields: { run_id, run_status: 'cancelled' } });
        if (turn.is_first && turn.is_answered) throw new Problem('answered_already');
        if (turn.is_first) {
          // What the thread has read before, this run can read in it.
          const { root_run_id } = turn;
          if (root_run_id !== null && (turn.private_data || turn.outside_text))
            await db.run(exposing(root_run_id, turn));
          return;
        }
        await sleep(pause_ms, undefined, { signal });
      }
    },
  };
}
