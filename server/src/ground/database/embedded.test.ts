import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { startEmbedded } from './embedded.ts';
import { sql } from './sql.ts';

test('a killed first start does not block the next start', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-embedded-'));
  // The cluster belongs to another OS user when the tests run as root.
  await chmod(directory, 0o711);
  await killInTheMiddle(directory);
  const embedded = await startEmbedded(directory);
  const db = openDatabase(embedded.connection);
  expect(await db.one(sql`select 1 as one`)).toEqual({ one: 1 });
  await db.close();
  await embedded.stop();
  expect((await readdir(join(directory, 'postgresql'))).filter((name) => name.startsWith('data'))).toEqual(['data']);
  await rm(directory, { recursive: true });
});

test('a folder that PostgreSQL’s user cannot pass through is named, with the remedies', async () => {
  const closed = await mkdtemp(join(tmpdir(), 'gantry-embedded-'));
  const data_dir = join(closed, 'data');
  await mkdir(data_dir);
  if (process.getuid?.() === 0) {
    const sentence = `who cannot pass through ${closed} to the data directory ${data_dir}. Set DATA_DIR to another directory, such as /var/lib/gantry, or run: chmod o+x ${closed}`;
    await expect(startEmbedded(data_dir)).rejects.toThrow(sentence);
    expect(await readdir(data_dir)).toEqual([]);
  }
  // Without root it runs as the owner of the folder.
  if (process.getuid?.() === 0) await chmod(closed, 0o711);
  await (await startEmbedded(data_dir)).stop();
  await rm(closed, { recursive: true });
});

async function killInTheMiddle(directory: string): Promise<void> {
  const program = `
    import { startEmbedded } from ${JSON.stringify(join(import.meta.dirname, 'embedded.ts'))};
    await startEmbedded(${JSON.stringify(directory)});`;
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
  const ended = once(starter, 'exit');
  const cluster = join(directory, 'postgresql');
  // The first file that makes a folder look like a cluster, while almost everything is missing.
  const isBegun = async () =>
    existsSync(cluster) && (await readdir(cluster)).some((name) => existsSync(join(cluster, name, 'PG_VERSION')));
  await expect.poll(isBegun, { interval: 5, timeout: 20_000 }).toBe(true);
  starter.kill('SIGKILL');
  await ended;
}
