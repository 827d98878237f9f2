// The whole story of a target in Azure by the API. Container apps, operations, logs, permissions and the login of the registry are our own stand-in,
// which runs containers on this machine's engine. So it says what the service does, and nothing about Azure.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../../../ground/database/sql.ts';
import { credential, key_file, planning } from '../../../../testing/agents/azure-revision.ts';
import { openAzureStage, type AzureStage } from '../../../../testing/agents/azure-stage.ts';
import { askHost, followed, hostTeller } from '../../../../testing/agents/host-teller.ts';
import { projectOf } from '../../../../testing/pushes/project-archive.ts';
import { schemaFaults } from '../../../../testing/servers/azure-schema.ts';
import { methods } from './methods.ts';
import { baseId } from './requests.ts';
import { environmentOf, groupOf } from './settings.ts';

const name = 'swarm';
const params = { name };
const target = 'apps';
const secret_value = 'a value that nobody is told';
const done = { state: 'done', problem: null, target };
const slow = { timeout: 60_000, interval: 500 };
const answered = /^[0-9a-f]{12}$/;
let stage: AzureStage;
let admin: Client;

beforeAll(async () => {
  stage = await openAzureStage();
  admin = stage.app.admin.client;
}, 300_000);
afterAll(async () => await stage?.stop(), 120_000);

const follow = async (begun: { id: string }) => await followed(admin, begun);
const say = async () => await askHost(admin, name);

/** It prints each call, and its secret. */
const talking = hostTeller.replace(
  '    return {',
  '    import os\n    print("asked where", os.environ["TOKEN"], flush=True)\n    return {',
);

async function pushed(version: string, code = ''): Promise<string> {
  const yaml = 'deploy: {scaling: {min: 1, max: 3}, secrets: [TOKEN]}\n';
  const project = { name, version, yaml, files: { 'agent.py': `${talking}# ${version}\n${code}` } };
  const { id, ref } = await admin.call('agents.push', { params, body: projectOf(project) });
  for await (const _ of await admin.call('pushes.events', { params: { id } }));
  return ref;
}

const deploy = async (ref: string) => await follow(await admin.call('deployments.create', { body: { ref, target } }));
const appOf = ({ id }: { id: string }) => baseId(`svc-${name}-${id.replaceAll('-', '').slice(0, 8)}`);
const replicas = (of = '') =>
  [...stage.azure.apps.keys()].filter((id) => id.startsWith(of) && /-r\d+$/.test(id)).toSorted();
const joined = async () =>
  (
    await stage.app.db.all<{ replica: string }>(
      sql`select replica from instance where is_asked and replica is not null`,
    )
  )
    .map(({ replica }) => replica)
    .toSorted();

async function expectNothing(): Promise<void> {
  const open = await stage.app.db.all<{ name: string }>(sql`select name from target_resource where removed_at is null`);
  expect({ apps: [...stage.azure.apps.keys()], open }).toEqual({
    apps: [],
    open: [],
  });
}

async function findings(): Promise<string[]> {
  const found = await admin.call('targets.test', { params: { name: target } });
  return found.map(({ part, works, message }) => `${works ? '' : 'not '}${part}: ${message}`);
}

test('an admin adds a target in Azure; its test names what the service may do, and makes nothing', async () => {
  const body = { name: target, team: 'ml', config: stage.config };
  await admin.call('registry.create', { params: { kind: 'target' }, body });
  await admin.call('targets.set_credential', { params: { name: target }, body: { key: key_file } });
  // Until then, its watch proves itself as this machine.
  stage.azure.issued.splice(0);
  expect(await admin.call('targets.show', { params: { name: target } })).toMatchObject({
    kind: 'azure',
    address: environmentOf(planning.settings),
  });
  expect(await findings()).toEqual([
    'identity: Azure accepts the credential',
    expect.stringMatching(/^resource group: the service has Microsoft\.App\/containerApps\/delete, /),
    'environment: production is in westeurope and writes to the workspace',
    'logs: the workspace answers',
    'registry: takes images from the service',
    expect.stringMatching(/^outgoing connections: cannot be limited here/),
  ]);
  expect(new Set(stage.azure.issued)).toEqual(new Set([`${credential.appId} arm`, `${credential.appId} logs`]));
  await expectNothing();
});

test('T606 an action that is missing is named, and the other parts are tried', async () => {
  stage.azure.missing.add('Microsoft.App/containerApps/delete').add('Microsoft.App/*/join/action');
  const found = await findings();
  stage.azure.missing.clear();
  expect(found.filter((one) => one.startsWith('not '))).toEqual([
    `not resource group: the service has not Microsoft.App/containerApps/delete, Microsoft.App/managedEnvironments/join/action on ${groupOf(planning.settings)}`,
  ]);
  expect(found).toHaveLength(6);
});

let base = '';

test('a version is approved for it, deployed there, gets its secrets, joins by the name of its container app and answers', async () => {
  const ref = await pushed('1.0.0');
  await admin.call('secrets.set', { body: { agent: name, name: 'TOKEN', value: secret_value } });
  const deployment = await deploy(ref);
  expect(deployment).toMatchObject(done);
  base = appOf(deployment);
  expect(await say()).toMatch(answered);
  expect(replicas()).toEqual([`${base}-r1`]);
  expect(await joined()).toEqual(replicas());
}, 400_000);

test('T603 neither Azure’s records nor its log, nor a request, has a value of a secret', async () => {
  await expect
    .poll(async () => {
      const lines: string[] = [];
      for await (const { data } of await admin.call('agents.logs', { params, query: {} })) lines.push(data.line);
      return lines;
    }, slow)
    .toContain('asked where ***');
  expect(JSON.stringify([[...stage.azure.apps.values()], stage.sent])).not.toContain(secret_value);
  const made = stage.sent.filter(({ method }) => method === 'ContainerApps.createOrUpdate');
  expect(made.length).toBeGreaterThan(0);
  const secrets = [...stage.azure.apps.values()].flatMap(({ body }) => body.properties.configuration.secrets);
  expect(secrets.length).toBeGreaterThan(0);
  for (const { value } of secrets) expect(Buffer.from(value, 'base64').toString()).not.toContain(secret_value);
}, 90_000);

test('its log is followed live', async () => {
  const lines = await admin.call('agents.logs', { params, query: { tail: '0', follow: 'true' } });
  const seen = (async () => {
    for await (const { data } of lines) if (data.line === 'asked where ***') return data.line;
    return undefined;
  })();
  await expect
    .poll(async () => {
      await say();
      return await Promise.race([seen, new Promise((resolve) => setTimeout(resolve, 2000, 'nothing yet'))]);
    }, slow)
    .toBe('asked where ***');
}, 90_000);

test('a scale to two and back ends exactly the replica that has drained', async () => {
  const scaleTo = async (instances: number) =>
    expect(await follow(await admin.call('agents.scale', { params, body: { instances } }))).toMatchObject(done);
  await scaleTo(2);
  expect(replicas()).toEqual([`${base}-r1`, `${base}-r2`]);
  expect(await joined()).toEqual(replicas());
  await scaleTo(1);
  await expect.poll(() => replicas(), slow).toHaveLength(1);
  expect(await joined()).toEqual(replicas());
  expect(await say()).toMatch(answered);
}, 180_000);

test('a new version runs in apps of its own, and a rollback returns to the version before', async () => {
  const next = await deploy(await pushed('2.0.0'));
  expect(next).toMatchObject({ ...done, version: '2.0.0' });
  await expect.poll(() => replicas(base), slow).toEqual([]);
  expect(await joined()).toEqual(replicas(appOf(next)));
  const back = await follow(await admin.call('agents.rollback', { params, query: {}, body: {} }));
  expect(back).toMatchObject({ ...done, version: '1.0.0' });
  expect(await say()).toMatch(answered);
  base = appOf(back);
  await expect.poll(joined, slow).toEqual(replicas(base));
}, 400_000);

test('a version whose replicas end at their start fails its deploy with their exit code, and leaves nothing', async () => {
  const failed = await deploy(await pushed('2.1.0', 'import os\nos._exit(3)\n'));
  expect(failed).toMatchObject({
    state: 'failed',
    problem: { code: 'start_failed', detail: 'The container exited with 3' },
  });
  expect([...stage.azure.apps.keys()].filter((id) => id.startsWith(appOf(failed)))).toEqual([]);
  expect(await say()).toMatch(answered);
}, 240_000);

test('what Azure refuses in the middle of a deploy is said in its own words, and leaves nothing', async () => {
  stage.azure.failures.push('Quota exceeded for cores');
  const failed = await deploy(await pushed('2.2.0'));
  expect(failed).toMatchObject({
    state: 'failed',
    problem: { code: 'start_failed', detail: 'Container Apps says: Quota exceeded for cores' },
  });
  expect([...stage.azure.apps.keys()].filter((id) => id.startsWith(appOf(failed)))).toEqual([]);
}, 240_000);

test('a replica that has died starts again, and becomes the same instance', async () => {
  const [replica = ''] = replicas(base);
  const before = await say();
  await stage.containers.kill(replica);
  const isAnother = async () => {
    const after = await say();
    return answered.test(after) && after !== before;
  };
  await expect.poll(isAnother, slow).toBe(true);
  expect(await joined()).toEqual([replica]);
}, 150_000);

test('a stop ends all replicas, and a start brings one back', async () => {
  expect(await follow(await admin.call('agents.stop', { params, query: {} }))).toMatchObject(done);
  await expect.poll(() => replicas(), slow).toEqual([]);
  expect(await follow(await admin.call('agents.start', { params, query: {} }))).toMatchObject(done);
  expect(await say()).toMatch(answered);
}, 180_000);

test('a delete leaves nothing', async () => {
  await admin.call('agents.delete', { params });
  await expect.poll(async () => await expectNothing().then(() => 'nothing', String), slow).toBe('nothing');
}, 120_000);

test('every request of container apps that was sent is the one that Azure’s client makes', async () => {
  // The service sends more meanwhile.
  const requests = [...stage.sent];
  const faults = await Promise.all(requests.map(async (one) => (await schemaFaults(one)) ?? []));
  expect(faults.flatMap((found, at) => found.map((fault) => `${requests[at]?.method}: ${fault}`))).toEqual([]);
}, 120_000);

// Schema-checked: the stand-in refuses no action that it was not told to.
test('T606 the policy is that of the calls that were sent, neither more nor fewer', () => {
  expect(Object.keys(methods).toSorted()).toEqual([...new Set(stage.sent.map(({ method }) => method))].toSorted());
});
