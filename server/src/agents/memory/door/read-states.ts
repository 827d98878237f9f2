import type { Caller } from '../../../governance/access/caller.ts';
import { frames_type } from '@gantry/contract/endpoint.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { writeFrames } from '../frames.ts';
import { loadStates } from '../load-states.ts';
import type { MemoryParts } from '../parts.ts';
import type { Wanted } from '../state-store.ts';
import { askingRun, threadOf } from './open-run.ts';

/** Throws `run_refused` or `no_thread`. A thread without states has an empty list. */
export async function readStates(
  { db, envelope }: MemoryParts,
  { caller, thread, ...wanted }: { caller: Caller; thread: string | undefined } & Wanted,
): Promise<Reply> {
  const asking = await askingRun(db, caller);
  const thread_id = await threadOf(db, asking, thread);
  const { states, blobs } =
    thread_id === undefined ? { states: [], blobs: [] } : await loadStates({ db, envelope }, thread_id, wanted);
  const head = {
    checkpoints: states.map(({ writes, type, body, metadata, ...state }) => ({
      ...state,
      type,
      size: body.length,
      metadata: { type: metadata.type, size: metadata.bytes.length },
      writes: writes.map(({ bytes, ...write }) => ({ ...write, size: bytes.length })),
    })),
    blobs: blobs.map(({ bytes, view: _, ...blob }) => ({ ...blob, size: bytes.length })),
  };
  const parts = [
    ...states.flatMap(({ body, metadata, writes }) => [body, metadata.bytes, ...writes.map(({ bytes }) => bytes)]),
    ...blobs.map(({ bytes }) => bytes),
  ];
  return {
    status: 200,
    headers: { 'content-type': frames_type, 'cache-control': 'no-store' },
    body: writeFrames(head, parts),
  };
}
