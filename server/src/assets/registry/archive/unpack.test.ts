// As in a push: received into a file, and read in a thread.
import { randomBytes } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { projectLimits } from '@gantry/project/agent-project.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveOf, streamOf, tarOf, type TestEntry } from '../../../testing/pushes/project-archive.ts';
import { receiveArchive } from './receive-archive.ts';
import { readArchive } from './read-archive.ts';
import { readPacked } from './read-packed.ts';
import { unpack as unpackFile, type UnpackLimits } from './unpack.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gantry-unpack-'));
});
afterAll(async () => await rm(directory, { recursive: true }));

const never = new AbortController().signal;
async function unpack(archive: ReadableStream<Uint8Array>, limits?: UnpackLimits) {
  await using packed = await receiveArchive(archive, { directory, signal: never });
  return await unpackFile(packed, never, limits);
}

test('files come back from the thread byte for byte', async () => {
  const bytes = randomBytes(3_000_000);
  const { files } = await unpack(
    archiveOf([{ path: 'agent.py', content: 'graph = 1' }, { path: 'data', content: bytes }, { path: 'empty' }]),
  );
  expect([...files.keys()]).toEqual(['agent.py', 'data', 'empty']);
  expect(Buffer.from(files.get('agent.py') ?? []).toString()).toBe('graph = 1');
  expect(Buffer.from(files.get('data') ?? []).equals(bytes)).toBe(true);
  expect(files.get('empty')).toHaveLength(0);
});

test('a refused archive stays open for its owner, who closes it', async () => {
  const bomb = archiveOf([{ path: 'zeros', content: Buffer.alloc(20_000_000) }]);
  await using packed = await receiveArchive(bomb, { directory, signal: never });
  await expect(readArchive(readPacked(packed.descriptor))).rejects.toMatchObject({ code: 'archive_too_large' });
  expect(fstatSync(packed.descriptor).isFile()).toBe(true);
});

const deep = (levels: number): TestEntry => ({
  path: [...Array.from({ length: levels - 1 }, () => 'd'), 'f'].join('/'),
});
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `files/${index}`, content: randomBytes(50) }));

test('the maximum number of files comes back', async () => {
  expect((await unpack(archiveOf(numbered(projectLimits.files)))).files.size).toBe(projectLimits.files);
});

test.each<[string, () => ReadableStream<Uint8Array>, string, RegExp]>([
  [
    'a ratio',
    () => archiveOf([{ path: 'zeros', content: Buffer.alloc(20_000_000) }]),
    'archive_too_large',
    /times its size/,
  ],
  ['files', () => archiveOf(numbered(projectLimits.files + 1)), 'archive_too_large', /10000 files/],
  [
    'the bytes of a file',
    () => archiveOf([{ path: 'a', size: projectLimits.file_bytes + 1 }]),
    'archive_too_large',
    /for a file/,
  ],
  ['a depth', () => archiveOf([deep(projectLimits.depth + 1)]), 'archive_unsafe', /levels/],
  ['a path', () => archiveOf([{ path: '../evil' }]), 'archive_unsafe', /empty, \. or \.\. segment/],
  ['another file type', () => streamOf(Buffer.from('PK')), 'archive_unsafe', /gzip/],
])('the thread refuses %s like the reader', async (_, archive, code, detail) => {
  await expect(unpack(archive())).rejects.toMatchObject({ code, detail: expect.stringMatching(detail) });
});

test('packed bytes over the limit are refused while they arrive', async () => {
  const body = streamOf(
    gzipSync(tarOf([{ path: 'a', content: randomBytes(projectLimits.packed_bytes) }]), { level: 0 }),
  );
  await expect(unpack(body)).rejects.toMatchObject({
    code: 'archive_too_large',
    detail: expect.stringContaining(String(projectLimits.packed_bytes)),
  });
  expect(await readdir(directory)).toEqual([]);
});

test('an archive that keeps its reader busy leaves the main thread free, and its deadline is a refusal', async () => {
  const busy = gzipSync(tarOf([{ path: 'noise', content: randomBytes(40_000_000) }]), { level: 1 });
  await expect(unpack(streamOf(busy), { deadline_ms: 200 })).rejects.toMatchObject({
    code: 'archive_too_large',
    detail: expect.stringContaining('0.2 s'),
  });
  await using packed = await receiveArchive(streamOf(busy), { directory, signal: never });
  const began = performance.now();
  const max_ms = longestPause();
  await unpackFile(packed, never);
  // With a single thread the pause would be the whole reading; a busy machine pauses as well.
  expect(max_ms()).toBeLessThan((performance.now() - began) / 2);
});

/** The longest pause of this thread. */
function longestPause(): () => number {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

test('a client that leaves ends the receiving and the unpacking, and nothing is left of it', async () => {
  const gone = new AbortController();
  const endless = new ReadableStream<Uint8Array>({ pull: async () => await new Promise(() => {}) });
  const receiving = receiveArchive(endless, { directory, signal: gone.signal });
  gone.abort(new Error('gone'));
  await expect(receiving).rejects.toThrow('gone');

  const left = new AbortController();
  const body = archiveOf([{ path: 'a', content: randomBytes(30_000_000) }]);
  await using packed = await receiveArchive(body, { directory, signal: never });
  const unpacking = unpackFile(packed, left.signal);
  left.abort(new Error('left'));
  await expect(unpacking).rejects.toThrow('left');
  expect(await readdir(directory)).toEqual([]);
});
