// The stored calls that this ingress follows, each under a lease on its row. Promise: one ingress follows a call. When the ingress dies, another one
// finds the call within eight seconds. A call that began here is followed over its open connection. Its container is asked only after the connection
// has broken.
import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../../../ground/database/database.ts';
import { holdLeases, renewMs, type Held } from '../../../ground/queue/held-lease.ts';
import { startLoop, type Loop } from '../../../ground/queue/loop.ts';
import type { Answer } from '../answer.ts';
import { refuseTooMany } from './call-limits.ts';
import { retryWhileAway } from './retry-while-away.ts';
import * as store from '../store.ts';
import type { Turns } from '../turns.ts';

export interface FollowedCalls {
  /**
   * Stores a call that begins here, or its other instance. Throws `cancelled` for a call that this ingress may no longer begin,
   * `too_many_calls` and `too_many_requests`.
   */
  put(row: store.RunningInvocation): Promise<void>;
  /** Forgets a call whose answer nobody asks for again. */
  remove(id: string): Promise<void>;
  /** Stores the end of a call that this ingress follows. */
  end(id: string, answer: Answer): Promise<void>;
  /** This ingress no longer follows the call. An ingress takes it at once, unless it has ended. */
  leave(id: string): Promise<void>;
  /** Follows every call that no ingress follows, until the close. */
  start(): void;
  close(): Promise<void>;
}

export interface FollowSettings {
  /** The name of this process. */
  owner: string;
  /** No other process uses this database. A held call belonged to a killed process and is free at once. */
  alone: boolean;
  turns: Pick<Turns, 'enter'>;
  stopping: AbortSignal;
  /** The signal is aborted when the lease is lost. */
  follow: (row: store.Claimed, lost: AbortSignal) => Promise<void>;
  background: (work: Promise<unknown>) => void;
  onError: (error: unknown) => void;
  lease_ms?: number;
}

const poll_ms = 1000;
const at_once = 100;

export function followedCalls(
  db: Database,
  { owner, alone, turns, stopping, follow, background, onError, lease_ms = 6000 }: FollowSettings,
): FollowedCalls {
  const follower = { owner, lease_ms };
  /** Also those whose lease is lost, until they are left: no call is followed twice in this process. */
  const held = new Map<string, Held>();
  const lease_db = db.openPool({ max: 1, answer_ms: renewMs(lease_ms) });
  const leases = holdLeases<{ id: string }>({
    lease_ms,
    renew: async (rows) =>
      await store.renew(
        lease_db,
        follower,
        rows.map(({ id }) => id),
      ),
    reason: ({ id }) => new Error(`the lease of call ${id} is lost`),
    onError,
  });
  let polling: Loop | undefined;

  function hold(id: string, asked_at: number): Held {
    const one = leases.hold({ id }, asked_at);
    held.set(id, one);
    return one;
  }

  // A stop leaves them all.
  async function leave(id: string): Promise<void> {
    held.get(id)?.release();
    await retryWhileAway(stopping, async () => {
      await store.release(db, owner, [id]);
      held.delete(id);
    });
    polling?.wake();
  }

  async function followOne(row: store.Claimed, lost: AbortSignal): Promise<void> {
    try {
      await follow(row, lost);
    } finally {
      await leave(row.id);
    }
  }

  async function claim(): Promise<boolean> {
    const asked_at = performance.now();
    const rows = await store.claim(db, follower, { most: at_once, except: [...held.keys()] });
    for (const row of rows) {
      // It began here after the question was asked.
      if (held.has(row.id)) continue;
      const { lost } = hold(row.id, asked_at);
      background(followOne(row, lost.signal));
    }
    return rows.length === at_once;
  }

  return {
    put: async (row) => {
      const asked_at = performance.now();
      const { through, turn } = row;
      const put =
        through === undefined && turn === undefined
          ? await store.putRunning(db, row, follower)
          : await db.transaction(async (tx) => {
              if (through !== undefined) await refuseTooMany(tx, { ...row, through });
              const is_put = await store.putRunning(tx, row, follower);
              if (is_put && turn !== undefined) await turns.enter(tx, turn);
              return is_put;
            });
      if (!put) throw new Problem('cancelled', { detail: 'The call ended before it began.' });
      if (!held.has(row.id)) hold(row.id, asked_at);
    },
    remove: async (id) => {
      await retryWhileAway(stopping, async () => await store.remove(db, id));
      held.get(id)?.release();
      held.delete(id);
    },
    end: async (id, answer) => {
      await retryWhileAway(stopping, async () => await store.end(db, id, answer, owner));
      held.get(id)?.release();
      held.delete(id);
    },
    leave,
    start: () => {
      let released = !alone;
      polling = startLoop(
        async () =>
          await retryWhileAway(stopping, async () => {
            if (!released) await store.releaseAll(db, owner);
            released = true;
            return await claim();
          }),
        { pause_ms: poll_ms, onError },
      );
    },
    close: async () => {
      await polling?.stop();
      for (const { release } of held.values()) release();
      await leases.stop();
      await store.release(db, owner, [...held.keys()]).catch(onError);
      await lease_db.close();
    },
  };
}
