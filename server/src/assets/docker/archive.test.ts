import { Readable } from 'node:stream';
import { Parser } from 'tar';
import { expect, test } from 'vitest';
import { packArchive } from './archive.ts';

interface Read {
  path: string;
  type: string;
  mode: number | undefined;
  uid: number | undefined;
  content: string;
}

async function read(archive: Buffer): Promise<Read[]> {
  const entries: Read[] = [];
  const parser = new Parser({
    onReadEntry: (entry) => {
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () => {
        const content = Buffer.concat(chunks).toString();
        entries.push({ path: entry.path, type: entry.type, mode: entry.mode, uid: entry.uid, content });
      });
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  parser.on('end', resolve);
  parser.on('error', reject);
  Readable.from([archive])
    .on('data', (chunk: Buffer) => parser.write(chunk))
    .on('end', () => parser.end());
  await promise;
  return entries;
}

test('an archive returns its files and directories unchanged', async () => {
  const long = `${'deep/'.repeat(60)}näme.txt`;
  const entries = await read(
    packArchive([
      { path: 'app', owner: 10001 },
      { path: 'app/agent.py', content: 'graph = 1\n', owner: 10001 },
      { path: long, content: 'x'.repeat(600), mode: 0o600 },
      { path: 'empty', content: '' },
    ]),
  );
  expect(entries).toEqual([
    { path: 'app/', type: 'Directory', mode: 0o755, uid: 10001, content: '' },
    { path: 'app/agent.py', type: 'File', mode: 0o644, uid: 10001, content: 'graph = 1\n' },
    { path: long, type: 'File', mode: 0o600, uid: 0, content: 'x'.repeat(600) },
    { path: 'empty', type: 'File', mode: 0o644, uid: 0, content: '' },
  ]);
});

test('the same entries give the same bytes', () => {
  const entries = [{ path: 'a', content: 'b' }];
  expect(packArchive(entries).equals(packArchive(entries))).toBe(true);
});
