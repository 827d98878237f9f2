import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

test('what is missing above a data directory is made so that other users can pass through, and list nothing', async () => {
  const before = process.umask(0o077);
  try {
    (await lockDataDirectory(join(directory, 'not/there/yet'))).release();
  } finally {
    process.umask(before);
  }
  for (const folder of ['not', 'not/there', 'not/there/yet'])
    expect((await stat(join(directory, folder))).mode & 0o777).toBe(0o711);
  await writeFile(join(directory, 'file'), '');
  await expect(lockDataDirectory(join(directory, 'file/data'))).rejects.toThrow(
    /^The data directory .* cannot be made \(ENOTDIR\)\. Set DATA_DIR to one that can\.$/,
  );
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

test('of servers that start at the same moment exactly one gets the directory, whatever a crash left there', async () => {
  const starters = await Promise.all(Array.from({ length: 4 }, startStarter));
  const dead = (round: number) => JSON.stringify({ pid: process.pid, started_ticks: '1', url: null, round });
  for (let round = 0; round < 200; round++) {
    // Nothing, a server that is gone, or a file that a power cut emptied.
    const file = join(directory, 'server.pid');
    if (round % 3 === 0) await rm(file, { force: true });
    else await writeFile(file, round % 3 === 1 ? dead(round) : '');
    const answers = await Promise.all(starters.map(async (starter) => await starter.start()));
    expect(answers.toSorted(), `round ${round}`).toEqual(['refused', 'refused', 'refused', 'took']);
    const winner = starters[answers.indexOf('took')];
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ pid: winner?.pid });
  }
  expect(await readdir(directory)).toEqual(['server.pid']);
  for (const starter of starters) starter.end();
});

test('a server that was killed while it replaced a dead one does not stand in the way of the next one', async () => {
  const file = join(directory, 'server.pid');
  const dead = (started_ticks: string) =>
    JSON.stringify({ pid: process.pid, started_ticks, url: null, started_at: '' });
  const claim = `${file}.${createHash('sha256').update(dead('1')).digest('hex').slice(0, 12)}`;
  await writeFile(file, dead('1'));
  await writeFile(claim, dead('2'));
  const lock = await lockDataDirectory(directory);
  // Had the claim another name, it would still lie here.
  expect(await readdir(directory)).toEqual(['server.pid']);
  await expect(lockDataDirectory(directory)).rejects.toThrow(`process ${process.pid}`);
  lock.release();
});

// A process that tries to take the directory for every line it is sent, and never lets go by itself.
async function startStarter() {
  const program = `
    import { createInterface } from 'node:readline';
    import { DataDirectoryInUse, lockDataDirectory } from ${JSON.stringify(join(import.meta.dirname, 'data-directory.ts'))};
    console.log('ready');
    for await (const directory of createInterface({ input: process.stdin })) {
      await lockDataDirectory(directory).then(
        () => console.log('took'),
        (error) => console.log(error instanceof DataDirectoryInUse ? 'refused' : String(error)),
      );
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => String((await answers.next()).value);
  expect(await answer()).toBe('ready');
  return {
    pid: child.pid,
    start: async () => {
      child.stdin.write(`${directory}\n`);
      return await answer();
    },
    end: () => child.stdin.end(),
  };
}
