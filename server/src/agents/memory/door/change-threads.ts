// What langgraph's checkpointers do to whole threads, from within a run: delete, copy and prune. Each holds the run open until it is done.
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Tx } from '../../../ground/database/database.ts';
import { copyStates } from '../copy-thread.ts';
import type { MemoryParts } from '../parts.ts';
import * as stateStore from '../state-store.ts';
import * as store from '../thread-store.ts';
import { askingRun, threadOf, type AskingRun } from './open-run.ts';
import { refuseFull } from '../quota.ts';

/** Throws `run_refused`, `no_thread` or `thread_busy`. */
export async function deleteStates(
  { db }: MemoryParts,
  { caller, thread }: { caller: Caller; thread: string | undefined },
): Promise<void> {
  const asking = await askingRun(db, caller);
  const thread_id = await threadOf(db, asking, thread);
  if (thread_id === undefined) return;
  await db.transaction(async (tx) => {
    await hold(tx, asking, thread_id);
    await stateStore.deleteStates(tx, thread_id);
  });
}

/** An unknown `from` copies nothing. Throws `run_refused`, `thread_busy` or `memory_full`. */
export async function copyThread(
  { db, envelope }: MemoryParts,
  { caller, from, to }: { caller: Caller; from: string; to: string },
): Promise<void> {
  const asking = await askingRun(db, caller);
  const source = await threadOf(db, asking, from);
  if (source === undefined) return;
  await refuseFull(db, asking.owner, await store.bytesOf(db, source));
  await db.transaction(async (tx) => {
    const target = await store.putThread(tx, asking.named(to));
    await hold(tx, asking, target);
    await copyStates({ tx, envelope }, { from: source, to: target });
  });
}

/** Of all threads that the caller has here. Throws `run_refused`. */
export async function deleteRuns(
  { db }: MemoryParts,
  { caller, run_ids }: { caller: Caller; run_ids: readonly string[] },
): Promise<void> {
  const asking = await askingRun(db, caller);
  // Whatever its name, a thread of the caller is in this space.
  const { agent_id, space } = asking.named('');
  const known = run_ids.filter((id) => uuid.test(id));
  await db.transaction(async (tx) => await stateStore.deleteStatesOfRuns(tx, { agent_id, space, run_ids: known }));
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Throws `run_refused` or `thread_busy`. */
export async function prune(
  { db }: MemoryParts,
  { caller, threads, strategy }: { caller: Caller; threads: readonly string[]; strategy: 'keep_latest' | 'delete' },
): Promise<void> {
  const asking = await askingRun(db, caller);
  for (const name of threads) {
    const thread_id = await threadOf(db, asking, name);
    if (thread_id === undefined) continue;
    await db.transaction(async (tx) => {
      await hold(tx, asking, thread_id);
      await (strategy === 'delete' ? stateStore.deleteStates(tx, thread_id) : stateStore.keepLatest(tx, thread_id));
    });
  }
}

async function hold(tx: Tx, { run }: AskingRun, thread_id: string): Promise<void> {
  if (!(await stateStore.holdThread(tx, run, thread_id))) throw new Problem('thread_busy');
}
