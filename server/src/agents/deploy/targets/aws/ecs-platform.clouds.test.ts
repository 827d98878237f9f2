// An agent on an emulator of ECS, which runs its tasks on this machine's engine. It says nothing about an account of AWS: permissions, quotas,
// networks and images of real Fargate are not tried here.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { connectEngine, type Engine } from '../../../../assets/docker/client.ts';
import { sql } from '../../../../ground/database/sql.ts';
import { openOutbound, type Outbound } from '../../../../ground/outbound/outbound.ts';
import { described, planning as written } from '../../../../testing/agents/aws-revision.ts';
import { askHost, followed, hostTeller } from '../../../../testing/agents/host-teller.ts';
import { testConfig } from '../../../../testing/config.ts';
import { projectOf } from '../../../../testing/pushes/project-archive.ts';
import { checkAgainstModels, type AwsRequest } from '../../../../testing/servers/aws-models.ts';
import { startMinistack, type Ministack } from '../../../../testing/servers/ministack.ts';
import { recordRequests } from '../../../../testing/servers/recorded-requests.ts';
import { testApp, type TestApp } from '../../../../testing/test-app.ts';
import type { Ledger, OutsideResource } from '../outside.ts';
import type { Platform } from '../replicas/platform.ts';
import { replicaTarget } from '../replicas/target.ts';
import { openClients, type AwsClients } from './clients.ts';
import { ecsPlatform, type EcsParts } from './ecs-platform.ts';
import { policyOf, sent_actions } from './policy.ts';

const name = 'swarm';
const params = { name };
const repository = 'gantry/agents';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const signal = () => AbortSignal.timeout(60_000);
let aws: Ministack;
/** It builds, and the emulator runs its tasks there. */
let engine: Engine;
let outbound: Outbound;
let app: TestApp;
let admin: Client;
let clients: AwsClients;
/** Of the test, which looks itself. */
let eyes: AwsClients;
let parts: EcsParts;
let platform: Platform;
let sent: AwsRequest[];
/** The records of what is made, beside the number of requests that were sent before. */
const made: (OutsideResource & { after: number })[] = [];
/** By kind and name: what may be there. */
const open = new Map<string, Awaited<ReturnType<Ledger['list']>>[number]>();
const keyOf = ({ kind, name: of }: OutsideResource) => `${kind} ${of}`;
const ledger: Ledger = {
  record: async (one, of, described) => {
    made.push({ ...one, after: sent.length });
    open.set(keyOf(one), { ...one, revision_id: of?.revision_id ?? null, described });
    await Promise.resolve();
  },
  removed: async (one) => await Promise.resolve(void open.delete(keyOf(one))),
  list: async () => await Promise.resolve([...open.values()]),
};

beforeAll(async () => {
  aws = await startMinistack();
  const { region } = written.settings;
  clients = await openClients({ region, endpoint: aws.endpoint, credentials });
  eyes = await openClients({ region, endpoint: aws.endpoint, credentials });
  await eyes.ecs.createCluster({ clusterName: written.settings.cluster });
  sent = recordRequests(clients);
  outbound = openOutbound({ private_hosts: ['127.0.0.1'] });
  const { engine_host, door } = testConfig();
  engine = connectEngine({ docker_host: engine_host, installation_id: written.installation_id });
  // The emulator puts its tasks on the engine's own network.
  const gateway = await bridgeAddress(engine);
  const settings = {
    ...written.settings,
    repository: `${aws.endpoint}/${repository}`,
    service_url: `http://${gateway}:${door.port}`,
  };
  parts = {
    installation_id: written.installation_id,
    settings,
    open: async () => await Promise.resolve(clients),
    ledger,
    registry: (credential) => ({ url: aws.endpoint, repository, credential, outbound }),
    builds: engine,
  };
  platform = ecsPlatform(parts);
  app = await testApp({
    config: { sync_budget_seconds: 8, calm_seconds: 3600 },
    door_addresses: [gateway],
    targets: { ecs: (of) => replicaTarget(platform, { ...of, ledger }) },
  });
  admin = app.admin.client;
  await app.governed(sql`update org set agent_egress = 'open' returning id`);
  await admin.call('teams.create', { body: { name: 'ml' } });
}, 300_000);
afterAll(async () => {
  await app?.stop();
  await outbound?.close();
  // It removes its containers.
  await aws?.stop();
  if (engine !== undefined && aws !== undefined)
    await removePulled(engine, `${new URL(aws.endpoint).host}/${repository}`);
}, 120_000);

/** The images that the emulator has pulled from itself. */
async function removePulled({ docker }: Engine, reference: string): Promise<void> {
  for (const { Id } of await docker.listImages({ filters: { reference: [reference] } }))
    await docker.getImage(Id).remove({ force: true });
}

/** Of this machine, as containers on the engine's own network find it. The engine may name the range only, and takes its first address. */
async function bridgeAddress({ docker }: Engine): Promise<string> {
  const { IPAM } = await docker.getNetwork('bridge').inspect();
  const [range] = IPAM?.Config ?? [];
  const address = range?.['Gateway'] ?? range?.['Subnet']?.replace(/\d+\/\d+$/, '1');
  if (address === undefined) throw new Error('the network of the engine has no range');
  return address;
}

const follow = async (begun: { id: string }) => await followed(admin, begun);
const say = async (seconds = 0) => await askHost(admin, name, seconds);

/** It prints each call. */
const talking = hostTeller.replace('    return {', '    print("asked where", flush=True)\n    return {');

async function deploy(version: string, code = '') {
  const yaml = 'deploy: {scaling: {min: 1, max: 3}}\n';
  const project = { name, version, yaml, files: { 'agent.py': `${talking}# ${version}\n${code}` } };
  const { id, ref } = await admin.call('agents.push', { params, body: projectOf(project) });
  for await (const _ of await admin.call('pushes.events', { params: { id } }));
  return await follow(await admin.call('deployments.create', { body: { ref, target: 'ecs' } }));
}

async function deployed(version: string): Promise<string> {
  const deployment = await deploy(version);
  expect(deployment).toMatchObject({ state: 'done', problem: null, target: 'ecs' });
  return `svc-${name}-${deployment.id.replaceAll('-', '').slice(0, 8)}`;
}

const running = async (service: string) => {
  const { taskArns = [] } = await eyes.ecs.listTasks({
    cluster: parts.settings.cluster,
    serviceName: service,
    desiredStatus: 'RUNNING',
  });
  return taskArns.map((arn) => arn.split('/').at(-1) ?? '').toSorted();
};
const joined = async () =>
  (await app.db.all<{ replica: string }>(sql`select replica from instance where is_asked and replica is not null`))
    .map(({ replica }) => replica)
    .toSorted();
const scaleTo = async (instances: number) =>
  expect(await follow(await admin.call('agents.scale', { params, body: { instances } }))).toMatchObject({
    state: 'done',
  });

let set: string;

test('an image is pushed, a task runs it, gets its secrets, joins by the id of its task and answers', async () => {
  set = await deployed('1.0.0');
  expect(await say()).toMatch(/^[0-9a-f]{12}$/);
  expect(await joined()).toEqual(await running(set));
  expect(await platform.observe(set)).toMatchObject({ name: set, replicas: 1 });
  expect(await platform.list()).toHaveLength(1);
}, 300_000);

async function read(of: string, task: string, more: object = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const { line } of platform.logs(of, task, { secrets: {}, signal: signal(), ...more })) lines.push(line);
  return lines;
}

test('its log is read from CloudWatch, followed live, masked, and found for its own description only', async () => {
  const [replica = ''] = await joined();
  const all = await read(set, replica);
  expect(all.join('\n')).toContain('agent_ready');
  expect(await read(set, replica, { tail: 1 })).toEqual(all.slice(-1));
  expect((await read(set, replica, { secrets: { A: 'agent_ready' } })).join('\n')).not.toContain('agent_ready');
  const since = new Date().toISOString();
  const followed_line = (async () => {
    for await (const { line } of platform.logs(set, replica, { follow: true, since, secrets: {}, signal: signal() }))
      if (line === 'asked where') return line;
    return undefined;
  })();
  await say();
  expect(await followed_line).toBe('asked where');
  expect(await read('svc-another', replica)).toEqual([]);
  expect(await read(set, '../another')).toEqual([]);
}, 60_000);

test('a scale to two and back ends the replica that has drained', async () => {
  await scaleTo(2);
  expect(await joined()).toEqual(await running(set));
  expect(await running(set)).toHaveLength(2);
  const before = await running(set);
  await scaleTo(1);
  await expect.poll(async () => await running(set), { timeout: 60_000 }).toHaveLength(1);
  const left = await running(set);
  expect(await joined()).toEqual(left);
  expect(await say()).toMatch(/^[0-9a-f]{12}$/);
  // A follow of one that has ended ends.
  const gone = before.find((task) => !left.includes(task)) ?? '';
  expect((await read(set, gone, { follow: true })).join('\n')).toContain('agent_ready');
}, 180_000);

test('a replica that names the task of another description ends nothing', async () => {
  const tasks = await running(set);
  await platform.describe(described, signal());
  await platform.scale(described.name, { replicas: 0, leaving: tasks });
  expect(await running(set)).toEqual(tasks);
  await platform.remove(described.name, signal());
  expect(await running(set)).toEqual(tasks);
}, 60_000);

test('a new version runs in a service of its own, and the old one gets no task', async () => {
  const next = await deployed('2.0.0');
  expect(next).not.toBe(set);
  await expect.poll(async () => await running(set), { timeout: 60_000 }).toEqual([]);
  expect(await joined()).toEqual(await running(next));
  set = next;
}, 240_000);

test('a version whose replicas end at their start fails its deploy with their exit code, and leaves no service', async () => {
  const names = async () => (await platform.list()).map((one) => one.name);
  const before = await names();
  const { state, problem } = await deploy('2.1.0', 'import os\nos._exit(3)\n');
  expect({ state, problem }).toMatchObject({
    state: 'failed',
    problem: { code: 'start_failed', detail: 'The container exited with 3' },
  });
  // The version before may have ended meanwhile.
  expect((await names()).filter((one) => !before.includes(one))).toEqual([]);
  expect(await say()).toMatch(/^[0-9a-f]{12}$/);
}, 240_000);

test('ECS replaces a task that has died, and the new one becomes the same instance', async () => {
  const [dead = ''] = await running(set);
  await engine.docker.getContainer(`ministack-ecs-${dead.slice(0, 8)}-agent`).kill();
  await expect
    .poll(async () => (await running(set)).filter((task) => task !== dead), { timeout: 60_000 })
    .toHaveLength(1);
  await expect.poll(joined, { timeout: 60_000 }).not.toContain(dead);
  expect(await joined()).toEqual(await running(set));
  await expect.poll(say, { timeout: 60_000 }).toMatch(/^[0-9a-f]{12}$/);
}, 150_000);

test('a delete leaves nothing of the revisions', async () => {
  await admin.call('agents.delete', { params });
  await expect.poll(async () => await platform.list(), { timeout: 60_000 }).toEqual([]);
  await expectNothing();
}, 120_000);

async function expectNothing(): Promise<void> {
  const { cluster, log_group } = parts.settings;
  const { taskArns } = await eyes.ecs.listTasks({ cluster });
  const { taskDefinitionArns } = await eyes.ecs.listTaskDefinitions({});
  const { SecretList } = await eyes.secrets.listSecrets({});
  const { logStreams } = await eyes.logs.describeLogStreams({ logGroupName: log_group });
  expect({ taskArns, taskDefinitionArns, SecretList, logStreams }).toEqual({
    taskArns: [],
    taskDefinitionArns: [],
    SecretList: [],
    logStreams: [],
  });
  expect((await ledger.list()).filter(({ revision_id }) => revision_id !== null)).toEqual([]);
}

test('a repeated description makes nothing, another one a new task definition, and one of an older attempt is refused', async () => {
  await platform.describe(described, signal());
  const service = async () => {
    const { cluster } = parts.settings;
    const { services = [] } = await eyes.ecs.describeServices({ cluster, services: [described.name] });
    return services[0];
  };
  const first = await service();
  expect(first).toMatchObject({ desiredCount: 0, runningCount: 0 });
  expect(await platform.drift?.(new Map([[described.revision_id, 0]]), signal())).toEqual([]);
  const count = made.length;
  await platform.describe({ ...described, fence: 2 }, signal());
  expect(made).toHaveLength(count);
  const other = { ...described, fence: 3, variables: { SVC_AGENT_NAME: 'another' } };
  await platform.describe(other, signal());
  expect((await service())?.taskDefinition).not.toBe(first?.taskDefinition);
  await expect(platform.describe({ ...described, fence: 2 }, signal())).rejects.toThrow('has a newer fence');
  await platform.remove(described.name, signal());
  await expectNothing();
}, 60_000);

test('a description that is interrupted before its service is made again, with the secret of before', async () => {
  const failing = ecsPlatform({
    ...parts,
    ledger: {
      ...ledger,
      record: async (one, of) => {
        if (one.kind === 'service') throw new Error('the record is not stored');
        await ledger.record(one, of);
      },
    },
  });
  await expect(failing.describe(described, signal())).rejects.toThrow('the record is not stored');
  expect(await platform.observe(described.name)).toBeUndefined();
  await platform.describe(described, signal());
  expect(await platform.observe(described.name)).toMatchObject({ replicas: 0 });
  await platform.remove(described.name, signal());
  await platform.remove(described.name, signal());
  await expectNothing();
}, 60_000);

test('the service of another installation is not taken, and not listed', async () => {
  await platform.describe(described, signal());
  const other = ecsPlatform({ ...parts, installation_id: 'another' });
  await expect(other.observe(described.name)).rejects.toThrow('does not belong to this installation');
  await expect(other.remove(described.name)).rejects.toThrow('does not belong to this installation');
  expect(await other.list()).toEqual([]);
  expect(await platform.list()).toHaveLength(1);
  await platform.remove(described.name, signal());
}, 60_000);

test('no task definition, no service and no artefact has a value of a secret', async () => {
  const { artefacts } = await platform.describe(described, signal());
  const value = 'the value of a secret';
  await platform.scale(described.name, { replicas: 0, files: { TOKEN: value, SVC_JOIN_TOKEN: value } });
  const { SecretString } = await eyes.secrets.getSecretValue({
    SecretId: `gantry/${parts.installation_id}/${described.name}`,
  });
  expect(JSON.parse(SecretString ?? '')).toEqual({ TOKEN: value, SVC_JOIN_TOKEN: value });
  const others = sent.filter(({ operation }) => operation !== 'PutSecretValue');
  expect(JSON.stringify([artefacts, others, made])).not.toContain(value);
  await platform.remove(described.name, signal());
}, 60_000);

test('secrets that do not fit, limits of outgoing connections and impossible sizes are refused before anything is made', async () => {
  const count = made.length;
  const huge = { ...described, resources: { cpu_count: 64, memory_bytes: 1024 ** 3 } };
  await expect(platform.describe(huge, signal())).rejects.toThrow('Fargate has no size with 64 CPU');
  await expect(platform.describe({ ...described, egress: [] }, signal())).rejects.toThrow('Outgoing connections');
  await expect(platform.describe({ ...described, name: 'a b' }, signal())).rejects.toThrow('The family a b');
  expect(made).toHaveLength(count);
  await platform.describe(described, signal());
  const files = { LARGE: 'x'.repeat(70_000) };
  await expect(platform.scale(described.name, { replicas: 1, files })).rejects.toThrow('keeps 65536 in one secret');
  expect(await platform.observe(described.name)).toMatchObject({ replicas: 0 });
  await platform.remove(described.name, signal());
}, 60_000);

test('everything that was made is in the record before it was made', () => {
  const creating = /^(Create|Register)/;
  const created = sent.flatMap(({ operation }, at) => (creating.test(operation) ? [at] : []));
  expect(created.length).toBeGreaterThan(5);
  const recorded = new Set(made.map(({ after }) => after));
  expect(created.filter((at) => !recorded.has(at))).toEqual([]);
  // And what a service is changed to.
  const others = [...recorded].filter((at) => !created.includes(at)).map((at) => sent[at]?.operation);
  expect(others).toEqual(['UpdateService']);
});

test("every request that was sent fits botocore's models", async () => {
  // The service sends more meanwhile.
  const requests = [...sent];
  const faults = await checkAgainstModels(requests);
  expect(faults.flatMap((found, at) => found.map((fault) => `${requests[at]?.operation}: ${fault}`))).toEqual([]);
}, 120_000);

// Schema-checked: the emulator refuses no permission.
test('the policy has the actions that were sent, neither more nor fewer', () => {
  const used = new Set(sent.map(({ service, operation }) => `${service}:${operation}`));
  expect(sent_actions.toSorted()).toEqual([...used].toSorted());
  const { Statement } = policyOf(written);
  const allowed = Statement.flatMap(({ Action }) => Action);
  expect(allowed).toEqual(expect.arrayContaining([...sent_actions]));
  expect(allowed.filter((action) => action.includes('*'))).toEqual([]);
  expect(Statement.at(-1)).toMatchObject({
    Action: ['iam:PassRole'],
    Resource: [written.settings.execution_role_arn],
    Condition: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
  });
});
