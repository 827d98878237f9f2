import type { Interrupt, ThreadState, ThreadSummary, threadStates } from '@gantry/contract/agents/threads.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { openBlobs } from '../load-states.ts';
import { openContent, rows } from '../sealed-content.ts';
import * as stateStore from '../state-store.ts';
import type { FoundState } from '../state-store.ts';
import type { ThreadRow } from '../thread-store.ts';

function stateOf({ is_working, waits, next_nodes }: ThreadRow): (typeof threadStates)[number] {
  if (is_working) return 'working';
  if (waits !== null) return 'waiting';
  return next_nodes.length > 0 ? 'interrupted' : 'idle';
}

export function printThread(row: ThreadRow): ThreadSummary {
  return { ...printOutline(row), thread_id: row.name };
}

/** Without its name, which the caller has chosen. */
export function printOutline(row: ThreadRow): Omit<ThreadSummary, 'thread_id'> {
  const { id, next_nodes: next, via, bytes, created_at, used_at, waiting_since } = row;
  return { id, state: stateOf(row), next, via, bytes, created_at, used_at, waiting_since };
}

/** As the answer of its last run had them. */
export async function openInterrupts(
  envelope: Envelope,
  { id, waits }: Pick<ThreadRow, 'id' | 'waits'>,
): Promise<Interrupt[]> {
  if (waits === null) return [];
  const { head, take } = await openContent(envelope, rows.waits(id), waits);
  const { size } = head as { size: number };
  // putStates has read it.
  return JSON.parse(take(size).toString()) as Interrupt[];
}

/** States of the graph itself as readers see them. */
export async function printStates(
  { db, envelope }: { db: Reader; envelope: Envelope },
  thread_id: string,
  states: readonly FoundState[],
): Promise<ThreadState[]> {
  const blobs = await openBlobs(envelope, thread_id, await stateStore.findBlobs(db, thread_id, states));
  const views = new Map(blobs.map(({ ns, channel, version, view }) => [JSON.stringify([ns, channel, version]), view]));
  return states.map(({ ns, id, parent_id, run_id, versions, next_nodes, source, step, created_at }) => {
    const values = Object.entries(versions).flatMap(([channel, version]) => {
      const view = views.get(JSON.stringify([ns, channel, version]));
      return view === undefined || view.length === 0 ? [] : [[channel, readView(view)] as const];
    });
    return {
      checkpoint_id: id,
      parent_id,
      values: Object.fromEntries(values),
      next: next_nodes,
      source,
      step,
      run_id,
      created_at,
    };
  });
}

// The container has made it. What is no JSON is shown as it is, and the others stay readable.
function readView(view: Buffer): ThreadState['values'][string] {
  try {
    return JSON.parse(view.toString()) as ThreadState['values'][string];
  } catch {
    return view.toString();
  }
}
