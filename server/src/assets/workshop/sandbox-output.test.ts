// A command of a project made the files, so each archive is written here as a hostile one could be.
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { Header, type HeaderData } from 'tar';
import { expect, test } from 'vitest';
import { readSingleFile } from './sandbox-output.ts';

const path = '/opt/made/root.tar';
const file = { path: 'root.tar', type: 'File', mode: 0o644, size: 5, mtime: new Date(0) } as const;

function entry(changes: HeaderData = {}, content = 'bytes'): Buffer {
  const block = Buffer.alloc(512);
  new Header({ ...file, ...changes }).encode(block);
  return Buffer.concat([block, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** The type is one that the packer does not write. */
function sparse(): Buffer {
  const packed = entry();
  packed.write('S', 156);
  packed.fill(' ', 148, 156);
  const sum = packed.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  packed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return packed;
}

async function read(...entries: Buffer[]): Promise<string> {
  let text = '';
  await readSingleFile(Readable.from([Buffer.concat([...entries, Buffer.alloc(1024)])]), path, {
    limit_bytes: 1000,
    read: async (content) => {
      text = (await buffer(content)).toString();
    },
    signal: AbortSignal.timeout(5000),
  });
  return text;
}

test('a regular file is read', async () => {
  expect(await read(entry())).toBe('bytes');
});

const hostile: Record<string, [Buffer[], string]> = {
  'a symbolic link': [[entry({ type: 'SymbolicLink', linkpath: '/etc/shadow', size: 0 }, '')], 'it is a SymbolicLink'],
  'a hard link': [[entry({ type: 'Link', linkpath: '../../etc/shadow', size: 0 }, '')], 'it is a Link'],
  'a device': [[entry({ type: 'CharacterDevice', size: 0, devmaj: 1, devmin: 3 }, '')], 'it is a CharacterDevice'],
  'a folder': [[entry({ type: 'Directory', path: 'root.tar/', size: 0 }, '')], 'it is a Directory'],
  'a sparse file': [[sparse()], 'The sandbox made no /opt/made/root.tar'],
  'a setuid file': [[entry({ mode: 0o4755 })], 'it has a setuid, setgid or sticky bit'],
  'a path that climbs': [[entry({ path: '../root.tar' })], 'its name is ../root.tar'],
  'a file over the limit': [[entry({ size: 5e9 })], 'it has 5000000000 bytes, and 1000 are allowed'],
  'two entries': [[entry(), entry()], 'it has several entries'],
  'an archive without entries': [[], 'its archive cannot be read'],
};

test.each(Object.entries(hostile))('%s is refused with its reason', async (_, [entries, why]) => {
  await expect(read(...entries)).rejects.toMatchObject({
    code: 'build_failed',
    detail: expect.stringContaining(why),
  });
});
