import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDirectoryInUse, lockDataDirectory } from './data-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gantry-lock-'));
});
afterEach(async () => await rm(directory, { recursive: true }));

const startedTicks = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];

async function heldBy(pid: number): Promise<void> {
  const started_ticks = startedTicks(await readFile(`/proc/${pid}/stat`, 'utf8'));
  await writeFile(join(directory, 'server.pid'), JSON.stringify({ pid, started_ticks, url: null, started_at: '' }));
}

test('a data directory has one server at a time, and is free once that one lets go', async () => {
  const lock = await lockDataDirectory(directory);
  await expect(lockDataDirectory(directory)).rejects.toThrow(DataDirectoryInUse);
  lock.release();
  (await lockDataDirectory(directory)).release();
});

test('a killed server that nobody has buried yet holds nothing', async () => {
  // The shell never asks for its child's end, which leaves a zombie behind.
  const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  await heldBy(pid);
  await expect(lockDataDirectory(directory)).rejects.toThrow(`process ${pid}`);
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => await readFile(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
  (await lockDataDirectory(directory)).release();
  parent.kill();
});

test('a number that belongs to another process by now holds nothing', async () => {
  const holder = { pid: process.pid, started_ticks: '1', url: null, started_at: '' };
  await writeFile(join(directory, 'server.pid'), JSON.stringify(holder));
  const lock = await lockDataDirectory(directory);
  expect(JSON.parse(await readFile(join(directory, 'server.pid'), 'utf8'))).not.toMatchObject({ started_ticks: '1' });
  lock.release();
});
