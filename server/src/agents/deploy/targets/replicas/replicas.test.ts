// An agent on a platform that makes its replicas by itself, in a network that lets nothing in. Every replica joins at the door.
import { execFile } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { connectEngine, type Engine } from '../../../../assets/docker/client.ts';
import { ensureNetwork, type Network } from '../../../../assets/docker/networks.ts';
import { sql } from '../../../../ground/database/sql.ts';
import { testConfig } from '../../../../testing/config.ts';
import { join as joinDoor } from '../../../../testing/agents/dialling-stand-in.ts';
import { removeLeftovers } from '../../../../testing/engine-leftovers.ts';
import { askHost, followed, hostTeller } from '../../../../testing/agents/host-teller.ts';
import { projectOf } from '../../../../testing/pushes/project-archive.ts';
import { startReplicaPlatform, type ReplicaPlatform } from '../../../../testing/agents/replica-platform.ts';
import { testApp, type TestApp } from '../../../../testing/test-app.ts';
import { localTarget } from '../docker/local.ts';
import { memoryDirectory } from '../docker/secret-directory.ts';
import { openLedger } from '../ledger.ts';
import { replicaTarget } from './target.ts';

const run = promisify(execFile);
const name = 'swarm';
const params = { name };
let app: TestApp;
let admin: Client;
/** The machines of the platform. */
let theirs: Engine;
let network: Network;
let secrets_directory: string;
let told: ReplicaPlatform;
let scaling: ReplicaPlatform;
let rule: string[] | undefined;

beforeAll(async () => {
  const { engine_host, door, egress_port } = testConfig();
  const installation_id = randomUUID();
  theirs = connectEngine({ docker_host: engine_host, installation_id });
  network = await ensureNetwork(theirs, { purpose: 'agents', subnet: undefined, internal: false });
  secrets_directory = join((await memoryDirectory()) ?? '', `gantry-test-${installation_id}`);
  const open = async () => await Promise.resolve({ engine: theirs, network, openListed, secrets_directory });
  const machines = localTarget({ open, door, egress_port });
  told = startReplicaPlatform(machines);
  scaling = startReplicaPlatform(machines, { has_scaler: true });
  app = await testApp({
    config: { sync_budget_seconds: 8, calm_seconds: 3600 },
    door_addresses: [network.gateway],
    targets: {
      platform: (parts) => replicaTarget(told, parts),
      cloud: (parts) => replicaTarget(scaling, parts),
    },
  });
  admin = app.admin.client;
  await app.governed(sql`update org set agent_egress = 'open' returning id`);
  await admin.call('teams.create', { body: { name: 'ml' } });
  rule = ['OUTPUT', '-o', network.bridge, '-m', 'conntrack', '--ctstate', 'NEW', '-j', 'REJECT'];
  await run('iptables', ['-I', ...rule]);
}, 120_000);
afterAll(async () => {
  if (rule !== undefined) await run('iptables', ['-D', ...rule]);
  await app?.stop();
  await Promise.all([told?.stop(), scaling?.stop()]);
  if (theirs !== undefined) await removeLeftovers(theirs);
  if (secrets_directory !== undefined) await rm(secrets_directory, { recursive: true, force: true });
}, 120_000);

const openListed = async () => await Promise.reject(new Error('no agent of this test is limited'));

const follow = async (begun: { id: string }) => await followed(admin, begun);

async function pushed(version: string, code = ''): Promise<string> {
  const yaml = 'deploy: {scaling: {min: 1, max: 3}}\n';
  const project = { name, version, yaml, files: { 'agent.py': `${hostTeller}# ${version}\n${code}` } };
  const { id, ref } = await admin.call('agents.push', { params, body: projectOf(project) });
  for await (const _ of await admin.call('pushes.events', { params: { id } }));
  return ref;
}

async function deployed(version: string, target: string): Promise<string> {
  const ref = await pushed(version);
  const deployment = await follow(await admin.call('deployments.create', { body: { ref, target } }));
  expect(deployment).toMatchObject({ state: 'done', problem: null, target });
  return `svc-${name}-${deployment.id.replaceAll('-', '').slice(0, 8)}`;
}

const say = async (seconds = 0) => await askHost(admin, name, seconds);

/** Calls until `until` holds. Returns all answers. */
async function callDuring(until: () => Promise<void>): Promise<Set<string>> {
  const answers = new Set<string>();
  let goesOn = true;
  const calling = [1, 2].map(async () => {
    while (goesOn) answers.add(await say(0.1));
  });
  await until().finally(() => (goesOn = false));
  await Promise.all(calling);
  return answers;
}

const status = async () => await admin.call('agents.status', { params });
const served = async () => (await status()).instances.filter(({ state }) => state === 'serving').length;
const scaleTo = async (instances: number) =>
  expect(await follow(await admin.call('agents.scale', { params, body: { instances } }))).toMatchObject({
    state: 'done',
  });
const idsOf = ({ instances }: { instances: { id: string }[] }) => instances.map(({ id }) => id).toSorted();
const refused = (answers: Iterable<string>) => [...answers].filter((one) => !/^[0-9a-f]{12}$/.test(one));

let set: string;

test('a replica joins and answers; a scale asks the platform for one more, and both get calls', async () => {
  set = await deployed('1.0.0', 'platform');
  expect(told.running(set)).toEqual([await say()]);
  await scaleTo(2);
  expect(told.running(set)).toHaveLength(2);
  const answers = await Promise.all(Array.from({ length: 8 }, async () => await say(1)));
  expect(new Set(answers)).toEqual(new Set(told.running(set)));
  const joined = await app.db.all(
    sql`select from audit.entry where body::jsonb ->> 'event' = 'instance.joined' and body::jsonb -> 'detail' ->> 'target' = 'platform'`,
  );
  expect(joined).toHaveLength(2);
}, 240_000);

test('the token of a revision lets no more processes in than instances are asked for', async () => {
  const token = await sharedToken();
  const many = Array.from({ length: 4 }, async () => (await joinDoor({ door: doorUrl(), token })).status);
  expect(await Promise.all(many)).toEqual([403, 403, 403, 403]);
  expect(refused([await say()])).toEqual([]);
}, 30_000);

test('the platform replaces a dead replica, and the new one becomes the same instance; no call fails', async () => {
  const before = await status();
  const [dead] = told.running(set);
  const answers = await callDuring(async () => {
    await theirs.docker.getContainer(dead ?? '').kill();
    await expect.poll(async () => told.running(set).includes(dead ?? ''), { timeout: 30_000 }).toBe(false);
    await expect.poll(served, { timeout: 60_000, interval: 500 }).toBe(2);
    await expect
      .poll(async () => new Set(await Promise.all([say(1), say(1), say(1)])).size, { timeout: 30_000 })
      .toBe(2);
  });
  // The call in the dead replica is kept, as one to any instance that ends.
  for (const other of refused(answers)) expect(other).toMatch(/^202 /);
  const after = await status();
  expect(idsOf(after)).toEqual(idsOf(before));
}, 150_000);

test('the logs are those of the replicas of this agent, also when one says the name of another', async () => {
  const lines = async () => {
    const seen: string[] = [];
    for await (const { data } of await admin.call('agents.logs', { params, query: { tail: '200' } }))
      seen.push(data.line);
    return seen.join('\n');
  };
  expect(await lines()).toContain('agent_ready');
  const names = await app.db.all<{ id: string; replica: string }>(sql`select id, replica from instance`);
  await app.db.run(sql`update instance set replica = 'another-agents-pod'`);
  expect(await lines()).not.toContain('agent_ready');
  for (const { id, replica } of names) await app.db.run(sql`update instance set replica = ${replica} where id = ${id}`);
}, 30_000);

test('a scale to fewer ends the replica that has drained', async () => {
  const answers = await callDuring(async () => {
    await scaleTo(1);
    await expect.poll(() => told.running(set).length, { timeout: 60_000 }).toBe(1);
  });
  expect(refused(answers)).toEqual([]);
  expect(told.running(set)).toEqual([await say()]);
}, 90_000);

test('the release of an instance that is gone already leaves the replicas of the others', async () => {
  const row = await app.db.one<{ place: Record<string, unknown> }>(sql`select place from instance`);
  const instance_id = randomUUID();
  const gone = { instance_id, name: set, place: { ...row?.place, instance_id } };
  await replicaTarget(told, { db: app.db, ledger: openLedger(app.db, 'platform') }).release(gone);
  expect(told.running(set)).toEqual([await say()]);
}, 30_000);

test('a stop ends all replicas, and a start gets a new one', async () => {
  const done = { state: 'done', problem: null };
  expect(await follow(await admin.call('agents.stop', { params, query: {} }))).toMatchObject(done);
  await expect.poll(() => told.running(set), { timeout: 20_000 }).toEqual([]);
  expect(await follow(await admin.call('agents.start', { params, query: {} }))).toMatchObject(done);
  expect(told.running(set)).toEqual([await say()]);
}, 90_000);

test('a new version replaces the replicas without a failed call, and a rollback returns to the old one', async () => {
  let next = '';
  const answers = await callDuring(async () => void (next = await deployed('2.0.0', 'platform')));
  expect(refused(answers)).toEqual([]);
  expect(told.running(next)).toEqual([await say()]);
  const back = await follow(await admin.call('agents.rollback', { params, query: {}, body: {} }));
  expect(back).toMatchObject({ state: 'done', problem: null, version: '1.0.0' });
  expect(told.running(next)).not.toContain(await say());
}, 240_000);

test('a version whose replicas end at their start fails its deploy, and its undo leaves nothing of it', async () => {
  const sets = async () => (await told.list()).map(({ name: one }) => one);
  const before = await sets();
  const ref = await pushed('2.1.0', 'import os\nos._exit(3)\n');
  const { state, problem } = await follow(
    await admin.call('deployments.create', { body: { ref, target: 'platform' } }),
  );
  expect({ state, problem }).toMatchObject({
    state: 'failed',
    problem: { code: 'start_failed', detail: 'The container exited with 3' },
  });
  expect((await sets()).filter((one) => !before.includes(one))).toEqual([]);
  expect(refused([await say()])).toEqual([]);
}, 120_000);

test('a platform with a scaler adds replicas, which become instances, and takes them away without a failed call', async () => {
  const own = await deployed('3.0.0', 'cloud');
  await admin.call('agents.set_target', { params, body: { target: 'cloud' } });
  const answers = await callDuring(async () => {
    scaling.choose(own, 3);
    await expect.poll(served, { timeout: 60_000, interval: 500 }).toBe(3);
    scaling.choose(own, 1);
    await expect.poll(async () => (await status()).instances.length, { timeout: 60_000, interval: 500 }).toBe(1);
    await expect.poll(served, { timeout: 30_000, interval: 500 }).toBe(1);
  });
  expect(refused(answers)).toEqual([]);
  await expect.poll(() => scaling.running(own).length).toBe(1);
  expect(scaling.running(own)).toEqual([await say()]);
}, 240_000);

test('a restart of the service leaves the replicas', async () => {
  const before = await say();
  await app.stopFirst();
  admin = (await app.another()).as(app.admin.token);
  expect(await say()).toBe(before);
  await expect.poll(served, { timeout: 30_000 }).toBe(1);
  expect(await say()).toBe(before);
}, 90_000);

test('a delete leaves nothing at the platforms', async () => {
  await admin.call('agents.delete', { params });
  const left = async () => [...(await told.list()), ...(await scaling.list())];
  await expect.poll(left, { timeout: 30_000 }).toEqual([]);
  await expect
    .poll(
      async () => (await theirs.docker.listContainers()).filter(({ Names }) => Names[0]?.startsWith(`/svc-${name}-`)),
      { timeout: 30_000 },
    )
    .toEqual([]);
}, 60_000);

const doorUrl = () => `http://${network.gateway}:${testConfig().door.port}`;

/** As a replica has it. */
async function sharedToken(): Promise<string> {
  const row = await app.db.one<{ revision_id: string }>(
    sql`select revision_id from placement where join_hash is not null`,
  );
  return createHmac('sha256', app.keys['ingress-secret']).update(`join ${row?.revision_id}`).digest('base64url');
}
