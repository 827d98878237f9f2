// initdb and the migrations take two seconds of processor time. They are done once, and each installation of the tests gets a copy.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '../server/src/ground/database/database.ts';
import { startEmbedded } from '../server/src/ground/database/embedded.ts';
import { migrate } from '../server/src/ground/database/migrate.ts';

const run = promisify(execFile);
const clone = resolve(import.meta.dirname, '..');
const templates = join(clone, 'node_modules/.cache/gantry-clusters');
/** What a start reads of an existing cluster. */
const parts = ['data', 'password'];
const day_ms = 86_400_000;

/** For a data directory before its first start: a cluster with all migrations, and nothing else in it. */
export async function putCluster(data_dir: string): Promise<void> {
  const template = join(templates, await nameOfTemplate());
  if (!existsSync(template)) await make(template);
  const cluster = join(data_dir, 'postgresql');
  await mkdir(cluster, { recursive: true });
  for (const part of parts) await copy(join(template, part), join(cluster, part));
}

/** Another one for other migrations, another PostgreSQL, and another owner of the files. */
async function nameOfTemplate(): Promise<string> {
  const hash = createHash('sha256').update(String(process.getuid?.()));
  hash.update(await readFile(join(clone, 'package-lock.json')));
  const migrations = join(clone, 'server/migrations');
  for (const name of (await readdir(migrations)).toSorted()) hash.update(await readFile(join(migrations, name)));
  return hash.digest('hex').slice(0, 16);
}

async function make(template: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-cluster-'));
  try {
    await chmod(directory, 0o711);
    const embedded = await startEmbedded(directory);
    const db = openDatabase(embedded.connection, { max: 2 });
    await migrate(db, { grant: true });
    await db.close();
    await embedded.stop();
    await mkdir(templates, { recursive: true });
    await removeOld();
    const unfinished = await mkdtemp(join(templates, 'new-'));
    for (const part of parts) await copy(join(directory, 'postgresql', part), join(unfinished, part));
    // Another process may be first with the same content.
    await rename(unfinished, template).catch(async (error: NodeJS.ErrnoException) => {
      await rm(unfinished, { recursive: true });
      if (!existsSync(template)) throw error;
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Each has 50 MB. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(templates)) {
    const path = join(templates, name);
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      // Another process has renamed or removed it.
      if (error.code !== 'ENOENT') throw error;
    });
    if (found !== undefined && Date.now() - found.mtimeMs > day_ms) await rm(path, { recursive: true, force: true });
  }
}

/** With the owner and the modes of all files. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to], { timeout: 60_000 });
}
