// States of a thread, opened. Throws for a row that was changed or moved: nothing of such a thread is given out.
import type { Reader } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import { openContent, openedBytes, rows } from './sealed-content.ts';
import * as stateStore from './state-store.ts';

/** As this service has sealed it. */
interface Sized {
  type: string;
  size: number;
}

interface Bytes {
  type: string;
  bytes: Buffer;
}

export interface State {
  ns: string;
  id: string;
  parent_id: string | null;
  run_id: string | null;
  versions: Record<string, string>;
  type: string;
  body: Buffer;
  metadata: Bytes;
  writes: (Bytes & Pick<stateStore.WriteRow, 'task_id' | 'task_path' | 'idx' | 'channel'>)[];
}

export interface Blob extends Bytes {
  ns: string;
  channel: string;
  version: string;
  /** The value as JSON for readers. Empty: not for readers. */
  view: Buffer;
}

/** One after the other, so that one request holds no more than it may open. Throws `memory_damaged` or `too_large`. */
export async function loadStates(
  { db, envelope }: { db: Reader; envelope: Envelope },
  thread_id: string,
  wanted: stateStore.Wanted,
): Promise<{ states: State[]; blobs: Blob[] }> {
  const found = await stateStore.findStates(db, thread_id, wanted);
  if (found.length === 0) return { states: [], blobs: [] };
  const [blob_rows, write_rows] = await Promise.all([
    stateStore.findBlobs(db, thread_id, found),
    stateStore.findWrites(db, thread_id, found),
  ]);
  const count = openedBytes();
  const blobs = await openBlobs(envelope, thread_id, blob_rows, count);
  const writes = [];
  for (const row of write_rows) writes.push(await openWrite(envelope, thread_id, row, count));
  const states: State[] = [];
  for (const { ns, id, parent_id, run_id, versions, body } of found) {
    const opened = await openContent(envelope, rows.state(thread_id, { ns, id }), body, count);
    const head = opened.head as Sized & { metadata: Sized };
    const { take } = opened;
    states.push({
      ns,
      id,
      parent_id,
      run_id,
      versions,
      type: head.type,
      body: take(head.size),
      metadata: { type: head.metadata.type, bytes: take(head.metadata.size) },
      writes: writes
        .filter(({ of }) => of.ns === ns && of.checkpoint_id === id)
        .map(({ of: { task_id, task_path, idx, channel }, ...bytes }) => ({
          task_id,
          task_path,
          idx,
          channel,
          ...bytes,
        })),
    });
  }
  return { states, blobs };
}

/** One after the other. Throws `memory_damaged` or `too_large`. */
export async function openBlobs(
  envelope: Envelope,
  thread_id: string,
  found: readonly stateStore.BlobRow[],
  count = openedBytes(),
): Promise<Blob[]> {
  const blobs: Blob[] = [];
  for (const { ns, channel, version, body } of found) {
    const row = rows.blob(thread_id, { ns, channel, version });
    const { head, take } = await openContent(envelope, row, body, count);
    const { type, size, view_size } = head as Sized & { view_size: number };
    blobs.push({ ns, channel, version, type, bytes: take(size), view: take(view_size) });
  }
  return blobs;
}

async function openWrite(
  envelope: Envelope,
  thread_id: string,
  { body, ...of }: stateStore.WriteRow,
  count: (bytes: number) => void,
) {
  const { head, take } = await openContent(envelope, rows.write(thread_id, of), body, count);
  const { type, size } = head as Sized;
  return { of, type, bytes: take(size) };
}
