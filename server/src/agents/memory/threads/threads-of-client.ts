// What clients of langgraph's API see of a caller's threads, beyond the threads themselves: metadata, and states one by one.
import type { ThreadState } from '@gantry/contract/agents/threads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { openContent, rows, sealContent } from '../sealed-content.ts';
import type { MemoryParts } from '../parts.ts';
import * as stateStore from '../state-store.ts';
import * as store from '../thread-store.ts';
import type { ThreadRow } from '../thread-store.ts';
import type { OwnAgent } from './own-agent.ts';
import { printStates } from './print-thread.ts';

export type { ThreadRow } from '../thread-store.ts';
export { openInterrupts } from './print-thread.ts';

export type Metadata = Record<string, unknown>;

const max_metadata_bytes = 64 * 1024;

/** Throws `memory_damaged`. */
export async function openMetadata(
  { envelope }: Pick<MemoryParts, 'envelope'>,
  { id, metadata }: Pick<ThreadRow, 'id' | 'metadata'>,
): Promise<Metadata> {
  if (metadata === null) return {};
  const { head } = await openContent(envelope, rows.metadata(id), metadata);
  return head as Metadata; // keepMetadata has sealed an object
}

/** Throws `too_large`. */
export async function keepMetadata({ db, envelope }: MemoryParts, id: string, metadata: Metadata): Promise<void> {
  if (JSON.stringify(metadata).length > max_metadata_bytes)
    throw new Problem('too_large', { detail: 'The metadata of a thread has at most 64 KB.' });
  const sealed = await sealContent(envelope, rows.metadata(id), { head: metadata, parts: [] });
  await store.setMetadata(db, id, sealed);
}

/** The last used first. */
export const ownThreads = async (
  { db }: Pick<MemoryParts, 'db'>,
  { agent, owner_id }: Pick<OwnAgent, 'agent' | 'owner_id'>,
  limit: number,
): Promise<ThreadRow[]> => await store.listThreads(db, { agent_id: agent.id, owner_id, before: undefined, limit });

/** The newest first: of the graph itself, or of the nested graph with this namespace. Throws `memory_damaged`. */
export async function statesOf(
  { db, envelope }: MemoryParts,
  thread_id: string,
  wanted: { ns?: string; id?: string | undefined; before?: string | undefined; limit: number },
): Promise<ThreadState[]> {
  return await printStates(
    { db, envelope },
    thread_id,
    await stateStore.findStates(db, thread_id, { ns: '', ...wanted }),
  );
}

/** The last states of the graphs that ran in the steps after this state. Each has its namespace, `<outer>|<step>:<id>`. */
export const nestedStates = async (
  { db }: Pick<MemoryParts, 'db'>,
  thread_id: string,
  after: { ns: string; id: string },
): Promise<{ ns: string; id: string }[]> => await stateStore.findNested(db, thread_id, after);
