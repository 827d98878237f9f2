// Our gateway as an operator runs it: processes of the role `gateway` on one PostgreSQL, reached over HTTP with real keys under budgets.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createClient } from '../../contract/src/client/client.ts';
import { server_node_flags } from '../../contract/src/node-flags.ts';
import { environment } from '../../e2e/config.ts';
import { urlOf } from '../../e2e/url-of.ts';
import { openDatabase, type Database } from '../../server/src/ground/database/database.ts';
import type { Embedded } from '../../server/src/ground/database/embedded.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { openStoredKeys } from '../../server/src/ground/envelope/stored-keys.ts';
import { gatewayKeys, keyDigest, prefixOf } from '../../server/src/ground/config/key-form.ts';
import { freePort } from '../../server/src/testing/servers/free-port.ts';
import { runCommand } from '../../setup/command.js';
import { repeat } from '../load/sampling.ts';
import { startProgram, type Program } from './program.ts';
import { price, type Way } from './way.ts';

const main = join(resolve(import.meta.dirname, '../..'), 'server/start.js');
const seed_seconds = 60;

export interface Ours {
  replicas: readonly [Program, Program];
  db: Database;
  /** A key under a large budget. */
  key: string;
  /** Keys under a small budget, unused. */
  limited: readonly string[];
  /** Further keys with a large budget each, stored past the service, because each would be a governed change. */
  fillKeys(count: number): Promise<string[]>;
  close(): Promise<void>;
}

export async function startOurs({
  directory,
  postgres,
  upstream,
  limited,
}: {
  directory: string;
  postgres: Embedded;
  /** Its address. */
  upstream: string;
  /** The keys under a small budget. */
  limited: { count: number; daily_usd: string };
}): Promise<Ours> {
  const secret_key = randomBytes(32).toString('base64');
  const env = {
    ...environment(),
    DATABASE_URL: urlOf(postgres.app),
    MIGRATION_DATABASE_URL: urlOf(postgres.connection),
    SECRET_KEY: secret_key,
    BASE_URL: 'http://127.0.0.1:1',
    OUTBOUND_PRIVATE_HOSTS: new URL(upstream).host,
    AUDIT_KEY_FILE: join(directory, 'checkpoint-key'),
    HOME: directory,
    XDG_CONFIG_HOME: directory,
  };
  const password_file = join(directory, 'admin-password');
  const seeded = await runCommand([process.execPath, main, 'seed', '--password-file', password_file], {
    cwd: directory,
    env: { ...env, DATA_DIR: join(directory, 'seed') },
    timeout_seconds: seed_seconds,
  });
  if (seeded.exit_code !== 0) throw new Error(seeded.output);
  const serve = async (role: string, name: string) => {
    const port = await freePort();
    return await startProgram({
      argv: [process.execPath, ...server_node_flags, main, 'serve', '--role', role],
      env: { ...env, DATA_DIR: join(directory, name), PORT: String(port), DOOR_PORT: String(await freePort()) },
      port,
      ready: '/livez',
      log_file: join(directory, `${name}.log`),
    });
  };
  const replicas = [await serve('gateway', 'one'), await serve('gateway', 'two')] as const;
  const db = openDatabase(postgres.connection, { max: 2 });
  // The api runs only meanwhile, because all processes share the cores.
  const api = await serve('api', 'api');
  const [key = '', ...small] = await setUp(api.url, password_file, { upstream, limited });
  await api.stop();
  return {
    replicas,
    db,
    key,
    limited: small,
    fillKeys: async (count) => {
      const { 'key-pepper': pepper } = await openStoredKeys(db, { secret_key });
      const keys = Array.from({ length: count }, () => gatewayKeys.newKey());
      await fill(
        db,
        keys.map((key) => ({
          id: randomUUID(),
          prefix: prefixOf(key),
          digest: keyDigest(pepper, key).toString('hex'),
        })),
      );
      return keys;
    },
    close: async () => {
      await Promise.all(replicas.map(async (replica) => await replica.stop()));
      await db.close();
    },
  };
}

/** The models, and the keys: first the one under a large budget. */
async function setUp(
  base_url: string,
  password_file: string,
  { upstream, limited }: { upstream: string; limited: { count: number; daily_usd: string } },
): Promise<string[]> {
  const { access_token } = await createClient({ base_url, token: () => undefined }).call('auth.login', {
    body: { email: 'admin@gantry.local', password: (await readFile(password_file, 'utf8')).trim() },
  });
  const admin = createClient({ base_url, token: () => access_token });
  for (const [name, path] of [
    ['m', '/v1'],
    ['slow', '/slow/v1'],
  ] as const) {
    const config = { provider: 'bench', model: 'm', base_url: upstream + path, price_usd_per_million: price };
    await admin.call('registry.create', { params: { kind: 'model' }, body: { name, team: 'default', config } });
  }
  return await repeat(1 + limited.count, async (n) => {
    const limits = { daily_usd: n === 0 ? '100000' : limited.daily_usd };
    const { key } = await admin.call('keys.create', { body: { scope: 'team', scope_id: 'default', limits } });
    if (key === undefined) throw new Error('the key is not shown');
    return key;
  });
}

export function wayOf(replicas: readonly Program[], key: string): Way {
  return {
    urls: replicas.map(({ url }) => url),
    path: () => '/v1/chat/completions',
    headers: () => ({ authorization: `Bearer ${key}` }),
    pids: replicas.map(({ pid }) => pid),
  };
}

// As those of the newest key, with another id and secret. The triggers that require an audit entry for each row are off meanwhile.
async function fill(db: Database, keys: readonly { id: string; prefix: string; digest: string }[]): Promise<void> {
  const triggers = async (what: string) => {
    for (const table of ['gateway_key', 'budget'])
      await db.run({ strings: [`alter table ${table} ${what}`], values: [] });
  };
  const given = sql`jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as g (id uuid, prefix text, digest text)`;
  await triggers('disable trigger all');
  await db.run(sql`
    insert into gateway_key select n.* from gateway_key k, ${given},
      jsonb_populate_record(k, jsonb_build_object('id', g.id, 'prefix', g.prefix, 'digest', '\\x' || g.digest)) n
    where k.id = (select id from gateway_key order by created_at desc limit 1)`);
  await db.run(sql`insert into account (id, day) select g.id, (clock_now() at time zone 'UTC')::date from ${given}`);
  await db.run(sql`insert into budget (id, day_nano) select g.id, 1000000000000 from ${given}`);
  await triggers('enable trigger all');
  await triggers('enable always trigger governed');
  await db.run(sql`vacuum analyze`); // as the server does by itself after some minutes
}
