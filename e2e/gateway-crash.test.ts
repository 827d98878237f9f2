// Two services on one database, killed at random while 32 clients spend one budget. The upstream's journal says what has been paid for.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '@gantry/contract/client.ts';
import { openDatabase, type Database } from '../server/src/database/database.ts';
import { startEmbedded, type Embedded } from '../server/src/database/embedded.ts';
import { sql } from '../server/src/database/sql.ts';
import { inSoak } from '../server/src/testing/config.ts';
import { freePort } from '../server/src/testing/free-port.ts';
import { modelUpstream, type ModelUpstream } from '../server/src/testing/model-upstream.ts';
import { environment } from './config.ts';
import { urlOf } from './url-of.ts';

const main = join(resolve(import.meta.dirname, '..'), 'server/start.js');
// 590 × $0.15 + 10 × $0.60 per million.
const usage = { prompt_tokens: 590, completion_tokens: 10, total_tokens: 600 };
const nano_of_call = 94_500;
const limit_nano = 50_000_000;
let directory: string;
let postgres: Embedded;
let upstream: ModelUpstream;
let db: Database;
let shared: Record<string, string>;
const services: { port: number; child: ChildProcess }[] = [];
let key: string;
let key_id: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gantry-gateway-'));
  await chmod(directory, 0o711);
  postgres = await startEmbedded(directory);
  upstream = await modelUpstream(usage, { latency: 20 });
  db = openDatabase(postgres.connection, { max: 2 });
  shared = {
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
  const password_file = join(directory, 'admin-password');
  const seeding = server(['seed', '--password-file', password_file], { DATA_DIR: join(directory, 'seed') });
  expect(await once(seeding, 'exit')).toEqual([0, null]);
  for (let n = 0; n < 2; n++) services.push(await start(n, await freePort()));
  const base_url = `http://127.0.0.1:${services[0]?.port}`;
  const { access_token } = await createClient({ base_url, token: () => undefined }).call('auth.login', {
    body: { email: 'admin@gantry.local', password: (await readFile(password_file, 'utf8')).trim() },
  });
  const admin = createClient({ base_url, token: () => access_token });
  const price_usd_per_million = { input: '0.15', output: '0.60' };
  const config = { provider: 'test', model: 'm', base_url: upstream.base_url, price_usd_per_million };
  await admin.call('registry.create', { params: { kind: 'model' }, body: { name: 'm', team: 'default', config } });
  const made = await admin.call('keys.create', {
    body: { scope: 'team', scope_id: 'default', limits: { daily_usd: '0.05' } },
  });
  key = made.key ?? '';
  key_id = made.id;
});
afterAll(async () => {
  for (const { child } of services) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await db?.close();
  await upstream?.stop();
  await postgres?.stop();
  await rm(directory, { recursive: true, force: true });
});

test('no kill -9 makes a budget spend more than its limit, loses a payment or leaves a hold for ever', async () => {
  let spending = true;
  const codes = new Map<string, number>();
  const client = async (n: number) => {
    while (spending) {
      const answered = await call(services[n % 2]?.port ?? 0);
      codes.set(answered, (codes.get(answered) ?? 0) + 1);
      if (answered !== '200') await delay(20);
    }
  };
  const clients = Array.from({ length: 32 }, async (_, n) => await client(n));
  const samples = (async () => {
    while (spending) {
      const { spent, held } = await account();
      expect(spent + held).toBeLessThanOrEqual(limit_nano);
      await delay(10);
    }
  })();
  for (let round = 0; round < inSoak(4, 40); round++) {
    await delay(300 + Math.random() * 1200);
    const n = round % 2;
    const { port, child } = services[n] ?? never();
    child.kill('SIGKILL');
    await once(child, 'exit');
    services[n] = await start(n, port);
  }
  await delay(500);
  spending = false;
  await Promise.all([...clients, samples]);
  expect(codes.get('200') ?? 0).toBeGreaterThan(30);

  // The holds of the killed processes are due twelve minutes later.
  await db.run({
    strings: [
      `create or replace function clock_now() returns timestamptz language sql volatile as $$select clock_timestamp() + interval '12 minutes'$$`,
    ],
    values: [],
  });
  await expect.poll(async () => (await account()).held, { timeout: 30_000, interval: 200 }).toBe(0);
  const journal = upstream.mock.getRequests().length;
  const { spent } = await account();
  const rows = await db.one<{ calls: number; sum: number; lost: number; holds: number }>(sql`
    select count(*)::int as calls, sum(nano)::bigint as sum, count(*) filter (where outcome = 'lost')::int as lost,
      (select count(*)::int from hold) as holds from ledger where key_id = ${key_id}`);
  expect(rows?.sum).toBe(spent);
  expect(rows?.holds).toBe(0);
  expect(rows?.calls ?? 0).toBeGreaterThanOrEqual(journal);
  expect(journal * nano_of_call).toBeLessThanOrEqual(spent);
  expect(spent).toBeLessThanOrEqual(limit_nano);
}, 120_000);

async function account(): Promise<{ spent: number; held: number }> {
  const row = await db.one<{ spent: number; held: number }>(
    sql`select day_spent as spent, day_held as held from account where id = ${key_id}`,
  );
  return row ?? never();
}

/** The status, or the reason that there is none. */
async function call(port: number): Promise<string> {
  try {
    const answered = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'count' }], max_tokens: 10 }),
    });
    await answered.text();
    return String(answered.status);
  } catch {
    return 'broken'; // its service was killed
  }
}

function server(words: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [main, ...words], {
    env: { ...environment(), ...shared, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function start(n: number, port: number): Promise<{ port: number; child: ChildProcess }> {
  const roles = ['serve', '--role', 'api,gateway'];
  const child = server(roles, { DATA_DIR: join(directory, `service-${n}`), PORT: String(port) });
  const deadline = AbortSignal.timeout(60_000);
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined); // it does not listen yet
    if (ready?.status === 200) return { port, child };
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    await delay(50, undefined, { signal: deadline });
  }
}

function never(): never {
  throw new Error('the row or the service is there');
}
