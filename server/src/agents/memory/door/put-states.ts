// One superstep of a run is one request: the new checkpoint, the values that it changed, and what the tasks before it have written.
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { malformed, readFrames, type FrameReader } from '../frames.ts';
import type { MemoryParts } from '../parts.ts';
import { rows, sealContent } from '../sealed-content.ts';
import * as stateStore from '../state-store.ts';
import * as store from '../thread-store.ts';
import { askingRun } from './open-run.ts';
import { refuseFull } from '../quota.ts';
import { readStateHead, type StateHead } from './state-head.ts';

interface Sent {
  caller: Caller;
  thread: string | undefined;
  body: Uint8Array;
}

/** Throws `run_refused`, `no_thread`, `thread_busy`, `memory_full` or `malformed`. */
export async function putStates({ db, envelope }: MemoryParts, { caller, thread, body }: Sent): Promise<void> {
  const asking = await askingRun(db, caller);
  const frames = readFrames(body);
  const head = readStateHead(frames.head);
  const target = thread === undefined ? asking.own_thread : asking.named(thread);
  if (target === undefined) throw new Problem('no_thread');
  await refuseFull(db, asking.owner, body.length);
  const thread_id = typeof target === 'string' ? target : await store.putThread(db, target);
  const sealed = await sealStates(envelope, { thread_id, run_id: asking.run.run_id }, head, frames);
  const written = await stateStore.putStates(db, { run: asking.run, thread_id, ...sealed });
  if (written) return;
  // The thread has another call before this one, or the run has ended meanwhile.
  await askingRun(db, caller);
  throw new Problem('thread_busy');
}

async function sealStates(
  envelope: Envelope,
  { thread_id, run_id }: { thread_id: string; run_id: string },
  { puts, writes, nexts, tail }: StateHead,
  { take, end }: FrameReader,
): Promise<Omit<stateStore.Put, 'run' | 'thread_id'>> {
  const states: stateStore.StateRow[] = [];
  const blobs: stateStore.BlobRow[] = [];
  const rows_of_writes: stateStore.WriteRow[] = [];
  const later = [...nexts];
  for (const put of puts) {
    const { ns, id, parent_id, type, size, metadata, versions, source, step, channels } = put;
    const at = later.findIndex((one) => one.ns === ns && one.id === id);
    const [told] = at < 0 ? [] : later.splice(at, 1);
    const parts = [take(size), take(metadata.size)];
    const body = await sealContent(envelope, rows.state(thread_id, { ns, id }), {
      head: { type, size, metadata },
      parts,
    });
    states.push({
      ns,
      id,
      parent_id,
      run_id: put.run_id ?? run_id,
      versions,
      next_nodes: told?.next ?? null,
      source,
      step,
      body,
    });
    for (const { channel, version, ...of } of channels) {
      const value = [take(of.size), take(of.view_size)];
      const row = rows.blob(thread_id, { ns, channel, version });
      blobs.push({ ns, channel, version, body: await sealContent(envelope, row, { head: of, parts: value }) });
    }
  }
  for (const { items, ...of } of writes)
    for (const { idx, channel, type, size } of items) {
      const content = { head: { type, size }, parts: [take(size)] };
      const body = await sealContent(envelope, rows.write(thread_id, { ...of, idx }), content);
      rows_of_writes.push({ ...of, idx, channel, body });
    }
  const ending = tail && {
    next_nodes: tail.next,
    waits: await sealWaits(envelope, thread_id, take(tail.interrupts_size)),
  };
  end();
  return {
    states: unique(states, ({ ns, id }) => [ns, id]),
    blobs,
    writes: unique(rows_of_writes, keyOfWrite),
    nexts: later,
    tail: ending,
  };
}

const keyOfWrite = ({ ns, checkpoint_id, task_id, idx }: stateStore.WriteRow) => [ns, checkpoint_id, task_id, idx];

/** One statement cannot write a row twice. The last one counts, as it would one after the other. */
function unique<Row>(all: readonly Row[], keyOf: (row: Row) => unknown[]): Row[] {
  return [...new Map(all.map((row) => [JSON.stringify(keyOf(row)), row])).values()];
}

/** Null for a run that waits for nobody. */
async function sealWaits(envelope: Envelope, thread_id: string, interrupts: Buffer): Promise<Buffer | null> {
  if (interrupts.length === 0) return null;
  const read: unknown = parsed(interrupts);
  if (!Array.isArray(read)) throw malformed('The interrupts are no list.');
  if (read.length === 0) return null;
  return await sealContent(envelope, rows.waits(thread_id), { head: { size: interrupts.length }, parts: [interrupts] });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw malformed('The interrupts are no JSON.');
  }
}
