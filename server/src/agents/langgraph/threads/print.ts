// Threads and states in the shapes of langgraph's API.
import type { Interrupt, ThreadState } from '@gantry/contract/agents/threads.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import type { MemoryParts } from '../../memory/parts.ts';
import { openInterrupts, openMetadata, statesOf, type ThreadRow } from '../../memory/threads/threads-of-client.ts';
import type { Json } from '../json.ts';
import { inLangchainForm } from './messages.ts';

export type Status = 'idle' | 'busy' | 'interrupted' | 'error';

/** `error`: its last run ended before its last step. */
export function statusOf({ is_working, waits, next_nodes }: ThreadRow): Status {
  if (is_working) return 'busy';
  if (waits !== null) return 'interrupted';
  return next_nodes.length > 0 ? 'error' : 'idle';
}

export interface PrintedThread extends Json {
  thread_id: string;
  created_at: string;
  updated_at: string;
  status: Status;
}

/** Throws `memory_damaged`. */
export async function printThread(parts: MemoryParts, agent: AssetRecord, row: ThreadRow): Promise<PrintedThread> {
  const [latest] = await statesOf(parts, row.id, { limit: 1 });
  const interrupts = await interruptsOf(parts, row);
  const tasks = latest === undefined ? [] : tasksOf(latest, interrupts);
  return {
    ...printHead(agent, row),
    metadata: await metadataOf(parts, agent, row),
    config: {},
    context: {},
    values: latest === undefined ? null : inLangchainForm(latest.values),
    interrupts: Object.fromEntries(
      tasks.filter((one) => one.interrupts.length > 0).map((one) => [one.id, one.interrupts]),
    ),
  };
}

function printHead({ id: _ }: AssetRecord, row: ThreadRow) {
  const { name: thread_id, created_at, used_at } = row;
  return { thread_id, created_at, updated_at: used_at, state_updated_at: used_at, status: statusOf(row) };
}

/** With the members by which clients find the threads of an agent. */
export async function metadataOf(parts: MemoryParts, { id, name }: AssetRecord, row: ThreadRow): Promise<Json> {
  return { ...(await openMetadata(parts, row)), graph_id: name, assistant_id: id };
}

/** Of a thread that waits for a person; a breakpoint waits without a question. */
export async function interruptsOf(parts: MemoryParts, row: ThreadRow): Promise<Interrupt[]> {
  const found = await openInterrupts(parts.envelope, row);
  return found.filter((one) => !('next' in one));
}

/** The state of a graph that a task has run, or where it is. */
export interface Nested {
  /** Of the step. */
  name: string;
  ns: string;
  /** Printed; undefined when nobody has asked for it. */
  state?: Json;
}

/** `interrupts`: of the latest state of its thread; an older one has none. `ns`: of a nested graph. */
export function printState(
  row: ThreadRow,
  state: ThreadState,
  { interrupts, ns = '', nested = [] }: { interrupts: readonly Interrupt[]; ns?: string; nested?: readonly Nested[] },
): Json {
  const { values, next, source, step, run_id, created_at, checkpoint_id, parent_id } = state;
  return {
    values: inLangchainForm(values),
    next: next ?? [],
    tasks: tasksOf(state, interrupts).map((task) => ({ ...task, ...graphOf(row, nestedOf(nested, state, task)) })),
    metadata: { source, step, run_id, thread_id: row.name },
    created_at,
    checkpoint: checkpointOf(row, checkpoint_id, ns),
    parent_checkpoint: parent_id === null ? null : checkpointOf(row, parent_id, ns),
    interrupts,
  };
}

/** Of a thread that no run has written to. */
export function printNoState(row: ThreadRow): Json {
  const checkpoint = checkpointOf(row, null);
  const none = { tasks: [], metadata: {}, created_at: null, parent_checkpoint: null, interrupts: [] };
  return { values: {}, next: [], checkpoint, ...none };
}

const checkpointOf = ({ name: thread_id }: ThreadRow, checkpoint_id: string | null, checkpoint_ns = '') => ({
  thread_id,
  checkpoint_ns,
  checkpoint_id,
  checkpoint_map: null,
});

/** The first of its name for the first task of that name, and so on: several tasks can run one step. */
function nestedOf(nested: readonly Nested[], { next }: ThreadState, { id, name }: { id: string; name: string }) {
  const index = Number(id.slice(id.lastIndexOf(':') + 1));
  const before = (next ?? []).slice(0, index).filter((one) => one === name).length;
  return nested.filter((one) => one.name === name)[before];
}

/** The SDKs read the state, or go to where it is. */
function graphOf({ name: thread_id }: ThreadRow, nested: Nested | undefined) {
  if (nested === undefined) return {};
  return nested.state === undefined ? { checkpoint: { thread_id, checkpoint_ns: nested.ns } } : { state: nested.state };
}

// A state has the names of the next steps. langgraph makes the id of a task from more than that, so this one is ours.
function tasksOf({ checkpoint_id, next }: ThreadState, interrupts: readonly Interrupt[]) {
  return (next ?? []).map((name, index) => ({
    id: `${checkpoint_id}:${index}`,
    name,
    error: null,
    interrupts: index === 0 ? interrupts : [],
    checkpoint: null,
    state: null,
    result: null,
  }));
}
