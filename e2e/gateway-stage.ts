// Services with the gateway, on one database, with one model and one key. The upstream's journal says what has been paid for.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@gantry/contract/client.ts';
import { openDatabase, type Database } from '../server/src/database/database.ts';
import { startEmbedded } from '../server/src/database/embedded.ts';
import { sql } from '../server/src/database/sql.ts';
import { freePort } from '../server/src/testing/free-port.ts';
import { modelUpstream, type ModelUpstream } from '../server/src/testing/model-upstream.ts';
import { environment } from './config.ts';
import { urlOf } from './url-of.ts';

export interface GatewayStage {
  upstream: ModelUpstream;
  /** As its owner. */
  db: Database;
  services: { url: string; child: ChildProcess }[];
  key: string;
  key_id: string;
  /** A call to the model `m`. */
  call(n: number, body?: object, signal?: AbortSignal): Promise<Response>;
  /** Of the key, today, in nano-USD. */
  account(): Promise<{ spent: number; held: number }>;
  /** Kills a service and starts it again. */
  kill(n: number): Promise<void>;
  stop(): Promise<void>;
}

const main = join(resolve(import.meta.dirname, '..'), 'server/start.js');
// 590 × $0.15 + 10 × $0.60 per million.
const usage = { prompt_tokens: 590, completion_tokens: 10, total_tokens: 600 };
export const nano_of_call = 94_500;

export async function openGatewayStage({
  services: count,
  daily_usd,
}: {
  services: number;
  daily_usd: string;
}): Promise<GatewayStage> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-gateway-'));
  await chmod(directory, 0o711);
  const postgres = await startEmbedded(directory, { max_connections: 200 });
  const upstream = await modelUpstream(usage, { latency: 20 });
  const db = openDatabase(postgres.connection, { max: 2 });
  const shared = {
    DATABASE_URL: urlOf(postgres.app),
    MIGRATION_DATABASE_URL: urlOf(postgres.connection),
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: 'http://127.0.0.1:1',
    OUTBOUND_PRIVATE_HOSTS: upstream.host,
    AUDIT_KEY_FILE: join(directory, 'checkpoint-key'),
    LOG_LEVEL: 'error',
    HOME: directory,
    XDG_CONFIG_HOME: directory,
  };
  const server = (words: string[], env: Record<string, string>) =>
    spawn(process.execPath, [main, ...words], {
      env: { ...environment(), ...shared, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  const start = async (n: number, port: number) => {
    const roles = ['serve', '--role', 'api,gateway'];
    const child = server(roles, { DATA_DIR: join(directory, `service-${n}`), PORT: String(port) });
    const url = `http://127.0.0.1:${port}`;
    const deadline = AbortSignal.timeout(60_000);
    for (;;) {
      const ready = await fetch(`${url}/livez`).catch(() => undefined); // it does not listen yet
      if (ready?.status === 200) return { url, child };
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
      await delay(50, undefined, { signal: deadline });
    }
  };

  const password_file = join(directory, 'admin-password');
  const seeding = server(['seed', '--password-file', password_file], { DATA_DIR: join(directory, 'seed') });
  const [code] = (await once(seeding, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the seed ended with ${code}`);
  const services: GatewayStage['services'] = [];
  for (let n = 0; n < count; n++) services.push(await start(n, await freePort()));
  const serviceAt = (n: number) => services[n % count] ?? never();
  const base_url = serviceAt(0).url;
  const { access_token } = await createClient({ base_url, token: () => undefined }).call('auth.login', {
    body: { email: 'admin@gantry.local', password: (await readFile(password_file, 'utf8')).trim() },
  });
  const admin = createClient({ base_url, token: () => access_token });
  const price_usd_per_million = { input: '0.15', output: '0.60' };
  const config = { provider: 'test', model: 'm', base_url: upstream.base_url, price_usd_per_million };
  await admin.call('registry.create', { params: { kind: 'model' }, body: { name: 'm', team: 'default', config } });
  const { key = '', id: key_id } = await admin.call('keys.create', {
    body: { scope: 'team', scope_id: 'default', limits: { daily_usd } },
  });

  return {
    upstream,
    db,
    services,
    key,
    key_id,
    call: async (n, body = {}, signal) =>
      await fetch(`${serviceAt(n).url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'count' }], max_tokens: 10, ...body }),
        ...(signal === undefined ? {} : { signal }),
      }),
    account: async () =>
      (await db.one<{ spent: number; held: number }>(
        sql`select day_spent as spent, day_held as held from account where id = ${key_id}`,
      )) ?? never(),
    kill: async (n) => {
      const { url, child } = serviceAt(n);
      child.kill('SIGKILL');
      await once(child, 'exit');
      services[n % count] = await start(n % count, Number(new URL(url).port));
    },
    stop: async () => {
      for (const { child } of services) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await db.close();
      await upstream.stop();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function never(): never {
  throw new Error('the row or the service is there');
}
