// The whole story of a target in Google Cloud by the API. Worker pools, operations, logs and permissions are our own stand-in, which runs containers
// on this machine's engine; Secret Manager is an emulator that keeps state. So it says what the service does, and nothing about Google.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../../../ground/database/sql.ts';
import { client_email, key_file, openGoogleStage, type GoogleStage } from '../../../../testing/agents/google-stage.ts';
import { askHost, followed, hostTeller } from '../../../../testing/agents/host-teller.ts';
import { projectOf } from '../../../../testing/pushes/project-archive.ts';
import { asSent, checkAgainstDiscovery } from '../../../../testing/servers/google-discovery.ts';
import { methods } from './methods.ts';

const name = 'swarm';
const params = { name };
const target = 'run';
const secret_value = 'a value that nobody is told';
const done = { state: 'done', problem: null, target };
const slow = { timeout: 60_000, interval: 500 };
const answered = /^[0-9a-f]{12}$/;
let stage: GoogleStage;
let admin: Client;

beforeAll(async () => {
  stage = await openGoogleStage();
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
const poolOf = ({ id }: { id: string }) => `svc-${name}-${id.replaceAll('-', '').slice(0, 8)}`;
const replicas = (of = '') =>
  [...stage.google.pools.keys()].filter((id) => id.startsWith(of) && /-r\d+$/.test(id)).toSorted();
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
  expect({ pools: [...stage.google.pools.keys()], secrets: await stage.secrets(), open }).toEqual({
    pools: [],
    secrets: [],
    open: [],
  });
}

async function findings(): Promise<string[]> {
  const found = await admin.call('targets.test', { params: { name: target } });
  return found.map(({ part, works, message }) => `${works ? '' : 'not '}${part}: ${message}`);
}

test('an admin adds a target in Google Cloud; its test names what the service may do, and makes nothing', async () => {
  const body = { name: target, team: 'ml', config: stage.config };
  await admin.call('registry.create', { params: { kind: 'target' }, body });
  await admin.call('targets.set_credential', { params: { name: target }, body: { key: key_file } });
  expect(await admin.call('targets.show', { params: { name: target } })).toMatchObject({
    kind: 'gcp',
    address: 'projects/my-project/locations/europe-west1',
  });
  expect(await findings()).toEqual([
    'identity: Google accepts the credential',
    expect.stringMatching(/^Cloud Run: the service has run\.operations\.get, run\.workerpools\.create, /),
    expect.stringMatching(/^Secret Manager: the service has secretmanager\.secrets\.create, /),
    'Cloud Logging: the service has logging.logEntries.list',
    'service account: the service has iam.serviceAccounts.actAs',
    'registry: takes images from the service',
    expect.stringMatching(/^outgoing connections: cannot be limited here/),
  ]);
  expect(stage.google.issued).toContain(client_email);
  await expectNothing();
});

test('T593 a permission that is missing is named, and the other parts are tried', async () => {
  stage.google.missing.add('run.workerpools.delete').add('iam.serviceAccounts.actAs');
  const found = await findings();
  stage.google.missing.clear();
  expect(found.filter((one) => one.startsWith('not '))).toEqual([
    'not Cloud Run: the service has not run.workerpools.delete on projects/my-project',
    'not service account: the service has not iam.serviceAccounts.actAs on projects/my-project/serviceAccounts/agents@my-project.iam.gserviceaccount.com',
  ]);
});

let pool = '';

test('a version is approved for it, deployed there, gets its secrets, joins by the name of its worker pool and answers', async () => {
  const ref = await pushed('1.0.0');
  await admin.call('secrets.set', { body: { agent: name, name: 'TOKEN', value: secret_value } });
  const deployment = await deploy(ref);
  expect(deployment).toMatchObject(done);
  pool = poolOf(deployment);
  expect(await say()).toMatch(answered);
  expect(replicas()).toEqual([`${pool}-r1`]);
  expect(await joined()).toEqual(replicas());
}, 400_000);

test('T591 neither Google’s records nor its log, nor a request, has a value of a secret', async () => {
  await expect
    .poll(async () => {
      const lines: string[] = [];
      for await (const { data } of await admin.call('agents.logs', { params, query: {} })) lines.push(data.line);
      return lines;
    }, slow)
    .toContain('asked where ***');
  expect(JSON.stringify([[...stage.google.pools.values()], stage.sent])).not.toContain(secret_value);
  const versions = stage.sent.filter(({ method }) => method.endsWith('addVersion'));
  expect(versions.length).toBeGreaterThan(1);
  for (const { body } of versions) {
    const { data } = (body as { payload: { data: string } }).payload;
    const sealed = Buffer.from(data, 'base64').toString();
    expect(Buffer.from(sealed, 'base64').toString()).not.toContain(secret_value);
  }
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
  expect(replicas()).toEqual([`${pool}-r1`, `${pool}-r2`]);
  expect(await joined()).toEqual(replicas());
  await scaleTo(1);
  await expect.poll(() => replicas(), slow).toHaveLength(1);
  expect(await joined()).toEqual(replicas());
  expect(await say()).toMatch(answered);
}, 180_000);

test('a new version runs in pools of its own, and a rollback returns to the version before', async () => {
  const next = await deploy(await pushed('2.0.0'));
  expect(next).toMatchObject({ ...done, version: '2.0.0' });
  await expect.poll(() => replicas(pool), slow).toEqual([]);
  expect(await joined()).toEqual(replicas(poolOf(next)));
  const back = await follow(await admin.call('agents.rollback', { params, query: {}, body: {} }));
  expect(back).toMatchObject({ ...done, version: '1.0.0' });
  expect(await say()).toMatch(answered);
  pool = poolOf(back);
  await expect.poll(joined, slow).toEqual(replicas(pool));
}, 400_000);

test('a version whose replicas end at their start fails its deploy with their exit code, and leaves nothing', async () => {
  const failed = await deploy(await pushed('2.1.0', 'import os\nos._exit(3)\n'));
  expect(failed).toMatchObject({
    state: 'failed',
    problem: { code: 'start_failed', detail: 'The container exited with 3' },
  });
  expect([...stage.google.pools.keys()].filter((id) => id.startsWith(poolOf(failed)))).toEqual([]);
  expect(await say()).toMatch(answered);
}, 240_000);

test('what Google refuses in the middle of a deploy is said in its own words, and leaves nothing', async () => {
  stage.google.failures.push('Quota exceeded for total allowable CPU');
  const failed = await deploy(await pushed('2.2.0'));
  expect(failed).toMatchObject({
    state: 'failed',
    problem: { code: 'start_failed', detail: 'Cloud Run says: Quota exceeded for total allowable CPU' },
  });
  expect([...stage.google.pools.keys()].filter((id) => id.startsWith(poolOf(failed)))).toEqual([]);
  expect((await stage.secrets()).filter((id) => id.endsWith(poolOf(failed)))).toEqual([]);
}, 240_000);

test('a replica that has died starts again, and becomes the same instance', async () => {
  const [replica = ''] = replicas(pool);
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

test('every request that was sent fits the descriptions of Google’s APIs', async () => {
  // The service sends more meanwhile.
  const requests = [...stage.sent];
  const faults = await checkAgainstDiscovery(requests.map(asSent));
  expect(faults.flatMap((found, at) => found.map((fault) => `${requests[at]?.method}: ${fault}`))).toEqual([]);
}, 120_000);

// Schema-checked: the stand-in refuses no permission that it was not told to.
test('T593 the policy is that of the calls that were sent, neither more nor fewer', () => {
  const sent = new Set(stage.sent.map(({ method }) => method));
  // Only a repeated description is patched, and only a secret of an earlier attempt is read. The test of the platform sends these.
  const rare = ['run.projects.locations.workerPools.patch', 'secretmanager.projects.secrets.get'];
  expect(
    Object.keys(methods)
      .filter((method) => !rare.includes(method))
      .toSorted(),
  ).toEqual([...sent].filter((method) => !rare.includes(method)).toSorted());
});
