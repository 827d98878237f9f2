// Several processes of the service on one database. Each is killed and started again by itself.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import { openDatabase, type Database } from '../server/src/ground/database/database.ts';
import { startEmbedded } from '../server/src/ground/database/embedded.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { environment } from './config.ts';
import { putCluster } from './put-cluster.ts';
import { urlOf } from './url-of.ts';

export interface Services {
  directory: string;
  /** As its owner. */
  db: Database;
  secret_key: string;
  urls: readonly string[];
  pidOf(n: number): number;
  /** The token of the admin at every service. */
  token: string;
  admin(n: number): Client;
  kill(n: number): Promise<void>;
  /** Waits until it has finished its requests and ended. */
  terminate(n: number): Promise<void>;
  /** Waits until it answers. `from` is the clone with the program, by default the one of all. */
  start(n: number, from?: string): Promise<void>;
  stop(): Promise<void>;
}

const clone = resolve(import.meta.dirname, '..');

export async function openServices({
  count,
  roles,
  env = {},
  envOf = () => ({}),
  from = clone,
  output = 'inherit',
  fsync = false,
}: {
  count: number;
  /** The roles of all services, or of each one. */
  roles: string | readonly string[];
  env?: Record<string, string>;
  envOf?: (n: number) => Record<string, string>;
  /** The clone with their program. Another one migrates the database itself. */
  from?: string;
  /** The file for what they print. */
  output?: number | 'inherit';
  /** As an installation has it: each commit waits for the disk. */
  fsync?: boolean;
}): Promise<Services> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-services-'));
  await chmod(directory, 0o711);
  if (from === clone) await putCluster(directory);
  // No test kills it.
  const postgres = await startEmbedded(directory, { max_connections: 200, fsync });
  const db = openDatabase(postgres.connection, { max: 2 });
  const secret_key = randomBytes(32).toString('base64');
  const shared = {
    DATABASE_URL: urlOf(postgres.app),
    MIGRATION_DATABASE_URL: urlOf(postgres.connection),
    SECRET_KEY: secret_key,
    BASE_URL: 'http://127.0.0.1:1',
    AUDIT_KEY_FILE: join(directory, 'checkpoint-key'),
    LOG_LEVEL: 'error',
    HOME: directory,
    XDG_CONFIG_HOME: directory,
    ...env,
  };
  const launch = (words: string[], own: Record<string, string>, place = from) =>
    spawn(process.execPath, [join(place, 'server/start.js'), ...words], {
      env: { ...environment(), ...shared, ...own },
      stdio: ['ignore', output, output],
    });
  const password_file = join(directory, 'admin-password');
  const seeding = launch(['seed', '--password-file', password_file], { DATA_DIR: join(directory, 'seed') });
  const [code] = (await once(seeding, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the seed ended with ${code}`);

  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const children: ChildProcess[] = [];
  const start = async (n: number, place?: string) => {
    const own = { DATA_DIR: join(directory, `service-${n}`), PORT: String(ports[n]), ...envOf(n) };
    const child = launch(['serve', '--role', typeof roles === 'string' ? roles : (roles[n] ?? '')], own, place);
    children[n] = child;
    const deadline = AbortSignal.timeout(60_000);
    for (;;) {
      const ready = await fetch(`${urls[n]}/livez`).catch(() => undefined); // it does not listen yet
      if (ready?.status === 200) return;
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
      await delay(50, undefined, { signal: deadline });
    }
  };
  const end = async (n: number, signal: 'SIGTERM' | 'SIGKILL') => {
    const child = children[n];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  for (const n of urls.keys()) await start(n);
  const [base_url = ''] = urls;
  const { access_token: token } = await createClient({ base_url, token: () => undefined }).call('auth.login', {
    body: { email: 'admin@gantry.local', password: (await readFile(password_file, 'utf8')).trim() },
  });

  return {
    directory,
    db,
    secret_key,
    urls,
    pidOf: (n) => children[n]?.pid ?? 0,
    token,
    admin: (n) => createClient({ base_url: urls[n] ?? '', token: () => token }),
    kill: async (n) => await end(n, 'SIGKILL'),
    terminate: async (n) => await end(n, 'SIGTERM'),
    start,
    stop: async () => {
      for (const n of urls.keys()) await end(n, 'SIGTERM');
      await db.close();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
