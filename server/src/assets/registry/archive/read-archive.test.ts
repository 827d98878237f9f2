import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { projectLimits } from '@gantry/project/agent-project.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { expect, test } from 'vitest';
import { archiveOf, streamOf, tarOf, type TestEntry } from '../../../testing/pushes/project-archive.ts';
import { readArchive } from './read-archive.ts';

const file = (path: string, content = 'x'): TestEntry => ({ path, content });
const unpacked = async (entries: TestEntry[]) => await readArchive(archiveOf(entries));

async function refusal(archive: ReadableStream<Uint8Array>): Promise<Problem> {
  const error = await readArchive(archive).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Problem)) throw new Error('it was not refused', { cause: error });
  return error;
}

test('files come out byte for byte under their paths, and directories are not files', async () => {
  const bytes = randomBytes(100_000);
  const files = await unpacked([
    { path: './', type: 'Directory' },
    { path: './src/', type: 'Directory' },
    file('./agent.py', 'graph = 1'),
    { path: 'src/data.bin', content: bytes },
    file('empty', ''),
  ]);
  expect([...files.keys()]).toEqual(['agent.py', 'src/data.bin', 'empty']);
  expect(Buffer.from(files.get('src/data.bin') ?? []).equals(bytes)).toBe(true);
  expect(files.get('empty')).toHaveLength(0);
});

test('an archive in small chunks is read like a whole one', async () => {
  const bytes = gzipSync(tarOf([file('agent.py', 'graph = 1'), { path: 'data.bin', content: randomBytes(20_000) }]));
  const crumbs = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.subarray(at, at + 7));
      controller.close();
    },
  });
  expect(await readArchive(crumbs)).toEqual(await readArchive(streamOf(bytes)));
});

const evil: [string, TestEntry[], RegExp][] = [
  ['a path with ..', [file('../evil')], /empty, \. or \.\. segment/],
  ['a path with .. in its middle', [file('a/../../evil')], /empty, \. or \.\. segment/],
  ['an absolute path', [file('/etc/passwd')], /absolute/],
  ['a drive', [file('C:/evil')], /drive/],
  ['a backslash', [file('..\\evil')], /backslash/],
  ['an empty segment', [file('a//b')], /empty, \. or \.\. segment/],
  ['a dot segment', [file('a/./b')], /empty, \. or \.\. segment/],
  ['a line break', [file('a\nb')], /character/],
  ['a direction override', [file('a\u202eyp.b')], /character/],
  ['a name that is not UTF-8', [file('a\ufffd')], /character/],
  ['a symbolic link', [{ path: 'agent.py', type: 'SymbolicLink', linkpath: '/etc/passwd' }], /Links/],
  ['a hard link', [{ path: 'agent.py', type: 'Link', linkpath: 'other.py' }], /Links/],
  ['a link and a file through it', [{ path: 'a', type: 'SymbolicLink', linkpath: '/tmp' }, file('a/b')], /Links/],
  ['a character device', [{ path: 'null', type: 'CharacterDevice' }], /CharacterDevice/],
  ['a block device', [{ path: 'disk', type: 'BlockDevice' }], /BlockDevice/],
  ['a pipe', [{ path: 'agent.py', type: 'FIFO' }], /FIFO/],
  ['a contiguous file', [{ path: 'a', type: 'ContiguousFile' }], /ContiguousFile/],
  ['the same path twice', [file('a', '1'), file('a', '2')], /twice/],
  ['the same path twice, once with ./', [file('a', '1'), file('./a', '2')], /twice/],
  ['paths that differ only in case', [file('Agent.py'), file('agent.py')], /the same file as/],
  ['directories that differ only in case', [file('Src/a'), file('src/b')], /the same file as/],
  ['paths that differ only in composition', [file('caf\u00e9'), file('cafe\u0301')], /the same file as/],
  ['a file and a directory of one name', [file('a'), file('a/b')], /both a file and a directory/],
  ['.env', [file('.env', 'KEY=1')], /\.env/],
  ['.env of another case', [file('.ENV', 'KEY=1')], /\.env/],
  ['.env.production below', [file('src/.env.production', 'KEY=1')], /\.env/],
  ['.git', [file('.git/config')], /\.git/],
];

test.for(evil)('%s is refused with its place, and so is the whole archive', async ([, entries, message]) => {
  const problem = await refusal(archiveOf([file('first.py'), ...entries, file('last.py')]));
  expect(problem).toMatchObject({ code: 'archive_unsafe', status: 422 });
  expect(problem.detail).toMatch(message);
  expect(problem.errors.length).toBeGreaterThan(0);
});

test('every fault is listed, up to a hundred', async () => {
  const two = await refusal(archiveOf([file('../a'), file('fine'), file('/b')]));
  expect(two.errors).toMatchObject([{ file: '../a' }, { file: '/b' }]);
  expect(two.detail).toContain('And 1 more');
  const many = await refusal(archiveOf(Array.from({ length: 500 }, (_, index) => file(`../${index}`))));
  expect(many.errors).toHaveLength(100);
});

test('the modes of files are ignored, and a setuid bit with them', async () => {
  expect([...(await unpacked([{ path: 'a', mode: 0o4755, content: 'x' }])).keys()]).toEqual(['a']);
});

test('files that the CLI leaves out without a refusal are dropped', async () => {
  const files = await unpacked([
    file('agent.py'),
    file('__pycache__/agent.pyc'),
    file('node_modules/x/index.js'),
    file('Dockerfile'),
    file('.dockerignore'),
    file('.env.example'),
  ]);
  expect([...files.keys()]).toEqual(['agent.py', '.env.example']);
});

function pax(records: Record<string, string>): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const body = ` ${key}=${value}\n`;
    let length = body.length + 1;
    while (String(length).length + body.length !== length) length++;
    return `${length}${body}`;
  });
  return Buffer.from(lines.join(''));
}
const extended = (records: Record<string, string>): TestEntry => ({
  path: 'PaxHeader/x',
  type: 'ExtendedHeader',
  content: pax(records),
});

test('a long path in an extension header is read and checked like any other', async () => {
  const long = `${'d'.repeat(100)}/${'e'.repeat(100)}.py`;
  expect([...(await unpacked([extended({ path: long }), file('short')])).keys()]).toEqual([long]);
  expect((await refusal(archiveOf([extended({ path: '../evil' }), file('short')]))).detail).toMatch(
    /empty, \. or \.\. segment/,
  );
  const gnu: TestEntry = { path: '././@LongLink', type: 'NextFileHasLongPath', content: `${long}\0` };
  expect([...(await unpacked([gnu, file('short')])).keys()]).toEqual([long]);
  expect((await refusal(archiveOf([{ ...gnu, content: '/etc/passwd\0' }, file('short')]))).detail).toMatch(/absolute/);
});

test('an extension header cannot change the kind of a file, nor hide a name behind a NUL', async () => {
  expect(
    (await refusal(archiveOf([extended({ 'GNU.sparse.major': '1', 'GNU.sparse.name': 'evil' }), file('a')]))).detail,
  ).toMatch(/Sparse/);
  expect(
    (await refusal(archiveOf([extended({ type: 'SymbolicLink', linkpath: '/etc/passwd' }), file('a')]))).code,
  ).toBe('archive_unsafe');
  expect((await refusal(archiveOf([extended({ path: 'a\0b' }), file('a')]))).detail).toMatch(/NUL/);
});

test('a header with a false size is refused as damage', async () => {
  expect((await refusal(archiveOf([{ path: 'a', content: 'x'.repeat(2000), size: 0 }]))).detail).toMatch(/damaged/);
  const cut = tarOf([file('a', 'x'.repeat(5000))]).subarray(0, 2048);
  expect((await refusal(streamOf(gzipSync(cut)))).code).toBe('archive_unsafe');
});

test('an archive that is no gzip, is cut off, or is compressed twice is refused', async () => {
  const whole = gzipSync(tarOf([file('a', randomBytes(5000).toString('hex'))]));
  for (const bytes of [
    Buffer.from('PK\x03\x04 a zip'),
    tarOf([file('a')]),
    whole.subarray(0, whole.length - 200),
    Buffer.alloc(0),
    gzipSync(Buffer.alloc(0)),
    gzipSync(Buffer.alloc(200)),
    gzipSync(whole),
  ]) {
    expect((await refusal(streamOf(bytes))).code).toBe('archive_unsafe');
  }
});

test('a bomb is refused long before it is unpacked, with its ratio and the limit', async () => {
  const problem = await refusal(archiveOf([{ path: 'zeros', content: Buffer.alloc(40_000_000) }]));
  expect(problem).toMatchObject({ code: 'archive_too_large', status: 413 });
  expect(problem.detail).toMatch(/\d{3,} times its size; at most 100 times/);
});

test('each limit is refused with its value, and a project at the limit is not', async () => {
  const most = projectLimits.file_bytes;
  const big = await refusal(archiveOf([{ path: 'model.bin', content: randomBytes(1000), size: most + 1 }]));
  expect(big.detail).toBe('model.bin has 50.1 MB; at most 50 MB are accepted for a file.');
  expect(big.errors).toMatchObject([{ file: 'model.bin' }]);

  const deep = (levels: number) => [...Array.from({ length: levels - 1 }, () => 'd'), 'f'].join('/');
  expect((await unpacked([file(deep(projectLimits.depth))])).size).toBe(1);
  expect((await refusal(archiveOf([file(deep(projectLimits.depth + 1))]))).detail).toContain(
    `at most ${projectLimits.depth}`,
  );
  const path = (bytes: number) => `${'d'.repeat(150)}/${'f'.repeat(bytes - 151)}`;
  expect((await unpacked([extended({ path: path(projectLimits.path_bytes) }), file('short')])).size).toBe(1);
  expect(
    (await refusal(archiveOf([extended({ path: path(projectLimits.path_bytes + 1) }), file('short')]))).detail,
  ).toContain(`at most ${projectLimits.path_bytes}`);

  const many = (count: number) =>
    archiveOf(Array.from({ length: count }, (_, index) => file(`files/${index}`, randomBytes(300).toString('latin1'))));
  expect((await readArchive(many(projectLimits.files))).size).toBe(projectLimits.files);
  expect((await refusal(many(projectLimits.files + 1))).detail).toContain(String(projectLimits.files));
});

test('a project over the limit is refused even when every file is below its own', async () => {
  // A tenth is noise: neither the packed size nor the ratio is over its limit.
  const part = Buffer.alloc(45_000_000);
  for (let at = 0; at < part.length; at += 1000) randomBytes(100).copy(part, at);
  const problem = await refusal(
    archiveOf(Array.from({ length: 5 }, (_, index) => ({ path: `part-${index}`, content: part }))),
  );
  expect(problem).toMatchObject({ code: 'archive_too_large' });
  expect(problem.detail).toContain('more than 200 MB unpacked');
});

// Noise keeps the ratio within its limit.
const hostile = (zeros: number) =>
  gzipSync(Buffer.concat([tarOf([{ path: 'noise', content: randomBytes(zeros / 80) }]), Buffer.alloc(zeros)]));

test('bytes after the end of an archive are ignored, and take no time', async () => {
  const whole = tarOf([file('agent.py')]);
  const read = async (...parts: Buffer[]) => await readArchive(streamOf(gzipSync(Buffer.concat(parts))));
  for (const more of [tarOf([file('second.py')]), Buffer.from('x'.repeat(512)), randomBytes(200_000)])
    for (const padding of [0, 40_000])
      expect([...(await read(whole, Buffer.alloc(padding), more)).keys()]).toEqual(['agent.py']);
  const lone = await refusal(streamOf(gzipSync(Buffer.concat([whole.subarray(0, -512), tarOf([file('second.py')])]))));
  expect(lone.detail).toMatch(/data after a block of zeros/);

  const bytes = hostile(40_000_000);
  const unzipping = performance.now();
  gunzipSync(bytes);
  const unzipped = performance.now();
  expect([...(await readArchive(streamOf(bytes))).keys()]).toEqual(['noise']);
  // The parser alone took fifty times as long.
  expect(performance.now() - unzipped).toBeLessThan((unzipped - unzipping) * 15 + 500);
});

test('directories and other entries that are no files count as well', async () => {
  const header = tarOf([{ path: 'd', type: 'Directory' }]).subarray(0, 512);
  const many = Buffer.alloc(512 * (projectLimits.files * 10 + 1));
  for (let at = 0; at < many.length; at += 512) header.copy(many, at);
  const bytes = gzipSync(
    Buffer.concat([tarOf([{ path: 'noise', content: randomBytes(1_000_000) }]).subarray(0, -1024), many]),
  );
  expect((await refusal(streamOf(bytes))).detail).toContain(String(projectLimits.files * 10));
});
