// A packed project → its files, in memory. Nothing is written to a disk before every entry is checked. Promise: the result is plain files
// under plain relative paths, the same for every later reader. Must never happen: a path out of the project, two entries for one file on
// some system, a link, a device, or too many bytes. Faults of paths and kinds are collected, so their author gets all of them. A limit ends
// the reading at once. It takes seconds of one core, so the service runs it in a separate thread (unpack.ts).
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { megabytes, projectLimits } from '@gantry/project/agent-project/limits.ts';
import { leftOut } from '@gantry/project/agent-project/left-out.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { Parser, type ReadEntry } from 'tar';
import { archiveTooLarge } from './archive-too-large.ts';
import { entryFaults } from './entry-faults.ts';

// Small files can compress better than any honest large project, so the ratio counts only above this.
const ratio_from_bytes = 1_000_000;
// The bytes of headers and padding.
const overhead_bytes = 32_000_000;
// Directories, ignored files, extension headers and damaged blocks count as well: each takes time.
const max_blocks = projectLimits.files * 10;

export async function readArchive(archive: AsyncIterable<Uint8Array>): Promise<Map<string, Uint8Array>> {
  const reading = startReading();
  const packed = { bytes: 0 };
  const gunzip = createGunzip();
  const source = Readable.from(counted(archive, packed), { objectMode: false });
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
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
          hint: 'Pack it again: `svc deploy` and `svc submit` do.',
        })
      : error;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

async function* counted(archive: AsyncIterable<Uint8Array>, packed: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of archive) {
    packed.bytes += chunk.length;
    yield chunk;
  }
}

function refuseBomb(unpacked: number, packed: number): void {
  if (unpacked > projectLimits.unpacked_bytes + overhead_bytes) {
    throw archiveTooLarge(
      `The archive unpacks to more than ${projectLimits.unpacked_bytes} bytes, the limit for a project.`,
    );
  }
  const ratio = Math.floor(unpacked / packed);
  if (unpacked > ratio_from_bytes && ratio > projectLimits.ratio) {
    throw archiveTooLarge(
      `The archive unpacks to ${ratio} times its size; at most ${projectLimits.ratio} times is accepted.`,
    );
  }
}

interface Reading {
  take(chunk: Buffer): void;
  finish(): Map<string, Uint8Array>;
}

function startReading(): Reading {
  const files = new Map<string, Uint8Array>();
  const faults = entryFaults();
  let [bytes, blocks] = [0, 0];
  let head: Buffer | undefined = Buffer.alloc(0);
  let [hasZeros, hasEnded] = [false, false];
  let refused: Error | undefined;
  const parser = new Parser({
    onwarn: (code: string, message: string | Error) => {
      count();
      faults.add('', `The archive is damaged: ${String(message)} (${code})`);
    },
    onReadEntry: (entry) => {
      count();
      keepEntry(entry);
    },
  });
  parser.on('error', (error: Error) => faults.add('', `The archive is damaged: ${error.message}`));
  parser.on('meta', (text: string) => {
    count();
    faults.checkExtension(text);
  });
  parser.on('ignoredEntry', (entry: ReadEntry) => {
    count();
    faults.add(entry.path, `An entry of the kind ${entry.type} is not accepted; only files and directories are`);
  });
  parser.on('nullBlock', () => (hasZeros = true));
  parser.on('eof', () => (hasEnded = true));

  function count(): void {
    // One block of zeros ends an archive for some readers; others continue.
    if (hasZeros) refused ??= somethingFollows();
    if (++blocks > max_blocks)
      refused ??= archiveTooLarge(`The archive has more than ${max_blocks} entries, the limit for an archive.`);
  }

  function keepEntry(entry: ReadEntry): void {
    const path = faults.check(entry);
    const kept = path !== undefined && entry.type !== 'Directory' && leftOut(path) === undefined;
    if (kept) refused ??= overLimit(path, entry.size, (bytes += entry.size), files.size + 1);
    if (!kept || refused !== undefined) {
      entry.resume();
      return;
    }
    // A copy, so that it can be passed to another thread.
    const content = new Uint8Array(entry.size);
    let at = 0;
    entry.on('data', (chunk: Buffer) => {
      content.set(chunk, at);
      at += chunk.length;
    });
    files.set(path, content);
  }

  function write(chunk: Buffer): void {
    // After the end the parser would be slow, so it gets nothing more. Only the gzip checksum is still read.
    if (hasEnded) return;
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

function somethingFollows(): Problem {
  return new Problem('archive_unsafe', {
    detail: 'The archive has data after a block of zeros, which some readers take for its end.',
    hint: 'Pack it again: `svc deploy` and `svc submit` do.',
  });
}

// The parser would unpack a second layer by itself, past the limits.
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
    return archiveTooLarge(
      `${path} has ${megabytes(size)}; at most ${megabytes(projectLimits.file_bytes)} are accepted for a file.`,
      path,
    );
  if (total > projectLimits.unpacked_bytes)
    return archiveTooLarge(
      `The project has more than ${megabytes(projectLimits.unpacked_bytes)} unpacked, the limit for a project.`,
    );
  if (count > projectLimits.files)
    return archiveTooLarge(`The project has more than ${projectLimits.files} files, the limit for a project.`);
  return undefined;
}

function isBrokenGzip(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^Z_[A-Z]+_ERROR$/.test(error.code)
  );
}
