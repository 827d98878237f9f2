// Deferred work. Promise: an enqueued job runs at least once when its transaction commits, and never when it rolls back.
// A killed process changes neither. One process at a time holds a job, under a lease; when it dies, the next takes the job.
// A failed attempt is repeated after growing waits, until the job succeeds or its time is over.
// Must never happen: an attempt that lost its job writes the outcome. So that write names the attempt.
// The jobs of a queue run in parallel and in no order. A job that must follow another is enqueued after its end.
// Another process finds a job within half a second.
import type { Tx } from '../database/database.ts';
import * as store from './store.ts';

export interface QueueRules {
  name: string;
  /** Jobs that one process works on at the same time. */
  at_a_time: number;
  /** Must outlast an attempt. */
  lease_ms: number;
  /** The wait after the first failure. It doubles with each failure, up to the longest. */
  first_wait_ms: number;
  longest_wait_ms: number;
  /** After this time a failed job is not repeated. Without it, a job is repeated for ever. */
  give_up_hours?: number;
  /** The time that an ended job is kept. Without it, the job is deleted at its end. */
  keep_days?: number;
}

export interface NewJob {
  /** The subject of the job. A queue has one job per key. */
  key: string;
  /** The start of `give_up_hours`; by default now. The job has at least one attempt. */
  since?: string;
}

/** Returns the ids of the new jobs. */
export async function enqueue(tx: Tx, rules: QueueRules, jobs: readonly NewJob[]): Promise<string[]> {
  return jobs.length === 0 ? [] : await store.insert(tx, rules, jobs);
}

/** Gives an ended job one more attempt. False when the job has not ended. */
export const requeue = store.requeue;
export const backlog = store.backlog;
