// A zip → its entries. Its directory says each name, kind and size, so limits hold before anything is unpacked. The browser's own inflater
// unpacks in parts, and an entry that grows beyond its stated size ends there.
import type { ProjectFile } from '@gantry/project/agent-project/files.ts';
import { projectLimits } from '@gantry/project/agent-project/limits.ts';
import { Problem } from '@gantry/contract/problems.ts';

export interface Entry extends ProjectFile {
  read(): Promise<Uint8Array>;
}

const end_bytes = 22;
const longest_comment_bytes = 0xffff;
const max_directory_bytes = 20_000_000;
const marks = { end: 0x06054b50, entry: 0x02014b50, content: 0x04034b50 };
const stored = 0;
const deflated = 8;
// Small files can compress better than any honest large project. The service counts the same way.
const ratio_from_bytes = 1_000_000;

export async function readZip(zip: Blob): Promise<Entry[]> {
  if (zip.size > projectLimits.packed_bytes)
    throw tooLarge(`The zip has ${zip.size} bytes; at most ${projectLimits.packed_bytes} are accepted.`);
  const entries = await readDirectory(zip);
  const unpacked = sum(entries.map(({ size }) => size));
  const ratio = Math.floor(unpacked / Math.max(1, zip.size));
  if (unpacked > ratio_from_bytes && ratio > projectLimits.ratio)
    throw tooLarge(`The zip unpacks to ${ratio} times its size; at most ${projectLimits.ratio} times is accepted.`);
  return entries;
}

async function readDirectory(zip: Blob): Promise<Entry[]> {
  const tail = await view(zip, Math.max(0, zip.size - end_bytes - longest_comment_bytes), zip.size);
  const end = findEnd(tail);
  if (end === undefined) throw unsafe('The file is not a complete zip.');
  const count = tail.getUint16(end + 10, true);
  const bytes = tail.getUint32(end + 12, true);
  const from = tail.getUint32(end + 16, true);
  if (count === 0xffff || from === 0xffffffff || bytes > max_directory_bytes)
    throw tooLarge(`The zip has more than ${projectLimits.files} files, the limit for a project.`);
  const directory = await view(zip, from, from + bytes);
  const entries: Entry[] = [];
  for (let at = 0; entries.length < count;) {
    if (at + 46 > directory.byteLength || directory.getUint32(at, true) !== marks.entry)
      throw unsafe('The directory of the zip is damaged.');
    entries.push(entryAt(zip, directory, at));
    at += 46 + [28, 30, 32].reduce((length, field) => length + directory.getUint16(at + field, true), 0);
  }
  return entries;
}

function findEnd(tail: DataView): number | undefined {
  for (let at = tail.byteLength - end_bytes; at >= 0; at--) if (tail.getUint32(at, true) === marks.end) return at;
  return undefined;
}

function entryAt(zip: Blob, directory: DataView, at: number): Entry {
  const name_bytes = directory.getUint16(at + 28, true);
  if (at + 46 + name_bytes > directory.byteLength) throw unsafe('The directory of the zip is damaged.');
  const name = new TextDecoder().decode(new Uint8Array(directory.buffer, at + 46, name_bytes));
  const size = directory.getUint32(at + 24, true);
  return {
    path: name.replace(/\/$/, ''),
    size,
    type: typeOf(name, directory.getUint32(at + 38, true) >>> 28),
    read: async () => {
      const isEncrypted = (directory.getUint16(at + 8, true) & 1) === 1;
      const method = directory.getUint16(at + 10, true);
      if (isEncrypted) throw unsafe(`${name} is encrypted.`);
      if (method !== stored && method !== deflated)
        throw unsafe(`${name} is compressed in a way that is not read here.`);
      const packed = await contentAt(zip, directory.getUint32(at + 42, true), directory.getUint32(at + 20, true));
      return await bounded(name, size, method === stored ? packed.stream() : inflated(packed));
    },
  };
}

/** `kind` is the highest part of a Unix mode; other systems leave it 0. */
function typeOf(name: string, kind: number): Entry['type'] {
  if (name.endsWith('/')) return 'directory';
  return kind === 0 || kind === 8 ? 'file' : 'other';
}

async function contentAt(zip: Blob, at: number, bytes: number): Promise<Blob> {
  const head = await view(zip, at, at + 30);
  if (head.byteLength < 30 || head.getUint32(0, true) !== marks.content) throw unsafe('The zip is damaged.');
  const from = at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  return zip.slice(from, from + bytes);
}

const inflated = (packed: Blob) => packed.stream().pipeThrough(new DecompressionStream('deflate-raw'));

async function bounded(name: string, size: number, content: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let at = 0;
  const reader = content.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw unsafe(`${name} cannot be unpacked.`);
    });
    if (done) break;
    if (at + value.length > size) {
      await reader.cancel();
      throw unsafe(`${name} has more bytes than the zip says.`);
    }
    bytes.set(value, at);
    at += value.length;
  }
  if (at < size) throw unsafe(`${name} has fewer bytes than the zip says.`);
  return bytes;
}

const view = async (zip: Blob, from: number, to: number) => new DataView(await zip.slice(from, to).arrayBuffer());
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

function unsafe(detail: string): Problem {
  return new Problem('archive_unsafe', { detail, hint: 'Make the zip again, or drop the folder itself.' });
}

function tooLarge(detail: string): Problem {
  return new Problem('archive_too_large', { detail, hint: 'Leave data and models out of the project.' });
}
