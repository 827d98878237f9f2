// States of a thread, opened. Throws for a row that was changed or moved: nothing of such a thread is given out.
import type { Reader } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import { openContent, rows } from './sealed-content.ts';
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
  const blobs = await openBlobs(envelope, thread_id, blob_rows);
  const writes = await Promise.all(write_rows.map(async (row) => await openWrite(envelope, thread_id, row)));
  const states = await Promise.all(
    found.map(async ({ ns, id, parent_id, run_id, versions, body }) => {
      const row = rows.state(thread_id, { ns, id });
      const opened = await openContent(envelope, row, body);
      const head = opened.head as Sized & { metadata: Sized };
      const { take } = opened;
      return {
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
      };
    }),
  );
  return { states, blobs };
}

export async function openBlobs(
  envelope: Envelope,
  thread_id: string,
  found: readonly stateStore.BlobRow[],
): Promise<Blob[]> {
  return await Promise.all(
    found.map(async ({ ns, channel, version, body }) => {
      const row = rows.blob(thread_id, { ns, channel, version });
      const { head, take } = await openContent(envelope, row, body);
      const { type, size, view_size } = head as Sized & { view_size: number };
      return { ns, channel, version, type, bytes: take(size), view: take(view_size) };
    }),
  );
}

async function openWrite(envelope: Envelope, thread_id: string, { body, ...of }: stateStore.WriteRow) {
  const { head, take } = await openContent(envelope, rows.write(thread_id, of), body);
  const { type, size } = head as Sized;
  return { of, type, bytes: take(size) };
}
