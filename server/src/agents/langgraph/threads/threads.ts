// The threads of langgraph's API: those of the caller with this agent. Nothing here wakes an agent.
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Checkpoint, threadFilter, threadSearch } from '@gantry/contract/agents/langgraph/threads.ts';
import type { Interrupt, ThreadState } from '@gantry/contract/agents/threads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import { findOwn, ownAgent, ownThread, type OwnAgent } from '../../memory/threads/own-agent.ts';
import {
  keepMetadata,
  nestedStates,
  openMetadata,
  ownThreads,
  statesOf,
  type Metadata,
  type ThreadRow,
} from '../../memory/threads/threads-of-client.ts';
import {
  createThread,
  deleteThread,
  forkThread,
  keepLatestState,
  type ThreadParts,
} from '../../memory/threads/threads.ts';
import type { Json } from '../json.ts';
import { notAnswered, refuseUnanswered } from '../not-answered.ts';
import { inLangchainForm } from './messages.ts';
import { interruptsOf, metadataOf, printNoState, printState, printThread, statusOf, type Nested } from './print.ts';

interface Asked {
  caller: Caller;
  name: string;
}
type OfThread = Asked & { thread: string };

/** A filter reads all threads of the caller, which are sealed. */
const most_threads = 1000;
/** Of nested graphs in one answer. A client asks for those below by their namespace. */
const most_levels = 10;

export async function createNamedThread(
  parts: ThreadParts,
  {
    caller,
    name,
    thread_id,
    metadata,
    if_exists,
    supersteps,
    ttl,
  }: Asked & {
    thread_id?: string | null | undefined;
    metadata?: Metadata | null | undefined;
    if_exists?: 'raise' | 'do_nothing' | null | undefined;
    supersteps?: unknown;
    ttl?: unknown;
  },
): Promise<Reply> {
  refuseUnanswered({ supersteps: isGiven(supersteps), ttl: isGiven(ttl) });
  const named = thread_id ?? randomUUID();
  try {
    await createThread(parts, { caller, name, thread_id: named });
  } catch (error) {
    const isThere = error instanceof Problem && error.code === 'exists';
    if (!isThere || if_exists !== 'do_nothing') throw error;
    return await showThread(parts, { caller, name, thread: named });
  }
  const own = await ownAgent(parts.db, caller, name);
  const { id } = await ownThread(parts.db, own, named);
  await keepMetadata(parts, id, metadata ?? {});
  return await showThread(parts, { caller, name, thread: named });
}

export async function showThread(parts: ThreadParts, { caller, name, thread }: OfThread): Promise<Reply> {
  const own = await ownAgent(parts.db, caller, name);
  return jsonReply(await printThread(parts, own.agent, await ownThread(parts.db, own, thread)));
}

/** Merges the metadata. */
export async function updateThread(
  parts: ThreadParts,
  { caller, name, thread, metadata, ttl }: OfThread & { metadata?: Metadata | null | undefined; ttl?: unknown },
): Promise<Reply> {
  refuseUnanswered({ ttl: isGiven(ttl) });
  const own = await ownAgent(parts.db, caller, name);
  const row = await ownThread(parts.db, own, thread);
  await keepMetadata(parts, row.id, { ...(await openMetadata(parts, row)), ...metadata });
  return await showThread(parts, { caller, name, thread });
}

export async function copyThread(parts: ThreadParts, { caller, name, thread }: OfThread): Promise<Reply> {
  const own = await ownAgent(parts.db, caller, name);
  const from = await ownThread(parts.db, own, thread);
  const isEmpty = (await statesOf(parts, from.id, { limit: 1 })).length === 0;
  const asked = { caller, name, thread_id: randomUUID() };
  const { id, thread_id } = isEmpty ? await createThread(parts, asked) : await forkThread(parts, { ...asked, thread });
  await keepMetadata(parts, id, await openMetadata(parts, from));
  return await showThread(parts, { caller, name, thread: thread_id });
}

/** Threads that are not there are no failure. Throws `thread_busy` for one on which a call works; those before it are pruned then. */
export async function pruneThreads(
  parts: ThreadParts,
  {
    caller,
    name,
    thread_ids,
    strategy,
  }: Asked & { thread_ids: readonly string[]; strategy?: 'delete' | 'keep_latest' | null | undefined },
): Promise<Reply> {
  const own = await ownAgent(parts.db, caller, name);
  let pruned_count = 0;
  for (const thread of new Set(thread_ids)) {
    const row = await findOwn(parts.db, own.named(thread));
    if (row === undefined) continue;
    if (strategy === 'keep_latest') await keepLatestState(parts, row.id);
    else await deleteThread(parts, { caller, name, thread });
    pruned_count += 1;
  }
  return jsonReply({ pruned_count });
}

type Search = z.output<typeof threadSearch>;
type Filter = z.output<typeof threadFilter>;

export async function searchThreads(parts: ThreadParts, { caller, name, ...search }: Asked & Search): Promise<Reply> {
  refuseUnanswered({ extract: isGiven(search.extract) });
  const { limit, offset, ids, select, sort_by, sort_order } = search;
  const own = await ownAgent(parts.db, caller, name);
  const among = (await fitting(parts, own, search)).filter(
    ({ name: id }) => ids === null || ids === undefined || ids.includes(id),
  );
  const ordered = inOrder(among, sort_by ?? 'updated_at', sort_order ?? 'desc');
  const page = ordered.slice(offset, offset + limit);
  const printed = await Promise.all(
    page.map(async (row) => selected(await printThread(parts, own.agent, row), select)),
  );
  const more = ordered.length > offset + limit && { 'x-pagination-next': String(offset + limit) };
  return jsonReply(printed, 200, { 'x-pagination-total': String(ordered.length), ...more });
}

export async function countThreads(parts: ThreadParts, { caller, name, ...filter }: Asked & Filter): Promise<Reply> {
  const own = await ownAgent(parts.db, caller, name);
  return jsonReply((await fitting(parts, own, filter)).length);
}

async function fitting(parts: ThreadParts, own: OwnAgent, { metadata, values, status }: Filter): Promise<ThreadRow[]> {
  const rows = await ownThreads(parts, own, most_threads);
  const wanted = Object.entries(metadata ?? {});
  const wantsValues = Object.keys(values ?? {}).length > 0;
  const kept = await Promise.all(
    rows.map(async (row) => {
      if (status !== undefined && status !== null && statusOf(row) !== status) return [];
      const has = wanted.length === 0 ? {} : await metadataOf(parts, own.agent, row);
      if (!wanted.every(([member, value]) => JSON.stringify(has[member]) === JSON.stringify(value))) return [];
      if (!wantsValues) return [row];
      const [latest] = await statesOf(parts, row.id, { limit: 1 });
      return contains(inLangchainForm(latest?.values), values) ? [row] : [];
    }),
  );
  return kept.flat();
}

/** As `@>` of PostgreSQL: each member that is wanted, and each item of a list somewhere in it. */
function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((one) => value.some((item) => contains(item, one)));
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const has = new Map<string, unknown>(Object.entries(value));
  return Object.entries(wanted).every(([member, one]) => contains(has.get(member), one));
}

const keys: Readonly<Record<string, (row: ThreadRow) => string>> = {
  thread_id: ({ name }) => name,
  status: statusOf,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ used_at }) => used_at,
  state_updated_at: ({ used_at }) => used_at,
};

function inOrder(rows: readonly ThreadRow[], sort_by: string, sort_order: string): ThreadRow[] {
  const keyOf = Object.hasOwn(keys, sort_by) ? keys[sort_by] : undefined;
  if (keyOf === undefined) throw notAnswered(`\`sort_by: ${sort_by}\``);
  const sign = sort_order.toLowerCase() === 'asc' ? 1 : -1;
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -sign : keyOf(one) > keyOf(other) ? sign : 0));
}

export async function showState(
  parts: ThreadParts,
  {
    caller,
    name,
    thread,
    checkpoint: at,
    subgraphs,
    select,
  }: OfThread & {
    checkpoint?: Checkpoint | string | undefined;
    subgraphs?: boolean | null | undefined;
    select?: readonly string[] | null | undefined;
  },
): Promise<Reply> {
  const own = await ownAgent(parts.db, caller, name);
  const row = await ownThread(parts.db, own, thread);
  const { ns, id } = placeOf(at);
  const [latest] = await statesOf(parts, row.id, { ns, limit: 1 });
  if (id === undefined && ns === '' && latest === undefined) return jsonReply(selected(printNoState(row), select));
  const [found] = id === undefined ? [latest] : await statesOf(parts, row.id, { ns, id, limit: 1 });
  if (found === undefined) throw new Problem('not_found', { detail: 'The thread has no such checkpoint.' });
  const interrupts = found.checkpoint_id === latest?.checkpoint_id ? await interruptsOf(parts, row) : [];
  const printed = await printWithNested(parts, row, {
    state: found,
    ns,
    interrupts,
    levels: subgraphs === true ? most_levels : 0,
  });
  return jsonReply(selected(printed, select));
}

interface Printing {
  state: ThreadState;
  ns: string;
  interrupts: readonly Interrupt[];
  /** With the states of the graphs under it, so many levels of them. */
  levels: number;
}

async function printWithNested(parts: ThreadParts, row: ThreadRow, printing: Printing): Promise<Json> {
  const { state, ns, interrupts, levels } = printing;
  const isOver = (state.next ?? []).length === 0;
  const under = isOver ? [] : await nestedStates(parts, row.id, { ns, id: state.checkpoint_id });
  const nested: Nested[] = [];
  for (const place of under) {
    const own = place.ns.slice(place.ns.lastIndexOf('|') + 1);
    const step = own.slice(0, own.lastIndexOf(':'));
    const [inner] = levels > 0 ? await statesOf(parts, row.id, { ...place, limit: 1 }) : [];
    const below = { ns: place.ns, interrupts, levels: levels - 1 };
    const printed = inner && (await printWithNested(parts, row, { ...below, state: inner }));
    nested.push({ name: step, ns: place.ns, ...(printed && { state: printed }) });
  }
  return printState(row, state, { interrupts, ns, nested });
}

export async function listStates(
  parts: ThreadParts,
  asked: OfThread & {
    limit: number;
    before?: Checkpoint | string | null | undefined;
    metadata?: object | null | undefined;
    checkpoint?: Checkpoint | null | undefined;
    select?: readonly string[] | null | undefined;
  },
): Promise<Reply> {
  const { caller, name, thread, limit, before, metadata, checkpoint: of, select } = asked;
  refuseUnanswered({ metadata: Object.keys(metadata ?? {}).length > 0 });
  const { ns } = placeOf(of ?? undefined);
  const own = await ownAgent(parts.db, caller, name);
  const row = await ownThread(parts.db, own, thread);
  const found = await statesOf(parts, row.id, { ns, before: placeOf(before ?? undefined).id, limit });
  const isLatest = before === undefined || before === null;
  const waiting = isLatest ? await interruptsOf(parts, row) : [];
  return jsonReply(
    found.map((state, index) => {
      const interrupts = index === 0 ? waiting : [];
      return selected(printState(row, state, { interrupts, ns }), select);
    }),
  );
}

/** The namespace, empty for the graph itself, and the id of a checkpoint. */
function placeOf(at: Checkpoint | string | undefined): { ns: string; id: string | undefined } {
  if (at === undefined || typeof at === 'string') return { ns: '', id: at };
  return { ns: at.checkpoint_ns ?? '', id: at.checkpoint_id ?? undefined };
}

/** For a run or a change, which begins at a state of the graph itself. Throws `not_answered` for one of a nested graph. */
export function checkpointId(at: Checkpoint | string | undefined): string | undefined {
  if (at === undefined || typeof at === 'string') return at;
  if ((at.checkpoint_ns ?? '') !== '') throw notAnswered('`checkpoint_ns`, the state of a nested graph,');
  return at.checkpoint_id ?? undefined;
}

/** The members that a client asks for; `values.<name>` is one member of the values. */
function selected(printed: Json, select: readonly string[] | null | undefined): Json {
  if (select === undefined || select === null) return printed;
  const whole = Object.entries(printed).filter(([member]) => select.includes(member));
  const parts = select.filter((one) => one.startsWith('values.')).map((one) => one.slice('values.'.length));
  const values = printed['values'];
  if (parts.length === 0 || select.includes('values') || typeof values !== 'object' || values === null)
    return Object.fromEntries(whole);
  const some = Object.entries(values).filter(([member]) => parts.includes(member));
  return { ...Object.fromEntries(whole), values: Object.fromEntries(some) };
}

const isGiven = (value: unknown) => value !== undefined && value !== null;
