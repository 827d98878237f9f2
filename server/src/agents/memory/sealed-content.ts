// Contents of threads at rest: compressed, then sealed under the envelope, each bound to its row. Encrypted bytes cannot be compressed, so this is
// the only place where a long conversation gets smaller.
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { Problem } from '@gantry/contract/problems.ts';
import type { Envelope, SealedRow } from '../../ground/envelope/envelope.ts';
import { readFrames, writeFrames, type FrameReader } from './frames.ts';

/** From this size on, another thread compresses, so that no other request waits for it. */
const large_bytes = 128 * 1024;
/** The most that a stored content unpacks to. Nothing larger was taken. */
const max_content_bytes = 64 * 1024 * 1024;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const level = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
const limit = { maxOutputLength: max_content_bytes + large_bytes };

/** What is sealed into one row: a head that says the sizes, and the parts. */
export interface Content {
  head: object;
  parts: readonly Uint8Array[];
}

export async function sealContent(envelope: Envelope, row: SealedRow, { head, parts }: Content): Promise<Buffer> {
  const plain = writeFrames(head, parts);
  const packed = plain.length < large_bytes ? zstdCompressSync(plain, level) : await compress(plain, level);
  return envelope.sealBytes(packed, row);
}

/** Of all contents that one request opens. What is stored is small, and what it unpacks to is the choice of an agent's code. */
const most_opened_bytes = 256 * 1024 * 1024;

/** Counts what a request has opened. Throws `too_large`. */
export function openedBytes(most = most_opened_bytes): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    if (sum > most)
      throw new Problem('too_large', {
        detail: `These states have more than ${most} bytes together.`,
        hint: 'Ask for fewer of them, or for one.',
      });
  };
}

/** Throws `memory_damaged` when the row was changed, or is of another place. The sizes of the parts are in the head. */
export async function openContent(
  envelope: Envelope,
  row: SealedRow,
  sealed: Buffer,
  count?: (bytes: number) => void,
): Promise<Pick<FrameReader, 'head' | 'take' | 'rest'>> {
  const plain = await unsealed(envelope, row, sealed);
  count?.(plain.length);
  return readFrames(plain);
}

async function unsealed(envelope: Envelope, row: SealedRow, sealed: Buffer): Promise<Buffer> {
  try {
    const packed = envelope.openBytes(sealed, row);
    return packed.length < large_bytes / 8 ? zstdDecompressSync(packed, limit) : await decompress(packed, limit);
  } catch (cause) {
    const problem = new Problem('memory_damaged', {
      detail: `A row of ${row.table} was changed, or is not in its place.`,
    });
    problem.cause = cause;
    throw problem;
  }
}

/** What each row is bound to: its key. A content that is moved to another row does not open. */
export const rows = {
  state: (thread_id: string, { ns, id }: { ns: string; id: string }): SealedRow =>
    rowOf('thread_state', [thread_id, ns, id]),
  blob: (thread_id: string, { ns, channel, version }: { ns: string; channel: string; version: string }): SealedRow =>
    rowOf('thread_blob', [thread_id, ns, channel, version]),
  write: (
    thread_id: string,
    { ns, checkpoint_id, task_id, idx }: { ns: string; checkpoint_id: string; task_id: string; idx: number },
  ): SealedRow => rowOf('thread_write', [thread_id, ns, checkpoint_id, task_id, idx]),
  waits: (thread_id: string): SealedRow => rowOf('thread.waits', [thread_id]),
  answer: ({ run_id, path, n }: { run_id: string; path: string; n: number }): SealedRow =>
    rowOf('thread_wait', [run_id, path, n]),
  metadata: (thread_id: string): SealedRow => rowOf('thread.metadata', [thread_id]),
  item: (agent_id: string, owner: string, address: Buffer): SealedRow =>
    rowOf('store_item', [agent_id, owner, address.toString('base64')]),
  /** Also to the maker: vectors of one model do not pass for those of another. */
  vectors: (agent_id: string, owner: string, address: Buffer, made_by: string): SealedRow =>
    rowOf('store_item.vectors', [agent_id, owner, address.toString('base64'), made_by]),
};

function rowOf(table: string, key: readonly (string | number)[]): SealedRow {
  return { table, id: JSON.stringify(key) };
}
