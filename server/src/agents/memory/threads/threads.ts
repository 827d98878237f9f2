// What people do with their threads. Nothing here wakes an agent.
import { randomUUID } from 'node:crypto';
import type { Page } from '@gantry/contract/endpoint.ts';
import {
  most_rated_runs,
  type OwnThreadDetail,
  type ThreadDetail,
  type ThreadOutline,
  type threadStates,
  type ThreadState,
  type ThreadSummary,
} from '@gantry/contract/agents/threads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { feedbackBy } from '../../../models/traces/feedback.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { keepsThreads } from '../../deploy/serving/keeps-threads.ts';
import { copyStates } from '../copy-thread.ts';
import { refuseFull } from '../quota.ts';
import type { MemoryParts } from '../parts.ts';
import * as stateStore from '../state-store.ts';
import * as store from '../thread-store.ts';
import { ownAgent, ownThread } from './own-agent.ts';
import { readTitles } from './titles.ts';
import { openInterrupts, printOutline, printStates, printThread } from './print-thread.ts';

export interface ThreadParts extends MemoryParts {
  cursors: Cursors;
}

interface Asked {
  caller: Caller;
  name: string;
}

interface PageOf {
  limit: number;
  cursor?: string | undefined;
}

interface ListOf {
  state?: (typeof threadStates)[number] | undefined;
  titles: boolean;
}

export async function listThreads(
  { db, envelope, cursors }: ThreadParts,
  { caller, name, limit, cursor, state, titles }: Asked & PageOf & ListOf,
): Promise<Page<ThreadSummary>> {
  const { agent, owner_id } = await ownAgent(db, caller, name);
  const scope = ['threads', owner_id, agent.id, state ?? null, titles];
  const before = cursors.read(cursor, scope) as [string, string] | undefined;
  const where = state && store.whereState[state];
  const found = await store.listThreads(db, { agent_id: agent.id, owner_id, before, limit: limit + 1, where });
  const shown = found.slice(0, limit).map(({ id }) => id);
  const title_of = titles ? await readTitles({ db, envelope }, shown) : undefined;
  return cursors.page(
    found,
    limit,
    scope,
    ({ used_at, id }) => [used_at, id],
    (row) => ({ ...printThread(row), ...(title_of && { title: title_of.get(row.id) ?? null }) }),
  );
}

/** Throws `exists`, `not_deployed` or `threads_not_kept`. */
export async function createThread(
  { db }: ThreadParts,
  { caller, name, thread_id = randomUUID() }: Asked & { thread_id?: string | undefined },
): Promise<ThreadSummary> {
  const own = await ownAgent(db, caller, name);
  const keeps = await keepsThreads(db, own.agent.id);
  if (keeps === undefined) throw new Problem('not_deployed');
  if (!keeps)
    throw new Problem('threads_not_kept', {
      detail: `The service keeps no threads of ${own.agent.ref}: it keeps them itself, or has none.`,
    });
  if ((await store.makeThread(db, own.named(thread_id))) === undefined) throw new Problem('exists');
  return printThread(await ownThread(db, own, thread_id));
}

/** Throws `not_found` or `memory_damaged`. */
export async function showThread(
  parts: ThreadParts,
  { caller, name, thread }: Asked & { thread: string },
): Promise<OwnThreadDetail> {
  const { db } = parts;
  const row = await ownThread(db, await ownAgent(db, caller, name), thread);
  const run_ids = await stateStore.runsOf(db, row.id);
  const feedback = await feedbackBy(db, { caller_id: row.owner_id, run_ids, limit: most_rated_runs });
  return { ...(await detailOf(parts, row)), feedback };
}

export async function detailOf({ db, envelope }: MemoryParts, row: store.ThreadRow): Promise<ThreadDetail> {
  const [found] = await stateStore.findStates(db, row.id, { ns: '', limit: 1 });
  const [latest] = found === undefined ? [] : await printStates({ db, envelope }, row.id, [found]);
  const printed = printThread(row);
  return {
    ...printed,
    interrupts: await openInterrupts(envelope, row),
    latest: latest ?? null,
    continues_at: printed.state === 'interrupted' ? row.next_nodes : [],
  };
}

/** Throws `not_found` or `memory_damaged`. */
export async function threadHistory(
  { db, envelope, cursors }: ThreadParts,
  { caller, name, thread, run_id, limit, cursor }: Asked & PageOf & { thread: string; run_id?: string | undefined },
): Promise<Page<ThreadState>> {
  const own = await ownAgent(db, caller, name);
  const { id } = await ownThread(db, own, thread);
  const scope = ['thread_history', own.owner_id, id, run_id ?? null];
  const [before] = (cursors.read(cursor, scope) ?? []) as string[];
  const found = await stateStore.findStates(db, id, { ns: '', before, run_id, limit: limit + 1 });
  const printed = await printStates({ db, envelope }, id, found);
  return cursors.page(
    printed,
    limit,
    scope,
    ({ checkpoint_id }) => [checkpoint_id],
    (state) => state,
  );
}

/** Throws `not_found`, `conflict` for a state that it has not, `exists`, `memory_full` or `memory_damaged`. */
export async function forkThread(
  { db, envelope }: ThreadParts,
  asked: Asked & { thread: string; checkpoint_id?: string | undefined; thread_id?: string | undefined },
): Promise<ThreadSummary> {
  const { thread_id = randomUUID(), checkpoint_id } = asked;
  const own = await ownAgent(db, asked.caller, asked.name);
  const from = await ownThread(db, own, asked.thread);
  const [upTo] = await stateStore.findStates(db, from.id, { ns: '', id: checkpoint_id, limit: 1 });
  if (upTo === undefined) throw new Problem('conflict', { detail: 'The thread has no such state.' });
  await refuseFull(db, { agent_id: own.agent.id, owner_id: own.owner_id }, from.bytes);
  await db.transaction(async (tx) => {
    const to = await store.makeThread(tx, own.named(thread_id));
    if (to === undefined) throw new Problem('exists');
    await copyStates({ tx, envelope }, { from: from.id, to, upTo: upTo.id });
    await store.setNext(tx, to, upTo.next_nodes ?? []);
  });
  return printThread(await ownThread(db, own, thread_id));
}

/** Throws `not_found`, or `thread_busy` while a call works on it. */
export async function deleteThread(
  { db }: ThreadParts,
  { caller, name, thread }: Asked & { thread: string },
): Promise<void> {
  const own = await ownAgent(db, caller, name);
  const { id } = await ownThread(db, own, thread);
  await change(db, own.grant, 'thread.deleted', async (tx, note) => {
    if (!(await store.deleteThread(tx, id))) throw new Problem('thread_busy');
    note({ thread: id });
  });
}

/** All but the newest state are deleted. Throws `thread_busy` while a call works on the thread. */
export async function keepLatestState({ db }: Pick<ThreadParts, 'db'>, thread_id: string): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await store.lockIdle(tx, thread_id))) throw new Problem('thread_busy');
    await stateStore.keepLatest(tx, thread_id);
  });
}

/** Everybody's, for an admin of the agent: that they exist, their sizes and times. */
export async function allThreads(
  { db, cursors }: ThreadParts,
  { caller, name, limit, cursor }: Asked & PageOf,
): Promise<Page<ThreadOutline>> {
  const agent = await loadAsset(db, { kind: 'agent', name }, caller);
  const user = signedIn(caller);
  authorize(user, 'thread.read_all', agent);
  const scope = ['all_threads', user.id, agent.id];
  const before = cursors.read(cursor, scope) as [string, string] | undefined;
  const found = await store.listThreads(db, { agent_id: agent.id, before, limit: limit + 1 });
  return cursors.page(
    found,
    limit,
    scope,
    ({ used_at, id }) => [used_at, id],
    (row) => ({ ...printOutline(row), owner: row.owner ?? row.owner_id }),
  );
}
