import { list } from 'tar';
import { expect, test } from 'vitest';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLayer } from './layer.ts';

const bytes = Buffer.from('x');

async function listed(layer: Buffer): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-layer-'));
  try {
    await writeFile(join(folder, 'layer.tar'), layer);
    const found: string[] = [];
    await list({
      file: join(folder, 'layer.tar'),
      onReadEntry: ({ path, mode = 0, uid, gid, mtime }) =>
        void found.push(`${path} ${mode.toString(8)} ${uid}:${gid} ${mtime?.getTime()}`),
    });
    return found;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a layer is sorted, and has our owner, mode and time, and each folder before its content', async () => {
  const { bytes: layer } = writeLayer([
    {
      folder: 'app',
      owner: 10001,
      files: new Map([
        ['b/c.py', bytes],
        ['a.py', bytes],
      ]),
    },
    { folder: 'opt/svc', files: new Map([['_svc_wrapper/x.py', bytes]]) },
  ]);
  expect(await listed(layer)).toEqual([
    'app/ 755 10001:10001 0',
    'app/a.py 644 10001:10001 0',
    'app/b/ 755 10001:10001 0',
    'app/b/c.py 644 10001:10001 0',
    'opt/ 755 0:0 0',
    'opt/svc/ 755 0:0 0',
    'opt/svc/_svc_wrapper/ 755 0:0 0',
    'opt/svc/_svc_wrapper/x.py 644 0:0 0',
  ]);
});

test('the same files in another order give the same digest, and another byte another one', () => {
  const of = (...files: [string, Uint8Array][]) => writeLayer([{ folder: 'app', files: new Map(files) }]).diff_id;
  const one = of(['a', bytes], ['b', bytes]);
  expect(of(['b', bytes], ['a', bytes])).toBe(one);
  expect(of(['a', bytes], ['b', Buffer.from('y')])).not.toBe(one);
  expect(of(['a', bytes], ['c', bytes])).not.toBe(one);
});

test.each(['../a', 'a/../../b', '/etc/passwd', 'a//b', './a', '', 'a\0b'])('the path %j is refused', (path) => {
  expect(() => writeLayer([{ folder: 'app', files: new Map([[path, bytes]]) }])).toThrow('leads out of its layer');
});

test('a path is not both a file and a folder', () => {
  const both = new Map([
    ['a', bytes],
    ['a/b', bytes],
  ]);
  expect(() => writeLayer([{ folder: 'app', files: both }])).toThrow('app/a is a file and a folder of a layer');
});
