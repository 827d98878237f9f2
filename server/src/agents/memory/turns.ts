// The turn of a call on its thread. Promises: the calls on a thread work one after the other, in the order in which they were stored. A call whose
// process dies keeps its place until its end is stored.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Turns } from '../invoke/turns.ts';
import * as store from './thread-store.ts';

const first_pause_ms = 5;
const longest_pause_ms = 300;

export function openTurns(db: Database): Turns {
  return {
    enter: async (tx, { run_id, ...thread }) => await store.enter(tx, run_id, await store.putThread(tx, thread)),
    wait: async (run_id, signal) => {
      for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(pause_ms * 2, longest_pause_ms)) {
        const turn = await store.turnOf(db, run_id);
        if (turn === undefined || turn.cancel_pending)
          throw new Problem('cancelled', { fields: { run_id, run_status: 'cancelled' } });
        if (turn.is_first) return;
        await sleep(pause_ms, undefined, { signal });
      }
    },
  };
}
