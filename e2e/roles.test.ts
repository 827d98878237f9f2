// Each role in its own process, on one PostgreSQL, behind the nginx file of the guide.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, type Client } from '@gantry/contract/client.ts';
import { deployProject } from '../bench/deploy-project.ts';
import { roleNames, type RoleName } from '../server/src/config.ts';
import { openDatabase } from '../server/src/database/database.ts';
import { startEmbedded, type Embedded } from '../server/src/database/embedded.ts';
import { sql } from '../server/src/database/sql.ts';
import { removeLeftovers } from '../server/src/testing/engine-leftovers.ts';
import { freePort } from '../server/src/testing/free-port.ts';
import { running, type Running } from '../server/src/testing/running.ts';
import { callAgent, type Agent } from './call-agent.ts';
import { environment } from './config.ts';
import { engineOf } from './engine-of.ts';
import { urlOf } from './url-of.ts';
import { writeProject } from './write-project.ts';

const clone = resolve(import.meta.dirname, '..');
const main = join(clone, 'server/start.js');
let directory: string;
let postgres: Embedded;
let nginx: Running;
let base_url: string;
let ports: Record<RoleName, number>;
let shared: Record<string, string>;
let admin: Client;
let prober: Agent;
const processes = new Map<RoleName, ChildProcess>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gantry-roles-'));
  await chmod(directory, 0o711);
  postgres = await startEmbedded(directory);
  ports = { api: await freePort(), worker: await freePort(), ingress: await freePort(), gateway: await freePort() };
  const proxy_port = await freePort();
  base_url = `http://127.0.0.1:${proxy_port}`;
  shared = {
    DATABASE_URL: urlOf(postgres.app),
    MIGRATION_DATABASE_URL: urlOf(postgres.connection),
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: base_url,
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'warn',
    HOME: directory,
    XDG_CONFIG_HOME: directory,
  };
  const password_file = join(directory, 'admin-password');
  const seeding = server(['seed', '--password-file', password_file], { DATA_DIR: join(directory, 'seed') });
  expect(await once(seeding, 'exit')).toEqual([0, null]);
  nginx = await startNginx(proxy_port);
  await Promise.all(roleNames.map(start));
  const { access_token } = await createClient({ base_url, token: () => undefined }).call('auth.login', {
    body: { email: 'admin@gantry.local', password: (await readFile(password_file, 'utf8')).trim() },
  });
  admin = createClient({ base_url, token: () => access_token });
  await admin.call('teams.create', { body: { name: 'ml' } });
  const agent_py = await readFile(join(import.meta.dirname, 'agents/prober.py'), 'utf8');
  await deployProject(admin, await writeProject({ directory }, 'prober', { 'agent.py': agent_py }));
  prober = callAgent(`${base_url}/agents/prober`, access_token);
});
afterAll(async () => {
  const { engine, secrets_directory } = await engineOf({ data_dir: directory });
  for (const role of processes.keys()) await stop(role);
  await nginx?.end('SIGTERM');
  await removeLeftovers(engine);
  await postgres?.stop();
  await rm(secrets_directory, { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
});

test('a restart of api and worker interrupts no call to an agent: open calls and streams end normally, and new ones succeed', async () => {
  const running_call = prober.send('/invoke', { method: 'POST', body: '{"input":{"do":"wait","value":"kept"}}' });
  const types: string[] = [];
  const waiting = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const { type, value } of await prober.stream({ do: 'wait' })) {
      types.push(type);
      if (value === 'waiting') waiting.resolve();
    }
  })();
  await waiting.promise;
  await expect.poll(begun, { interval: 50 }).toBeGreaterThanOrEqual(2);

  let goesOn = true;
  const statuses = new Map<number, number>();
  const calling = (async () => {
    while (goesOn) {
      const { status } = await prober.send('/invoke', { method: 'POST', body: '{"input":{"do":"echo","value":1}}' });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  })();
  await Promise.all([stop('api'), stop('worker')]);
  expect((await fetch(`${base_url}/livez`)).status).toBe(502);
  const before = statuses.get(200) ?? 0;
  await expect.poll(() => statuses.get(200) ?? 0).toBeGreaterThan(before + 5);
  await Promise.all([start('api'), start('worker')]);
  expect((await admin.call('agents.status', { params: { name: 'prober' } })).state).toBe('serving');
  goesOn = false;
  await calling;
  expect([...statuses.keys()]).toEqual([200]);

  await prober.ask({ do: 'open' });
  await reading;
  expect([types[0], types.at(-1)]).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
  expect(await running_call).toMatchObject({ status: 200, json: { output: { result: 'kept' } } });
});

test('each role answers its own paths and the probes, and names the role that serves another path', async () => {
  const at = async (role: RoleName, path: string) => {
    const answered = await fetch(`http://127.0.0.1:${ports[role]}${path}`);
    return { ...((await answered.json()) as { detail?: string }), status: answered.status };
  };
  for (const role of roleNames)
    for (const path of ['/livez', '/readyz']) expect(await at(role, path)).toMatchObject({ status: 200 });
  for (const [path, role] of [
    ['/api/v1/teams', 'api'],
    ['/agents/prober/health', 'ingress'],
  ] as const)
    for (const other of roleNames.filter((name) => name !== role)) {
      expect((await at(role, path)).status).toBe(401);
      const detail = `The role ${role} serves this, at an address of its own.`;
      expect(await at(other, path)).toMatchObject({ status: 404, detail });
    }
});

test('all roles together use far fewer connections than PostgreSQL accepts', async () => {
  const flood = async (send: () => Promise<unknown>) => await Promise.all(Array.from({ length: 100 }, send));
  await Promise.all([
    flood(async () => await prober.ask({ do: 'echo' })),
    flood(async () => await admin.call('agents.status', { params: { name: 'prober' } })),
  ]);
  const db = openDatabase(postgres.connection, { max: 1 });
  const row = await db.one<{ used: number; max: number }>(
    sql`select (select count(*) from pg_stat_activity where backend_type = 'client backend') as used, current_setting('max_connections')::int as max`,
  );
  await db.close();
  expect(row?.used).toBeGreaterThan(16);
  expect(row?.used).toBeLessThan(0.7 * (row?.max ?? 0));
});

const begun = async () =>
  ((await prober.ask({ do: 'calls' })).json.output?.result as { begun?: number } | undefined)?.begun;

function server(words: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [main, ...words], {
    env: { ...environment(), ...shared, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function start(role: RoleName): Promise<void> {
  const child = server(['serve', '--role', role], { DATA_DIR: join(directory, role), PORT: String(ports[role]) });
  processes.set(role, child);
  const deadline = AbortSignal.timeout(60_000);
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${ports[role]}/readyz`).catch(() => undefined); // it does not listen yet
    if (ready?.status === 200) return;
    if (child.exitCode !== null) throw new Error(`the role ${role} ended with ${child.exitCode}`);
    await delay(50, undefined, { signal: deadline });
  }
}

async function stop(role: RoleName): Promise<void> {
  const child = processes.get(role);
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
}

// The guide's file, with the ports of the test.
async function startNginx(port: number): Promise<Running> {
  const given = await readFile(join(clone, 'docs/guide/nginx.conf'), 'utf8');
  const site = given
    .replace('127.0.0.1:4481', `127.0.0.1:${ports.api}`)
    .replace('127.0.0.1:4482', `127.0.0.1:${ports.ingress}`)
    .replace('127.0.0.1:4484', `127.0.0.1:${ports.gateway}`)
    .replace('listen 80;', `listen 127.0.0.1:${port};`);
  const folder = join(directory, 'nginx');
  await mkdir(folder);
  await writeFile(join(folder, 'gantry.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  await writeFile(
    join(folder, 'nginx.conf'),
    `user root; daemon off; pid ${folder}/nginx.pid; error_log stderr crit; events {}
http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')} include ${folder}/gantry.conf; }
`,
  );
  const server_process = running(
    () => spawn('/usr/sbin/nginx', ['-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'inherit', 'inherit'] }),
    port,
  );
  await server_process.start();
  return server_process;
}
