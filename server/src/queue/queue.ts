// Work that is done later. Promise: a job that is enqueued is done at least once when its transaction commits, and never when it rolls back,
// whatever is killed meanwhile. One process at a time has a job, under a lease; one that dies leaves it to the next. An attempt that fails is
// repeated after longer and longer waits, until the job is done or its time is over. Must never happen: an attempt that lost its job to
// another writes what became of it (that write names the attempt). Jobs of a queue run beside each other, in no order: what must come in
// order is enqueued one after the other. Another process finds a job within half a second.
import type { Tx } from '../database/database.ts';
import * as store from './store.ts';

export interface QueueRules {
  name: string;
  /** Jobs that one process works on at the same time. */
  at_a_time: number;
  /** Must outlast an attempt. */
  lease_ms: number;
  /** After the first failure; twice as long after each further one, up to the longest. */
  first_wait_ms: number;
  longest_wait_ms: number;
  /** After this time a failure is the last; without, a job is never given up. */
  give_up_hours?: number;
  /** How long a job that has ended is kept; without, not at all. */
  keep_days?: number;
}

export interface NewJob {
  /** What it is about. Of one key a queue has one job. */
  key: string;
  /** When the time began after which it is given up; now unless told. At least one attempt is made. */
  since?: string;
}

/** Answers the ids of the jobs that are new. */
export async function enqueue(tx: Tx, rules: QueueRules, jobs: readonly NewJob[]): Promise<string[]> {
  return jobs.length === 0 ? [] : await store.insert(tx, rules, jobs);
}

/** One attempt more for a job that has ended; false for one that has not. */
export const requeue = store.requeue;
export const backlog = store.backlog;
