// An example agent, unchanged, on a cluster. The service has the rights of the policy and no others, and the namespace takes restricted pods only.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { followed } from '../../server/src/testing/agents/host-teller.ts';
import { archiveOf } from '../../server/src/testing/pushes/project-archive.ts';
import { testCluster } from './cluster.ts';
import { openTargetStage, type TargetStage } from './target-stage.ts';

const cluster = testCluster();
const slow = { timeout: 90_000, interval: 500 };
const name = 'greeter';
const params = { name };
const target = 'cluster';
const hello = 'Hello Ada, nice to meet you!';
let stage: TargetStage;
let admin: Client;

beforeAll(async () => {
  stage = await openTargetStage(cluster);
  admin = stage.app.admin.client;
  await stage.app.governed(sql`update org set agent_egress = 'open' returning id`);
  await admin.call('teams.create', { body: { name: 'ml' } });
});
afterAll(async () => await stage?.stop());

const follow = async (begun: { id: string }) => await followed(admin, begun);
const done = { state: 'done', problem: null };

/** Files of the example, but for the version, the team, and `more` at the end of agent.yaml. */
async function pushed(version: string, more = ''): Promise<string> {
  const folder = join(import.meta.dirname, '../../examples/langgraph-greeter');
  const files = await Promise.all(
    (await readdir(folder)).map(async (path) => ({ path, content: await readFile(join(folder, path), 'utf8') })),
  );
  const entries = files.map(({ path, content }) => ({
    path,
    content:
      path === 'agent.yaml'
        ? content
            .replace('version: 1.0.0', `version: ${version}`)
            .replace('team: default', 'team: ml')
            .concat('  scaling: {min: 1, max: 3}\n', more)
        : content,
  }));
  const { id, ref } = await admin.call('agents.push', { params, body: archiveOf(entries) });
  for await (const _ of await admin.call('pushes.events', { params: { id } }));
  return ref;
}

const say = async () => await ask().catch((error: unknown) => String(error));

async function ask(): Promise<string> {
  const body = Buffer.from(JSON.stringify({ input: { message: 'hi, I am Ada' } }));
  const answer = await admin.call('invoke.call', { params, body });
  const text = await answer.text();
  return text.includes(hello) ? hello : `${answer.status} ${text}`;
}

interface PodList {
  items: { metadata: { name: string; deletionTimestamp?: string }; status: { phase: string } }[];
}

async function pods(): Promise<string[]> {
  const { items } = JSON.parse(await stage.here.kubectl('get', 'pods', '-o', 'json')) as PodList;
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name);
}

/** Calls until `until` has ended. Returns all answers but the right one. */
async function failedDuring(until: () => Promise<unknown>): Promise<string[]> {
  const answers: string[] = [];
  let goesOn = true;
  const calling = [1, 2].map(async () => {
    while (goesOn) answers.push(await say());
  });
  await until().finally(() => (goesOn = false));
  await Promise.all(calling);
  expect(answers.length).toBeGreaterThan(5);
  return answers.filter((one) => one !== hello);
}

const served = async () =>
  (await admin.call('agents.status', { params })).instances.filter(({ state }) => state === 'serving').length;

test('an admin adds the cluster; the test of the target finds every right of the policy, and names one that is missing', async () => {
  const config = stage.config as Record<string, never>; // any JSON, as from a client
  await admin.call('registry.create', { params: { kind: 'target' }, body: { name: target, team: 'ml', config } });
  const findings = async () => {
    const found = await admin.call('targets.test', { params: { name: target } });
    return found.map(({ part, works, message }) => `${works ? '' : 'not '}${part}: ${message}`);
  };
  expect(await findings()).toContain('not cluster: The target has no token and no client certificate yet.');
  await admin.call('targets.set_credential', { params: { name: target }, body: { token: 'of nobody' } });
  expect(await findings()).toContain('not cluster: The cluster does not accept the credential of the target.');
  await admin.call('targets.set_credential', { params: { name: target }, body: { token: stage.token } });
  expect((await findings()).filter((one) => one.startsWith('not '))).toEqual([]);
  expect(await admin.call('targets.policy', { params: { name: target } })).toContainEqual(stage.policy);
  const { kubectl } = stage.here;
  const { rules } = JSON.parse(await kubectl('get', 'role', stage.account, '-o', 'json')) as { rules: object[] };
  await kubectl('patch', 'role', stage.account, '--type=json', '-p', '[{"op": "remove", "path": "/rules/1"}]');
  await expect
    .poll(findings)
    .toContain(
      `not secrets: the service may not create, patch, get them in the namespace ${stage.here.name}; the policy lets it: svc target policy ${target}`,
    );
  const again = JSON.stringify([{ op: 'add', path: '/rules/1', value: rules[1] }]);
  await kubectl('patch', 'role', stage.account, '--type=json', '-p', again);
  await expect.poll(async () => (await findings()).filter((one) => one.startsWith('not '))).toEqual([]);
});

test('a version is approved for the cluster, deployed there, and answers through the ingress', async () => {
  const max = await stage.app.user('max@example.com', { teams: { ml: 'admin' } });
  const dora = await stage.app.user('dora@example.com', { teams: { ml: 'deployer' } });
  const asset = await pushed('1.0.0');
  const { id } = await admin.call('approvals.submit', { body: { asset, target, message: '' } });
  await max.client.call('approvals.approve', { params: { id }, body: { reason: '' } });
  const begun = await dora.client.call('deployments.create', { body: { ref: asset, target } });
  expect(await follow(begun)).toMatchObject({ ...done, approval_id: id, target });
  expect(await say()).toBe(hello);
  expect(await pods()).toHaveLength(1);
}, 400_000);

test('a scale starts a pod, and the log of the agent is read from its pods', async () => {
  expect(await follow(await admin.call('agents.scale', { params, body: { instances: 2 } }))).toMatchObject(done);
  expect(await pods()).toHaveLength(2);
  const lines: string[] = [];
  for await (const { data } of await admin.call('agents.logs', { params, query: { tail: '200' } }))
    lines.push(data.line);
  expect(lines.join('\n')).toContain('agent_ready');
});

test('a pod that is deleted is replaced, and no call fails', async () => {
  const [gone = ''] = await pods();
  const failed = await failedDuring(async () => {
    await stage.here.kubectl('delete', 'pod', gone, '--wait=false');
    await expect.poll(async () => (await pods()).includes(gone), slow).toBe(false);
    await expect.poll(served, slow).toBe(2);
  });
  expect(failed).toEqual([]);
  expect(await pods()).toHaveLength(2);
});

test('a new version rolls without a failed call, and a rollback returns to the old one', async () => {
  const ref = await pushed('1.1.0');
  const failed = await failedDuring(async () => {
    const deployment = await follow(await admin.call('deployments.create', { body: { ref, target } }));
    expect(deployment).toMatchObject(done);
    const back = await follow(await admin.call('agents.rollback', { params, query: {}, body: {} }));
    expect(back).toMatchObject({ ...done, version: '1.0.0' });
  });
  expect(failed).toEqual([]);
  expect(await say()).toBe(hello);
}, 400_000);

test('an agent for which no node has room says so in the words of the cluster, and nothing of it stays', async () => {
  const ref = await pushed('1.2.0', '  resources: {memory: 900Gi}\n');
  const failed = await follow(await admin.call('deployments.create', { body: { ref, target } }));
  expect(failed).toMatchObject({
    state: 'failed',
    problem: { code: 'start_failed', detail: expect.stringMatching(/Unschedulable: .*Insufficient memory/) },
  });
  const set = `svc-${name}-${failed.id.replaceAll('-', '').slice(0, 8)}`;
  await expect.poll(async () => (await pods()).filter((pod) => pod.startsWith(set)), slow).toEqual([]);
  expect(await say()).toBe(hello);
}, 400_000);

test('what somebody removes by hand is drift, and the command that is named mends it', async () => {
  const drift = async () => await admin.call('targets.drift', { params: { name: target } });
  expect(await drift()).toEqual({ target, compares: true, drift: [] });
  const [pod = ''] = await pods();
  const set = pod.split('-').slice(0, 3).join('-');
  await stage.here.kubectl('delete', 'networkpolicy', set);
  const mend = `svc deploy agents/${name}@1.0.0 --target ${target} --force`;
  expect((await drift()).drift).toMatchObject([
    { what: 'missing', kind: 'NetworkPolicy', name: set, agent: name, mend },
  ]);
  const body = { ref: `agents/${name}@1.0.0`, target, force: true };
  expect(await follow(await admin.call('deployments.create', { body }))).toMatchObject(done);
  // The replaced revision is kept for a rollback, and ends by itself.
  expect((await drift()).drift.map((one) => one.mend)).toEqual([null]);
  expect(await say()).toBe(hello);
}, 400_000);

test('a stop ends all pods, and a start brings one back', async () => {
  expect(await follow(await admin.call('agents.stop', { params, query: {} }))).toMatchObject(done);
  await expect.poll(pods, slow).toEqual([]);
  expect(await follow(await admin.call('agents.start', { params, query: {} }))).toMatchObject(done);
  expect(await say()).toBe(hello);
});

test('a delete leaves nothing in the namespace', async () => {
  await admin.call('agents.delete', { params });
  const kinds = 'deployments,replicasets,pods,secrets,networkpolicies,poddisruptionbudgets,serviceaccounts';
  const left = async () =>
    (await stage.here.kubectl('get', kinds, '-o', 'name')).split('\n').filter((one) => one !== '');
  await expect.poll(left, slow).toEqual(['serviceaccount/default', `serviceaccount/${stage.account}`]);
  const open = async () => await stage.app.db.all(sql`select name from target_resource where removed_at is null`);
  await expect.poll(open, slow).toEqual([]);
  expect(await stage.app.db.all(sql`select name from target_resource`)).not.toEqual([]);
});
