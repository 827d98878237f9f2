import type { Database, Tx } from '../database/database.ts';
import { forget, type Retention } from './forget.ts';
import { startLoop, type Loop } from './loop.ts';
import type { QueueRules } from './queue.ts';
import * as store from './store.ts';

export type { Job } from './store.ts';

export interface Queue extends QueueRules {
  /** Enqueues what has come up; true when there may be more. */
  feed?: () => Promise<boolean>;
  /** One attempt. What it throws is a bug: reported, and tried again. Absent where nothing can do the work by now: jobs wait. */
  work?: (job: store.Job, signal: AbortSignal) => Promise<Outcome>;
  /** What is forgotten beside its jobs. */
  retentions?: readonly Retention[];
}

export interface Outcome extends store.Ending {
  /** Writes something in the same transaction. */
  record?: (tx: Tx) => Promise<void>;
}

export interface WorkSettings {
  /** No other process works on this database: what is held was held by one that was killed, and is done at once. */
  alone: boolean;
  onError: (error: unknown) => void;
  poll_ms?: number;
}

const forget_pause_ms = 15 * 60_000;
const forget_limit = 1000;
// What is under way at a stop may end: broken off, it would be done twice.
const ending_ms = 3000;

/** Works on the queues. A process asks for what is due in all of them with one statement. */
export async function startQueues(
  db: Database,
  queues: readonly Queue[],
  { alone, onError, poll_ms = 500 }: WorkSettings,
): Promise<Pick<Loop, 'stop'>> {
  const cut = new AbortController();
  const under_way = new Map<Promise<void>, Queue>();
  if (alone) await store.releaseAll(db);

  async function claim(): Promise<boolean> {
    const busy = [...under_way.values()];
    const places = queues.map((queue) => {
      const free = queue.work === undefined ? 0 : queue.at_a_time - busy.filter((other) => other === queue).length;
      return { queue: queue.name, free, lease_ms: queue.lease_ms };
    });
    const jobs = await store.claim(db, places);
    for (const job of jobs) begin(job);
    return jobs.length > 0;
  }

  function begin(job: store.Job): void {
    const queue = queues.find(({ name }) => name === job.queue);
    if (queue === undefined) throw new Error(`a job of the queue ${job.queue} was not asked for`);
    const doing = attempt(db, queue, job, { signal: cut.signal, onError })
      .catch(onError)
      .finally(() => {
        under_way.delete(doing);
        for (const loop of loops) loop.wake();
      });
    under_way.set(doing, queue);
  }

  const claiming = startLoop(claim, { pause_ms: poll_ms, onError });
  const feeding = queues.flatMap(({ feed }) => {
    if (feed === undefined) return [];
    const feedOn = async () => {
      const more = await feed();
      if (more) claiming.wake();
      return more;
    };
    return [startLoop(feedOn, { pause_ms: poll_ms, onError })];
  });
  const loops = [claiming, ...feeding];
  const kept = queues.flatMap((queue) => [...store.retentionsOf(queue), ...(queue.retentions ?? [])]);
  const forgetOld = async () => {
    const more = await Promise.all(kept.map(async (retention) => await forget(db, retention, forget_limit)));
    return more.includes(true);
  };
  const forgetting = startLoop(forgetOld, { pause_ms: forget_pause_ms, onError });
  return {
    stop: async () => {
      await Promise.all([...loops, forgetting].map(async (loop) => await loop.stop()));
      const timer = setTimeout(() => cut.abort(), ending_ms);
      await Promise.all(under_way.keys());
      clearTimeout(timer);
    },
  };
}

const unexpected: Outcome = { state: 'retry', problem: 'it failed unexpectedly; the service log says why' };

async function attempt(
  db: Database,
  { work, keep_days, first_wait_ms, longest_wait_ms }: Queue,
  job: store.Job,
  { signal, onError }: { signal: AbortSignal; onError: (error: unknown) => void },
): Promise<void> {
  const outcome = await work?.(job, signal).catch((error: unknown) => {
    onError(error);
    return unexpected;
  });
  if (outcome === undefined) throw new Error(`a job of the queue ${job.queue} was claimed, and nothing can do it`);
  if (signal.aborted && outcome.state === 'retry') return await store.release(db, job);
  // Somewhere in the upper half, so that those that failed together do not come back together.
  const wait_ms = Math.min(first_wait_ms * 2 ** (job.attempts - 1), longest_wait_ms) * (0.5 + Math.random() / 2);
  await db.transaction(async (tx) => {
    if (!(await store.end(tx, job, outcome, wait_ms))) return;
    await outcome.record?.(tx);
    if (keep_days === undefined) await store.removeEnded(tx, job);
  });
}
