import type { Database, Tx } from '../database/database.ts';
import { forget, type Retention } from './forget.ts';
import { startLoop, type Loop } from './loop.ts';
import type { QueueRules } from './queue.ts';
import * as store from './store.ts';

export type { Job } from './store.ts';

export interface Queue extends QueueRules {
  /** Enqueues new jobs. True when more may be left. */
  feed?: () => Promise<boolean>;
  /** One attempt. An exception is a bug: it is reported, and the job is retried. Without this function the jobs wait. */
  work?: (job: store.Job, signal: AbortSignal) => Promise<Outcome>;
  /** Further rows with a retention, beside the jobs. */
  retentions?: readonly Retention[];
}

export interface Outcome extends store.Ending {
  /** Writes in the same transaction. An exception is a bug, as in the work. */
  record?: (tx: Tx) => Promise<void>;
}

export interface WorkSettings {
  /** No other process works on this database. A held job belonged to a killed process and is due at once. */
  alone: boolean;
  onError: (error: unknown) => void;
  poll_ms?: number;
}

const forget_pause_ms = 15 * 60_000;
const forget_limit = 1000;
// At a stop, running jobs may finish. An interrupted job would run twice.
const ending_ms = 3000;

/** Works on the queues. One statement claims the due jobs of all of them. */
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
    if (queue === undefined) throw new Error(`the claim returned a job of the unknown queue ${job.queue}`);
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

const unexpected: Outcome = { state: 'retry', problem: 'it failed unexpectedly; the service log has the reason' };

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
  if (outcome === undefined) throw new Error(`the queue ${job.queue} has no work function for its job`);
  if (signal.aborted && outcome.state === 'retry') return await store.release(db, job);
  // A random wait in the upper half: jobs that failed together do not return together.
  const wait_ms = Math.min(first_wait_ms * 2 ** (job.attempts - 1), longest_wait_ms) * (0.5 + Math.random() / 2);
  const end = async ({ record, ...ending }: Outcome) =>
    await db.transaction(async (tx) => {
      if (!(await store.end(tx, job, ending, wait_ms))) return;
      await record?.(tx);
      if (keep_days === undefined) await store.removeEnded(tx, job);
    });
  await end(outcome).catch(async (error: unknown) => {
    onError(error);
    await end(unexpected);
  });
}
