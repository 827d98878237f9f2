// One PostgreSQL for the whole test run: the embedded one in a temporary directory, or the server of TEST_DATABASE_URL.
// A template database is migrated once; each test file gets a copy of it.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, chmod, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { setAppPassword } from '../ground/database/app-role.ts';
import { openDatabase, type Connection } from '../ground/database/database.ts';
import { startEmbedded } from '../ground/database/embedded.ts';
import { migrate } from '../ground/database/migrate.ts';
import { sql } from '../ground/database/sql.ts';
import { testDatabaseUrl } from './config.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The connection to the server; each test file names its own database. */
    postgresql: Connection;
    template: string;
    /** The password of the service's role. */
    app_password: string;
  }
}

/** The databases of two files, and the log. */
const needed_bytes = 4 * 2 ** 30;

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = testDatabaseUrl();
  const cluster = url === undefined ? await startCluster() : { connection: fromUrl(url), stop: async () => {} };
  const template = `gantry_template_${process.pid}`;
  const admin = openDatabase({ ...cluster.connection, database: 'postgres' }, { max: 1 });
  await admin.run({ strings: [`create database ${template}`], values: [] });
  const db = openDatabase({ ...cluster.connection, database: template }, { max: 2 });
  const app_password = randomBytes(24).toString('base64url');
  await setAppPassword(db, app_password);
  await migrate(db, { grant: true });
  // Tests need a migrated but otherwise empty database.
  await db.one(sql`select 1`);
  await db.close();
  project.provide('postgresql', cluster.connection);
  project.provide('template', template);
  project.provide('app_password', app_password);
  return async () => {
    await admin.run({ strings: [`drop database if exists ${template} with (force)`], values: [] });
    await admin.close();
    await cluster.stop();
  };
}

async function startCluster() {
  const directory = await mkdtemp(join(await fastFolder(), 'gantry-test-'));
  // Readable down to the cluster's own 0700 directory, which belongs to another OS user when the tests run as root.
  await chmod(directory, 0o711);
  // Two files at a time, some with several services. No test crashes this cluster, so nothing waits for the disk: the copy and the removal of
  // a database take a tenth of the time.
  const embedded = await startEmbedded(directory, { max_connections: 200, fsync: false });
  await commitWithoutDisk(embedded.connection);
  return {
    connection: embedded.connection,
    stop: async () => {
      await embedded.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A database has hundreds of files. In memory its copy and its removal take a third of the processor time. */
async function fastFolder(): Promise<string> {
  const memory = '/dev/shm';
  // A container has 64 MB there, and other systems have no such folder.
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free < needed_bytes ? tmpdir() : memory;
}

/** No commit waits for the write of its log. */
async function commitWithoutDisk(connection: Connection): Promise<void> {
  const db = openDatabase(connection, { max: 1 });
  await db.run({ strings: ['alter system set synchronous_commit = off'], values: [] });
  await db.one(sql`select pg_reload_conf()`);
  await db.close();
}

function fromUrl(url: string): Connection {
  const { hostname, port, username, password } = new URL(url);
  return {
    host: hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}
