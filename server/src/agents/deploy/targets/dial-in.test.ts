// An agent of two containers in a network that lets nothing in. They dial in at the door, and every call goes over their own connections.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { connectEngine, type Engine } from '../../../assets/docker/client.ts';
import { label } from '../../../assets/docker/labels.ts';
import { ensureNetwork, type Network } from '../../../assets/docker/networks.ts';
import { sql } from '../../../ground/database/sql.ts';
import { installationId } from '../../../people/principals/find.ts';
import { testConfig } from '../../../testing/config.ts';
import { removeLeftovers } from '../../../testing/engine-leftovers.ts';
import { askHost, followed, hostTeller } from '../../../testing/agents/host-teller.ts';
import { projectOf } from '../../../testing/pushes/project-archive.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';
import { agent_port } from './docker/container-spec.ts';
import { dialsIn } from './dials-in.ts';
import { localTarget } from './docker/local.ts';
import { memoryDirectory } from './docker/secret-directory.ts';

const run = promisify(execFile);
const name = 'insider';
const params = { name };
let app: TestApp;
let admin: Client;
let engine: Engine;
let network: Network;
let secrets_directory: string;
let rule: string[] | undefined;

beforeAll(async () => {
  const { engine_host, door, egress_port } = testConfig();
  const known = Promise.withResolvers<string>();
  const open = async () => {
    const installation_id = await known.promise;
    engine = connectEngine({ docker_host: engine_host, installation_id });
    network = await ensureNetwork(engine, {
      purpose: 'agents',
      subnet: testConfig().agents_subnet,
      internal: false,
    });
    secrets_directory = join((await memoryDirectory()) ?? '', `gantry-test-${installation_id}`);
    return { engine, network, openListed, secrets_directory };
  };
  app = await testApp({
    config: { sync_budget_seconds: 4 },
    targets: { inside: dialsIn(localTarget({ open, door, egress_port })) },
  });
  admin = app.admin.client;
  await app.governed(sql`update org set agent_egress = 'open' returning id`);
  await admin.call('teams.create', { body: { name: 'ml' } });
  known.resolve(await installationId(app.db));
  await open();
  rule = ['OUTPUT', '-o', network.bridge, '-m', 'conntrack', '--ctstate', 'NEW', '-j', 'REJECT'];
  await run('iptables', ['-I', ...rule]);
}, 120_000);
afterAll(async () => {
  if (rule !== undefined) await run('iptables', ['-D', ...rule]);
  await app?.stop();
  if (engine !== undefined) await removeLeftovers(engine);
  if (secrets_directory !== undefined) await rm(secrets_directory, { recursive: true, force: true });
}, 120_000);

const openListed = async () => await Promise.reject(new Error('no agent of this test is limited'));

const follow = async (begun: { id: string }) => await followed(admin, begun);

const containers = async () => {
  const found = await engine.docker.listContainers({
    filters: { label: [`${label.installation}=${engine.installation_id}`] },
  });
  return found.filter(({ Names }) => Names[0]?.startsWith(`/svc-${name}-`));
};

/** The id of a call that takes longer than the sync budget. */
async function begin(seconds: number): Promise<string> {
  const body = Buffer.from(JSON.stringify({ input: { at: '', seconds } }));
  const answer = await admin.call('invoke.call', { params, body });
  expect(answer.status).toBe(202);
  return /"run_id":\s*"([0-9a-f-]+)"/.exec(await answer.text())?.[1] ?? '';
}

const textOf = async (run_id: string) => await (await admin.call('invoke.run', { params: { name, run_id } })).text();

const say = async (seconds = 0) => await askHost(admin, name, seconds);

const joins = async () =>
  await app.db.all(sql`select from audit.entry where body::jsonb ->> 'event' = 'instance.joined'`);

/** Breaks every connection between the service and the containers, on both sides. */
const breakConnections = async () => await run('ss', ['-K', 'dst', network.subnet]);

test('two containers that nobody can call are deployed, and answer calls, side by side', async () => {
  const yaml = 'deploy: {scaling: {min: 2, max: 2}}\n';
  const project = { name, version: '1.0.0', yaml, files: { 'agent.py': hostTeller } };
  const { id, ref } = await admin.call('agents.push', { params, body: projectOf(project) });
  for await (const _ of await admin.call('pushes.events', { params: { id } }));
  const deployment = await follow(await admin.call('deployments.create', { body: { ref, target: 'inside' } }));
  expect(deployment).toMatchObject({ state: 'done', problem: null, target: 'inside' });
  const found = await containers();
  expect(found).toHaveLength(2);
  for (const { NetworkSettings } of found) {
    const [at] = Object.values(NetworkSettings.Networks);
    const failure = await new Promise((resolve) => {
      const socket = connect({ host: at?.IPAddress ?? '', port: agent_port, timeout: 2000 });
      socket.once('connect', () => resolve('connected'));
      socket.once('timeout', () => resolve('silent'));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    expect(['ECONNREFUSED', 'EHOSTUNREACH', 'silent']).toContain(failure);
  }
  const answers = await Promise.all(Array.from({ length: 8 }, async () => await say(1)));
  expect(new Set(answers)).toEqual(new Set(found.map(({ Id }) => Id.slice(0, 12))));
  // One entry for each process, not for each connection.
  expect(await joins()).toHaveLength(2);
}, 240_000);

test('an agent that dials in streams, and a run of it is cancelled', async () => {
  const body = Buffer.from('{"input":{"at":"","seconds":0.1}}');
  const streamed = await admin.call('invoke.stream', { params, body });
  expect(await streamed.text()).toMatch(/RUN_STARTED[^]*RUN_FINISHED/);
  const run_id = await begin(60);
  await (await admin.call('invoke.cancel', { params: { name, run_id } })).text();
  const ended = async () =>
    await textOf(run_id).catch((error: unknown) => (error instanceof Problem ? error.message : error));
  await expect.poll(ended, { timeout: 20_000 }).toBe('the run was cancelled');
  expect(await say()).toMatch(/^[0-9a-f]{12}$/);
}, 60_000);

test('a run goes on while its connections break, and its answer arrives', async () => {
  const before = (await joins()).length;
  const run_id = await begin(12);
  await breakConnections();
  await expect.poll(async () => await textOf(run_id), { timeout: 40_000 }).toMatch(/"at":\s*"[0-9a-f]{12}"/);
  expect(await say()).toMatch(/^[0-9a-f]{12}$/);
  // The same processes came back: none was restarted, and none joined anew.
  expect(await joins()).toHaveLength(before);
  expect(await containers()).toHaveLength(2);
}, 60_000);

test('a restart of the service leaves the containers and their open run', async () => {
  const ids = (await containers()).map(({ Id }) => Id).toSorted();
  const run_id = await begin(20);
  await app.stopFirst();
  admin = (await app.another()).as(app.admin.token);
  await expect.poll(async () => await textOf(run_id), { timeout: 60_000 }).toMatch(/"at":\s*"[0-9a-f]{12}"/);
  expect(await say()).toMatch(/^[0-9a-f]{12}$/);
  expect((await containers()).map(({ Id }) => Id).toSorted()).toEqual(ids);
}, 120_000);

test('a stop drains the containers, and a start gives them new tokens', async () => {
  const before = await app.db.all<{ hash: string }>(sql`select hash from join_token`);
  expect(before).toHaveLength(2);
  const calling = say(2);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await follow(await admin.call('agents.stop', { params, query: { target: 'inside' } }));
  expect(await calling).toMatch(/^[0-9a-f]{12}$/);
  expect(await app.db.all(sql`select from join_token`)).toHaveLength(0);
  await follow(await admin.call('agents.start', { params, query: { target: 'inside' } }));
  expect(await say()).toMatch(/^[0-9a-f]{12}$/);
  const after = await app.db.all<{ hash: string }>(sql`select hash from join_token`);
  expect(after).toHaveLength(2);
  expect(after.filter(({ hash }) => before.some((one) => one.hash === hash))).toEqual([]);
}, 120_000);
