// What the ingress is made of, and what it carries over a restart: calls that were running when the service stopped are picked up again
// at the container that runs them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { interrupted } from './interrupted.ts';
import type { ServingAgents } from '../deploy/serving.ts';
import * as store from './store.ts';
import { pollRun } from './poll-run.ts';

export interface Ingress {
  db: Database;
  agents: ServingAgents;
  sync_budget_ms: number;
  /** Work that goes on after the answer; a failure of it is a bug and is logged. */
  background(work: Promise<unknown>): void;
}

const keep_days = 7;
const look_again_ms = 1000;

/** Follows every call that a service before this one left running, and forgets results that nobody fetched for a week. */
export async function pickUpRuns(ingress: Ingress, stopping: AbortSignal): Promise<void> {
  await store.forgetOld(ingress.db, keep_days);
  for (const row of await store.running(ingress.db)) ingress.background(follow(ingress, row, stopping));
}

async function follow(ingress: Ingress, row: store.Invocation, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const instance = await ingress.agents.instance(row.revision_id);
    const result = instance === undefined ? interrupted(undefined) : await pollRun(instance, row.id);
    if (result !== 'running') return await store.end(ingress.db, row.id, result);
    await sleep(look_again_ms, undefined, { signal: stopping }).catch(() => {}); // woken to stop
  }
}
