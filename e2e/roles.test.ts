// Each role in its own process, on one PostgreSQL, behind the nginx file of the guide. At the end there are two of each.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import { deployProject } from '../bench/service/deploy-project.ts';
import { roleNames, type RoleName } from '../server/src/ground/config/config.ts';
import { openDatabase } from '../server/src/ground/database/database.ts';
import { startEmbedded, type Embedded } from '../server/src/ground/database/embedded.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { removeLeftovers } from '../server/src/testing/engine-leftovers.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { running, type Running } from '../server/src/testing/servers/running.ts';
import { callAgent, type Agent } from './call-agent.ts';
import { environment } from './config.ts';
import { agentGateways } from '../server/src/agents/deploy/targets/docker/host-networks.ts';
import { engineOf } from './engine-of.ts';
import { urlOf } from './url-of.ts';
import { agentYaml, echo, writeProject } from './write-project.ts';

const clone = resolve(import.meta.dirname, '..');
const main = join(clone, 'server/start.js');
let directory: string;
let postgres: Embedded;
let nginx: Running;
let base_url: string;
/** The ports of the first process of each role. */
let ports: Record<RoleName, number>;
/** The ports of a second process of each role. */
let second_ports: Record<RoleName, number>;
let shared: Record<string, string>;
let admin: Client;
let admin_token: string;
let prober: Agent;
const processes = new Map<`${RoleName} ${1 | 2}`, ChildProcess>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gantry-roles-'));
  await chmod(directory, 0o711);
  // As many as PostgreSQL has by default.
  postgres = await startEmbedded(directory, { max_connections: 100, fsync: false });
  [ports, second_ports] = [await freePorts(), await freePorts()];
  const proxy_port = await freePort();
  base_url = `http://127.0.0.1:${proxy_port}`;
  shared = {
    DATABASE_URL: urlOf(postgres.app),
    MIGRATION_DATABASE_URL: urlOf(postgres.connection),
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: base_url,
    TRUSTED_PROXIES: '127.0.0.1',
    AUDIT_KEY_FILE: join(directory, 'checkpoint-key'),
    LOG_LEVEL: 'warn',
    CALM_SECONDS: '3',
    HOME: directory,
    XDG_CONFIG_HOME: directory,
  };
  const password_file = join(directory, 'admin-password');
  const seeding = server(['seed', '--password-file', password_file], { DATA_DIR: join(directory, 'seed') });
  expect(await once(seeding, 'exit')).toEqual([0, null]);
  nginx = await startNginx(proxy_port);
  await Promise.all(roleNames.map(async (role) => await start(role)));
  const { access_token } = await createClient({ base_url, token: () => undefined }).call('auth.login', {
    body: { email: 'admin@gantry.local', password: (await readFile(password_file, 'utf8')).trim() },
  });
  admin = createClient({ base_url, token: () => access_token });
  await admin.call('teams.create', { body: { name: 'ml' } });
  const agent_py = await readFile(join(import.meta.dirname, 'agents/prober.py'), 'utf8');
  await deployProject(admin, await writeProject({ directory }, 'prober', { 'agent.py': agent_py }));
  admin_token = access_token;
  prober = callAgent(`${base_url}/agents/prober`, access_token);
});
afterAll(async () => {
  const { engine, secrets_directory } = await engineOf({ data_dir: directory });
  for (const role of roleNames) await Promise.all([stop(role), stop(role, 2)]);
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

test('agents have one address: the process of the gateway there passes calls of subagents on to the ingress', async () => {
  const { engine } = await engineOf({ data_dir: directory });
  const [address] = await agentGateways(engine.installation_id);
  const ask = async (path: string, key: string) => {
    const answered = await fetch(`http://${address}:4490${path}`, { headers: { authorization: `Bearer ${key}` } });
    return { status: answered.status, text: await answered.text() };
  };
  const card = '/agents/prober/.well-known/agent-card.json';
  // The refusal of the ingress, in the form of A2A.
  expect(await ask(card, 'sk-nobody')).toMatchObject({ status: 401, text: expect.stringContaining('"error":{') });
  expect(await ask('/v1/models', 'sk-nobody')).toMatchObject({ status: 401 });
  expect(await ask('/api/v1/teams', admin_token)).toMatchObject({ status: 404 });
  await stop('ingress');
  expect(await ask(card, 'sk-nobody')).toMatchObject({ status: 503, text: expect.stringContaining('"starting"') });
  await start('ingress');
  expect(await ask(card, 'sk-nobody')).toMatchObject({ status: 401 });
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

test('with two of each, the death of one api, worker and ingress loses no stored call, and every later call and deploy succeeds', async () => {
  for (const role of ['api', 'worker', 'ingress'] as const) await start(role, 2);
  await nginx.end('SIGTERM');
  await writeSite(Number(new URL(base_url).port), { isDouble: true });
  await nginx.start();
  const detached = async () => {
    const init = { method: 'POST', body: '{"input":{"do":"sleep","value":5}}', headers: { prefer: 'respond-async' } };
    return (await prober.send('/invoke', init)).json.run_id;
  };
  // Both ingresses have some of them.
  const runs = await Promise.all(Array.from({ length: 6 }, detached));
  await Promise.all((['api', 'worker', 'ingress'] as const).map(async (role) => await kill(role, 1)));
  const answers = await Promise.all(
    Array.from(
      { length: 50 },
      async () => await prober.send('/invoke', { method: 'POST', body: '{"input":{"do":"echo"}}' }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const ends = await Promise.all(runs.map(async (id) => await prober.ending(id)));
  expect(ends.map(({ status }) => status)).toEqual(runs.map(() => 200));
  await deployProject(admin, await writeProject({ directory }, 'later'));
  expect((await admin.call('agents.status', { params: { name: 'later' } })).state).toBe('serving');
  for (const role of ['api', 'worker', 'ingress'] as const) await start(role);
}, 120_000);

test('with two of each, a restart of one process after the other fails no call, no stream and no request to the API', async () => {
  let goesOn = true;
  const seen = new Set<unknown>();
  const repeat = async (once: () => Promise<unknown>) => {
    while (goesOn) seen.add(await once().catch((error: unknown) => error));
  };
  const call = async (body: string) => (await prober.send('/invoke', { method: 'POST', body })).status;
  const stream = async () => {
    const types: string[] = [];
    for await (const { type } of await prober.stream({ do: 'sleep', value: 0.5 })) types.push(type);
    return types.at(-1);
  };
  const status = async () => (await admin.call('agents.status', { params: { name: 'prober' } })).state;
  const load = [
    repeat(async () => await call('{"input":{"do":"echo"}}')),
    repeat(async () => await call('{"input":{"do":"sleep","value":0.5}}')),
    repeat(stream),
    repeat(status),
  ];
  for (const role of ['ingress', 'api'] as const)
    for (const n of [1, 2] as const) {
      await stop(role, n);
      await start(role, n);
    }
  goesOn = false;
  await Promise.all(load);
  expect(seen).toEqual(new Set([200, 'RUN_FINISHED', 'serving']));
}, 120_000);

test('an agent without calls falls asleep, and twenty calls at two ingresses without an engine are answered by one start', async () => {
  const yaml = agentYaml('sleeper', 'deploy:\n  scaling: {min: 0}\n');
  await deployProject(admin, await writeProject({ directory }, 'sleeper', { 'agent.yaml': yaml }));
  const sleeper = callAgent(`${base_url}/agents/sleeper`, admin_token);
  const status = async () => await admin.call('agents.status', { params: { name: 'sleeper' } });
  const untilAsleep = async () =>
    await expect.poll(async () => (await status()).state, { timeout: 60_000, interval: 100 }).toBe('asleep');
  const twenty = async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => await sleeper.ask({ said: `call ${n}` })),
    );
    expect(answers.map(({ status: is, json }) => [is, json.output])).toEqual(
      answers.map((_, n) => [200, { said: `call ${n}` }]),
    );
    const { state, instances, last_exit } = await status();
    expect([state, instances.length]).toEqual(['serving', 1]);
    return last_exit;
  };
  await untilAsleep();
  expect(await twenty()).toBe('A call woke it.');

  await untilAsleep();
  const calling = twenty();
  await expect.poll(async () => (await status()).instances.length, { interval: 20 }).toBe(1);
  await Promise.all([kill('worker', 1), kill('worker', 2)]);
  await start('worker');
  await calling;

  const setToken = async (value: string) =>
    await admin.call('secrets.set', { body: { name: 'TOKEN', value, agent: 'sleeper' } });
  await setToken('good');
  const files = {
    'agent.yaml': `${yaml.replace('1.0.0', '1.1.0')}  secrets: [TOKEN]\n`,
    'agent.py': `import os\nif os.environ["TOKEN"] == "broken":\n    raise RuntimeError("broken")\n${echo}`,
  };
  await untilAsleep();
  await deployProject(admin, await writeProject({ directory }, 'sleeper', files));
  expect((await status()).state).toBe('serving');
  await untilAsleep();
  await setToken('broken');
  const refused = await sleeper.send('/invoke', { method: 'POST', body: '{"input":{"said":"x"}}' });
  expect([refused.status, refused.json.code]).toEqual([503, 'agent_unavailable']);
  expect(refused.json.detail).toMatch(
    /^agents\/sleeper could not be started: The agent did not start\. The call did not begin/,
  );
  await setToken('good');
  await expect.poll(async () => (await sleeper.ask({ said: 'x' })).status, { timeout: 60_000 }).toBe(200);
}, 240_000);

const begun = async () =>
  ((await prober.ask({ do: 'calls' })).json.output?.result as { begun?: number } | undefined)?.begun;

function server(words: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [main, ...words], {
    env: { ...environment(), ...shared, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

const freePorts = async () => ({
  api: await freePort(),
  worker: await freePort(),
  ingress: await freePort(),
  gateway: await freePort(),
});

async function start(role: RoleName, n: 1 | 2 = 1): Promise<void> {
  const port = (n === 1 ? ports : second_ports)[role];
  const child = server(['serve', '--role', role], { DATA_DIR: join(directory, `${role} ${n}`), PORT: String(port) });
  processes.set(`${role} ${n}`, child);
  const deadline = AbortSignal.timeout(60_000);
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined); // it does not listen yet
    if (ready?.status === 200) return;
    if (child.exitCode !== null) throw new Error(`the role ${role} ended with ${child.exitCode}`);
    await delay(50, undefined, { signal: deadline });
  }
}

async function stop(role: RoleName, n: 1 | 2 = 1): Promise<void> {
  const child = processes.get(`${role} ${n}`);
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
}

async function kill(role: RoleName, n: 1 | 2): Promise<void> {
  const child = processes.get(`${role} ${n}`);
  child?.kill('SIGKILL');
  if (child !== undefined) await once(child, 'exit');
}

/** The guide's file, with the ports of the test. */
async function writeSite(port: number, { isDouble }: { isDouble: boolean }): Promise<void> {
  const given = await readFile(join(clone, 'docs/guide/nginx.conf'), 'utf8');
  const servers = (role: 'api' | 'ingress') =>
    [ports, ...(isDouble ? [second_ports] : [])].map((of) => `server 127.0.0.1:${of[role]} max_fails=0;`).join(' ');
  const site = given
    .replace('server 127.0.0.1:4481 max_fails=0;', servers('api'))
    .replace('server 127.0.0.1:4482 max_fails=0;', servers('ingress'))
    .replace('127.0.0.1:4484', `127.0.0.1:${ports.gateway}`)
    .replace('listen 80;', `listen 127.0.0.1:${port};`);
  await writeFile(join(directory, 'nginx/gantry.conf'), site);
}

async function startNginx(port: number): Promise<Running> {
  const folder = join(directory, 'nginx');
  await mkdir(folder);
  await writeSite(port, { isDouble: false });
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
