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

test('a data directory has one server at a time, and is free after its release', async () => {
  const lock = await lockDataDirectory(directory);
  await expect(lockDataDirectory(directory)).rejects.toThrow(DataDirectoryInUse);
  lock.release();
  (await lockDataDirectory(directory)).release();
});

test('other users may enter the created parents of a data directory, but not list them', async () => {
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
    /^The data directory .* cannot be created \(ENOTDIR\)\. Set DATA_DIR to another directory\.$/,
  );
});

test('a killed server that is still a zombie holds nothing', async () => {
  // The shell never waits for its child, so the child stays a zombie.
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

test('a process id that now belongs to another process holds nothing', async () => {
  const holder = { pid: process.pid, started_ticks: '1', url: null, started_at: '' };
  await writeFile(join(directory, 'server.pid'), JSON.stringify(holder));
  const lock = await lockDataDirectory(directory);
  expect(JSON.parse(await readFile(join(directory, 'server.pid'), 'utf8'))).not.toMatchObject({ started_ticks: '1' });
  lock.release();
});

test('exactly one of several servers that start together gets the directory, after any kind of crash', async () => {
  const starters = await Promise.all(Array.from({ length: 4 }, startStarter));
  const dead = (round: number) => JSON.stringify({ pid: process.pid, started_ticks: '1', url: null, round });
  for (let round = 0; round < 200; round++) {
    // No file, the file of a dead server, or a file that a power cut emptied.
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

test('a server that is killed while it replaces a dead one does not block the next one', async () => {
  const file = join(directory, 'server.pid');
  const dead = (started_ticks: string) =>
    JSON.stringify({ pid: process.pid, started_ticks, url: null, started_at: '' });
  const claim = `${file}.${createHash('sha256').update(dead('1')).digest('hex').slice(0, 12)}`;
  await writeFile(file, dead('1'));
  await writeFile(claim, dead('2'));
  const lock = await lockDataDirectory(directory);
  // A claim with another name would still exist.
  expect(await readdir(directory)).toEqual(['server.pid']);
  await expect(lockDataDirectory(directory)).rejects.toThrow(`process ${process.pid}`);
  lock.release();
});

// A process that tries to lock each directory that it receives, one per line, and never releases one.
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
