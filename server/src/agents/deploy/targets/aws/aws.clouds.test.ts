// The whole story of a target in AWS by the API, on an emulator of ECS that runs tasks on this machine's engine. It says nothing about an account
// of AWS: permissions, quotas, networks and images of real Fargate are not tried here.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../../../ground/database/sql.ts';
import { access_key, openAwsStage, type AwsStage } from '../../../../testing/agents/aws-stage.ts';
import { described, planning } from '../../../../testing/agents/aws-revision.ts';
import { askHost, followed, hostTeller } from '../../../../testing/agents/host-teller.ts';
import { projectOf } from '../../../../testing/pushes/project-archive.ts';
import { checkAgainstModels } from '../../../../testing/servers/aws-models.ts';
import { openLedger } from '../ledger.ts';
import type { Ledger } from '../outside.ts';
import { ecsPlatform, type EcsParts } from './ecs-platform.ts';
import { policyOf, sent_actions } from './policy.ts';

const name = 'swarm';
const params = { name };
const target = 'cloud';
const cluster = 'agents';
const done = { state: 'done', problem: null, target };
const ending = () => AbortSignal.timeout(60_000);
const slow = { timeout: 60_000, interval: 500 };
let stage: AwsStage;
let admin: Client;

beforeAll(async () => {
  stage = await openAwsStage();
  admin = stage.app.admin.client;
}, 300_000);
afterAll(async () => await stage?.stop(), 120_000);

const follow = async (begun: { id: string }) => await followed(admin, begun);
const say = async () => await askHost(admin, name);
const answered = /^[0-9a-f]{12}$/;

/** It prints each call. */
const talking = hostTeller.replace('    return {', '    print("asked where", flush=True)\n    return {');

async function pushed(version: string, code = ''): Promise<string> {
  const yaml = 'deploy: {scaling: {min: 1, max: 3}}\n';
  const project = { name, version, yaml, files: { 'agent.py': `${talking}# ${version}\n${code}` } };
  const { id, ref } = await admin.call('agents.push', { params, body: projectOf(project) });
  for await (const _ of await admin.call('pushes.events', { params: { id } }));
  return ref;
}

const deploy = async (ref: string) => await follow(await admin.call('deployments.create', { body: { ref, target } }));
const serviceOf = ({ id }: { id: string }) => `svc-${name}-${id.replaceAll('-', '').slice(0, 8)}`;

async function running(service?: string): Promise<string[]> {
  const of = service === undefined ? {} : { serviceName: service };
  const { taskArns = [] } = await stage.eyes.ecs.listTasks({ cluster, desiredStatus: 'RUNNING', ...of });
  return taskArns.map((arn) => arn.split('/').at(-1) ?? '').toSorted();
}

const joined = async () =>
  (
    await stage.app.db.all<{ replica: string }>(
      sql`select replica from instance where is_asked and replica is not null`,
    )
  )
    .map(({ replica }) => replica)
    .toSorted();

async function expectNothing(): Promise<void> {
  const { eyes } = stage;
  const { serviceArns } = await eyes.ecs.listServices({ cluster });
  const { taskDefinitionArns } = await eyes.ecs.listTaskDefinitions({});
  const { SecretList } = await eyes.secrets.listSecrets({});
  expect({ serviceArns, tasks: await running(), taskDefinitionArns, SecretList }).toEqual({
    serviceArns: [],
    tasks: [],
    taskDefinitionArns: [],
    SecretList: [],
  });
  const open = await stage.app.db.all<{ kind: string }>(sql`select kind from target_resource where removed_at is null`);
  expect(open.map(({ kind }) => kind).filter((kind) => !['log group', 'repository'].includes(kind))).toEqual([]);
}

/** With the clients of the service, past its API. */
const parts = (): EcsParts => ({
  ...planning,
  installation_id: stage.installation_id,
  ledger: openLedger(stage.app.db, target),
  open: async () => await Promise.resolve(stage.clients()),
  builds: stage.engine,
  registry: () => {
    throw new Error('nothing is pushed here');
  },
});
const platform = () => ecsPlatform(parts());

async function findings(): Promise<string[]> {
  const found = await admin.call('targets.test', { params: { name: target } });
  return found.map(({ part, works, message }) => `${works ? '' : 'not '}${part}: ${message}`);
}

test('an admin adds a target in AWS, and its test leaves nothing behind', async () => {
  const body = { name: target, team: 'ml', config: stage.config };
  await admin.call('registry.create', { params: { kind: 'target' }, body });
  await admin.call('targets.set_credential', { params: { name: target }, body: { access_key } });
  expect(await admin.call('targets.show', { params: { name: target } })).toMatchObject({
    kind: 'aws',
    address: 'eu-west-1/agents',
  });
  expect(await findings()).toEqual([
    'cluster: agents in eu-west-1 answers',
    'image: the repository gantry/agents is missing, and the first deploy makes it',
    'secret: keeps the secrets of agents',
    'role: arn:aws:iam::123456789012:role/gantry-execution is passed to tasks',
    'service: makes and changes a service of the cluster',
    'removal: removes what it makes',
    'scaler: may scale the services of the cluster',
    'log: the log group /gantry/agents is missing, and the first deploy makes it',
    expect.stringMatching(/^outgoing connections: cannot be limited here/),
  ]);
  await expectNothing();
  expect((await stage.eyes.ecr.describeRepositories({})).repositories).toEqual([]);
  expect((await stage.eyes.logs.describeLogGroups({})).logGroups).toEqual([]);
}, 60_000);

test('a permission that is missing is named with the policy that has it, and the other parts are tried', async () => {
  stage.denied.add('CreateService').add('GetLogEvents').add('PutScalingPolicy');
  const found = await findings();
  stage.denied.clear();
  expect(found.filter((one) => one.startsWith('not '))).toEqual([
    `not service: AWS does not allow it: ecs:CreateService on arn:aws:x. The least that it needs: svc target policy ${target}`,
    expect.stringMatching(/^not scaler: AWS does not allow it: application-autoscaling:PutScalingPolicy on arn:aws:x/),
    expect.stringMatching(/^not log: AWS does not allow it: logs:GetLogEvents on arn:aws:x/),
  ]);
  await expectNothing();
}, 60_000);

let service = '';

test('a version is approved for it, deployed there, and answers through the ingress', async () => {
  const max = await stage.app.user('max@example.com', { teams: { ml: 'admin' } });
  const dora = await stage.app.user('dora@example.com', { teams: { ml: 'deployer' } });
  const asset = await pushed('1.0.0');
  const { target_plan } = await admin.call('deployments.plan', { body: { ref: asset, target } });
  expect(target_plan).toMatchObject({ broken: [], covers: { reach: ['out: *'], secrets: [] } });
  const before = stage.sent.length;
  const { id } = await admin.call('approvals.submit', { body: { asset, target, message: '' } });
  await max.client.call('approvals.approve', { params: { id }, body: { reason: '' } });
  const deployment = await follow(await dora.client.call('deployments.create', { body: { ref: asset, target } }));
  expect(deployment).toMatchObject({ ...done, approval_id: id });
  // The plan was what was sent.
  const changing = stage.sent
    .slice(before)
    .filter(({ operation }) => /^(Create|Register|Put|Tag|Update)/.test(operation));
  expect(changing.map(({ operation }) => operation)).toEqual(target_plan?.requests.map(({ action }) => action));
  service = serviceOf(deployment);
  expect(await say()).toMatch(answered);
  expect(await joined()).toEqual(await running(service));
  // What it has made is there now, so its test tries all.
  const found = await findings();
  expect(found.filter((one) => one.startsWith('not '))).toEqual([]);
  expect(found).toContain('image: the repository gantry/agents takes images from the service');
  expect(found).toContain('log: the log group /gantry/agents gives the lines of agents');
}, 400_000);

async function read(of: string, task: string, more: object = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const { line } of platform().logs(of, task, { secrets: {}, signal: ending(), ...more })) lines.push(line);
  return lines;
}

test('its log is read from CloudWatch, masked, and found for its own description only', async () => {
  const [replica = ''] = await joined();
  const all = await read(service, replica);
  expect(all.join('\n')).toContain('agent_ready');
  expect(await read(service, replica, { tail: 1 })).toEqual(all.slice(-1));
  expect((await read(service, replica, { secrets: { A: 'agent_ready' } })).join('\n')).not.toContain('agent_ready');
  expect(await read(service, replica, { since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
  expect(await read('svc-another', replica)).toEqual([]);
  expect(await read(service, '../another')).toEqual([]);
}, 60_000);

test('its log is followed live', async () => {
  const lines = await admin.call('agents.logs', { params, query: { tail: '0', follow: 'true' } });
  const seen = (async () => {
    for await (const { data } of lines) if (data.line === 'asked where') return data.line;
    return undefined;
  })();
  await expect
    .poll(async () => {
      await say();
      return await Promise.race([seen, new Promise((resolve) => setTimeout(resolve, 2000, 'nothing yet'))]);
    }, slow)
    .toBe('asked where');
}, 90_000);

test('what somebody changes by hand is drift, with the command that mends it', async () => {
  const drift = async () =>
    (await admin.call('targets.drift', { params: { name: target } })).drift.map(({ what, kind }) => `${what} ${kind}`);
  expect(await drift()).toEqual([]);
  await stage.eyes.ecs.updateService({ cluster, service, enableExecuteCommand: true });
  expect(await drift()).toEqual(['changed service']);
  await stage.eyes.ecs.updateService({ cluster, service, enableExecuteCommand: false });
  expect(await drift()).toEqual([]);
}, 60_000);

test('a scale to two and back ends the replica that has drained', async () => {
  const scaleTo = async (instances: number) =>
    expect(await follow(await admin.call('agents.scale', { params, body: { instances } }))).toMatchObject(done);
  await scaleTo(2);
  expect(await joined()).toEqual(await running(service));
  expect(await running(service)).toHaveLength(2);
  const before = await running(service);
  await scaleTo(1);
  await expect.poll(async () => await running(service), slow).toHaveLength(1);
  const left = await running(service);
  expect(await joined()).toEqual(left);
  expect(await say()).toMatch(answered);
  // A follow of one that has ended ends.
  const gone = before.find((task) => !left.includes(task)) ?? '';
  expect((await read(service, gone, { follow: true })).join('\n')).toContain('agent_ready');
}, 180_000);

test('a replica that names the task of another description ends nothing', async () => {
  const tasks = await running(service);
  await platform().describe(described, ending());
  await platform().scale(described.name, { replicas: 0, leaving: tasks });
  expect(await running(service)).toEqual(tasks);
  await platform().remove(described.name, ending());
  expect(await running(service)).toEqual(tasks);
}, 60_000);

test('a new version runs in a service of its own, and a rollback returns to the version before', async () => {
  const next = await deploy(await pushed('2.0.0'));
  expect(next).toMatchObject({ ...done, version: '2.0.0' });
  await expect.poll(async () => await running(service), slow).toEqual([]);
  expect(await joined()).toEqual(await running(serviceOf(next)));
  const back = await follow(await admin.call('agents.rollback', { params, query: {}, body: {} }));
  expect(back).toMatchObject({ ...done, version: '1.0.0' });
  expect(await say()).toMatch(answered);
  service = serviceOf(back);
  await expect.poll(async () => await running(), slow).toEqual(await running(service));
  await expect.poll(joined, slow).toEqual(await running(service));
}, 400_000);

test('a version whose replicas end at their start fails its deploy with their exit code, and leaves nothing', async () => {
  const failed = await deploy(await pushed('2.1.0', 'import os\nos._exit(3)\n'));
  expect(failed).toMatchObject({
    state: 'failed',
    problem: { code: 'start_failed', detail: 'The container exited with 3' },
  });
  const { services = [] } = await stage.eyes.ecs.describeServices({ cluster, services: [serviceOf(failed)] });
  expect(services.filter(({ status }) => status === 'ACTIVE')).toEqual([]);
  expect(await say()).toMatch(answered);
}, 240_000);

test('ECS replaces a task that has died, and the new one becomes the same instance', async () => {
  const [dead = ''] = await running(service);
  await stage.engine.docker.getContainer(`ministack-ecs-${dead.slice(0, 8)}-agent`).kill();
  await expect.poll(async () => (await running(service)).filter((task) => task !== dead), slow).toHaveLength(1);
  await expect.poll(joined, slow).not.toContain(dead);
  expect(await joined()).toEqual(await running(service));
  await expect.poll(say, slow).toMatch(answered);
}, 150_000);

test('a stop ends all tasks, and a start brings one back', async () => {
  expect(await follow(await admin.call('agents.stop', { params, query: {} }))).toMatchObject(done);
  await expect.poll(async () => await running(), slow).toEqual([]);
  expect(await follow(await admin.call('agents.start', { params, query: {} }))).toMatchObject(done);
  expect(await say()).toMatch(answered);
}, 180_000);

test('a delete leaves nothing, and the target can be removed then', async () => {
  await admin.call('agents.delete', { params });
  await expect.poll(async () => await expectNothing().then(() => 'nothing', String), slow).toBe('nothing');
  const { logStreams } = await stage.eyes.logs.describeLogStreams({ logGroupName: '/gantry/agents' });
  expect(logStreams).toEqual([]);
}, 120_000);

test('a description that is interrupted before its service is made again, with the secret of before', async () => {
  const record: Ledger['record'] = async (one, of) => {
    if (one.kind === 'service') throw new Error('the record is not stored');
    await parts().ledger.record(one, of);
  };
  const failing = ecsPlatform({ ...parts(), ledger: { ...parts().ledger, record } });
  await expect(failing.describe(described, ending())).rejects.toThrow('the record is not stored');
  expect(await platform().observe(described.name)).toBeUndefined();
  await platform().describe(described, ending());
  expect(await platform().observe(described.name)).toMatchObject({ replicas: 0 });
  await platform().remove(described.name, ending());
  await platform().remove(described.name, ending());
  await expectNothing();
}, 60_000);

test("every request that was sent fits botocore's models", async () => {
  // The service sends more meanwhile.
  const requests = [...stage.sent];
  const faults = await checkAgainstModels(requests);
  expect(faults.flatMap((found, at) => found.map((fault) => `${requests[at]?.operation}: ${fault}`))).toEqual([]);
}, 120_000);

// Schema-checked: the emulators refuse no permission.
test('the policy has the actions that were sent, neither more nor fewer', () => {
  const used = new Set(stage.sent.map(({ service: of, operation }) => `${of}:${operation}`));
  expect(sent_actions.toSorted()).toEqual([...used].toSorted());
  const { Statement } = policyOf(planning);
  const allowed = Statement.flatMap(({ Action }) => Action);
  expect(allowed).toEqual(expect.arrayContaining([...sent_actions]));
  expect(allowed.filter((action) => action.includes('*'))).toEqual([]);
  expect(Statement.at(-1)).toMatchObject({
    Action: ['iam:PassRole'],
    Resource: [planning.settings.execution_role_arn],
    Condition: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
  });
});
