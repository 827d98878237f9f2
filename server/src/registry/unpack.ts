// A packed project → its files, in memory. Nothing of it touches a disk before every entry was judged.
// Promise: what comes out is plain files under plain relative paths, the same whatever reads them later. Must never happen: a path that
// leads elsewhere, two entries that are one file on some system, a link or a device, more bytes than the limits while reading.
// Paths and kinds that are not accepted are collected, so that their author sees all of them; a limit ends the reading at once.
import { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { projectLimits } from '@gantry/contract/agent-project/limits.ts';
import { leftOut } from '@gantry/contract/agent-project/left-out.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { Parser, type ReadEntry } from 'tar';
import { entryFaults, type EntryFaults } from './entry-faults.ts';

const deadline_ms = 120_000;
// A few small files compress better than any honest big project; the ratio says something only above this.
const ratio_from_bytes = 1_000_000;
// Headers and padding come on top of the files' own bytes.
const overhead_bytes = 32_000_000;

export async function unpack(
  archive: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(deadline_ms)]);
  const reading = startReading();
  const gunzip = createGunzip();
  const packed = countPacked(archive, gunzip, ends);
  try {
    let unpacked = 0;
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      unpacked += chunk.length;
      refuseBomb(unpacked, packed.bytes);
      reading.take(chunk);
    }
    return reading.finish();
  } catch (error) {
    throw isBrokenGzip(error)
      ? new Problem('archive_unsafe', {
          detail: 'The archive is not a complete gzip file.',
          hint: 'Pack it anew: `svc deploy` or `svc submit` do.',
        })
      : error;
  } finally {
    gunzip.destroy();
  }
}

// Feeds the decompressor and counts what came in. Its own failure (a limit, a client that went away) ends the decompressor with the same error.
function countPacked(archive: ReadableStream<Uint8Array>, gunzip: Gunzip, signal: AbortSignal): { bytes: number } {
  const packed = { bytes: 0 };
  async function* counted() {
    for await (const chunk of archive) {
      signal.throwIfAborted();
      packed.bytes += chunk.length;
      if (packed.bytes > projectLimits.packed_bytes)
        throw tooLarge(
          `The archive has more than ${projectLimits.packed_bytes} bytes, which is the most a packed project may have.`,
        );
      yield chunk;
    }
  }
  const source = Readable.from(counted(), { signal, objectMode: false });
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  return packed;
}

function refuseBomb(unpacked: number, packed: number): void {
  if (unpacked > projectLimits.unpacked_bytes + overhead_bytes) {
    throw tooLarge(
      `The archive unpacks to more than ${projectLimits.unpacked_bytes} bytes, which is the most a project may have.`,
    );
  }
  const ratio = Math.floor(unpacked / packed);
  if (unpacked > ratio_from_bytes && ratio > projectLimits.ratio) {
    throw tooLarge(`The archive unpacks to ${ratio} times its size; at most ${projectLimits.ratio} times is accepted.`);
  }
}

interface Reading {
  take(chunk: Buffer): void;
  finish(): Map<string, Uint8Array>;
}

function startReading(): Reading {
  const files = new Map<string, Uint8Array>();
  const faults = entryFaults();
  let bytes = 0;
  let head: Buffer | undefined = Buffer.alloc(0);
  let refused: Error | undefined;
  const parser = new Parser({
    onwarn: (code: string, message: string | Error) =>
      faults.add('', `The archive is damaged: ${String(message)} (${code})`),
    onReadEntry: (entry) => keepEntry(entry),
  });
  parser.on('error', (error: Error) => faults.add('', `The archive is damaged: ${error.message}`));
  parser.on('meta', (text: string) => faults.checkExtension(text));
  parser.on('ignoredEntry', (entry: ReadEntry) =>
    faults.add(entry.path, `An entry of the kind ${entry.type} is not accepted; only files and directories are`),
  );

  function keepEntry(entry: ReadEntry): void {
    const path = faults.check(entry);
    const kept = path !== undefined && entry.type !== 'Directory' && leftOut(path) === undefined;
    if (!kept) {
      entry.resume();
      return;
    }
    refused ??= overLimit(path, entry.size, (bytes += entry.size), files.size + 1);
    const chunks: Buffer[] = [];
    entry.on('data', (chunk: Buffer) => chunks.push(chunk));
    entry.on('end', () => files.set(path, Buffer.concat(chunks)));
    // Taken now, so that the count of files is right for entries that follow in the same chunk.
    files.set(path, new Uint8Array());
  }

  function write(chunk: Buffer): void {
    parser.write(chunk);
    if (refused !== undefined) throw refused;
  }

  return {
    take(chunk) {
      if (head === undefined) return write(chunk);
      head = Buffer.concat([head, chunk]);
      if (head.length < 512) return;
      const first = head;
      head = undefined;
      refuseNested(first);
      write(first);
    },
    finish() {
      parser.end();
      if (refused !== undefined) throw refused;
      if (head !== undefined) faults.add('', 'The archive is empty or cut off');
      faults.raise();
      return files;
    },
  };
}

// The parser would unpack once more by itself, past the limits.
function refuseNested(head: Buffer): void {
  const compressed = [Buffer.from([0x1f, 0x8b]), Buffer.from([0x28, 0xb5, 0x2f, 0xfd])].some((magic) =>
    head.subarray(0, magic.length).equals(magic),
  );
  if (compressed)
    throw new Problem('archive_unsafe', {
      detail: 'The archive is compressed twice; it must be one gzip over one tar.',
    });
}

function overLimit(path: string, size: number, total: number, count: number): Problem | undefined {
  if (size > projectLimits.file_bytes)
    return tooLarge(`${path} has ${size} bytes; at most ${projectLimits.file_bytes} are accepted for a file.`, path);
  if (total > projectLimits.unpacked_bytes)
    return tooLarge(
      `The project has more than ${projectLimits.unpacked_bytes} bytes unpacked, which is the most it may have.`,
    );
  if (count > projectLimits.files)
    return tooLarge(`The project has more than ${projectLimits.files} files, which is the most it may have.`);
  return undefined;
}

function tooLarge(detail: string, file?: string): Problem {
  return new Problem('archive_too_large', {
    detail,
    hint: 'Leave out what the agent does not need to run: data, models, build output.',
    ...(file === undefined ? {} : { errors: [{ file, message: detail }] }),
  });
}

function isBrokenGzip(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^Z_[A-Z]+_ERROR$/.test(error.code)
  );
}

export type { EntryFaults };
