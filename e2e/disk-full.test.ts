// A full disk below the service's database, its files and its own log.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { install, type OwnInstallation } from './installation.ts';

const run = promisify(execFile);
let disk: string;
let gantry: OwnInstallation | undefined;
beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), 'gantry-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=711', 'tmpfs', disk]);
  gantry = await install({}, { within: disk });
}, 120_000);
afterAll(async () => {
  await gantry?.stop();
  await run('umount', [disk]);
  await rm(disk, { recursive: true });
});

test('a full disk refuses writes and serves reads; with space again every acknowledged change exists, and no other', async () => {
  if (gantry === undefined) throw new Error('there is no installation');
  const { must, type, url } = gantry;
  const token = await gantry.token();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const create = async (name: string) =>
    await fetch(`${url}/api/v1/teams`, { method: 'POST', headers, body: JSON.stringify({ name }) });
  const ready = async () => (await fetch(`${url}/readyz`)).status;
  expect(await ready()).toBe(200);

  const { bavail, bsize } = await statfs(disk);
  const filler = join(disk, 'filler');
  await run('fallocate', ['-l', String(bavail * bsize), filler]);
  const made = ['default'];
  let refused: Response | undefined;
  for (let n = 0; n < 5000 && refused === undefined; n++) {
    const answer = await create(`team-${n}`);
    if (answer.status === 201) made.push(`team-${n}`);
    else refused = answer;
  }
  expect(refused?.status).toBe(507);
  const text = (await refused?.text()) ?? '';
  expect(JSON.parse(text)).toMatchObject({
    code: 'storage_full',
    detail: expect.stringContaining('the disk is full'),
  });
  expect(text).not.toMatch(/postgres|No space|extend|gantry-|base\/|\.ts:/i);
  expect(await ready()).toBe(507);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect((await type('svc team create one-more')).stderr).toContain('svc doctor');
  expect((await must('svc audit --limit 1')).stdout).toContain('created team');
  for (let n = 0; n < 50; n++) expect((await create(`never-${n}`)).status).toBe(507);

  await rm(filler);
  await expect.poll(ready, { timeout: 30_000 }).toBe(200);
  await must('svc team create afterwards');
  const teams = async () => {
    const { stdout } = await must('svc team list --json');
    return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).toSorted();
  };
  expect(await teams()).toEqual([...made, 'afterwards'].toSorted());
  expect(await readFile(join(gantry.data_dir, 'server.log'), 'utf8')).toContain('lines were lost');
  expect((await type('svc audit verify')).output).toContain('Every hash and signature holds');
}, 120_000);
