// The scaler of the cluster, where the use of the processor is the only rule.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { followed } from '../../server/src/testing/agents/host-teller.ts';
import { testCluster } from './cluster.ts';
import { prober } from './prober.ts';
import { openTargetStage, type TargetStage } from './target-stage.ts';

const cluster = testCluster();
const target = 'cluster';
const done = { state: 'done', problem: null };
const slow = { timeout: 150_000, interval: 1000 };
const params = { name: 'burner' };
let stage: TargetStage;
let admin: Client;

beforeAll(async () => {
  stage = await openTargetStage(cluster);
  admin = stage.app.admin.client;
  await stage.app.governed(sql`update org set agent_egress = 'open' returning id`);
  await admin.call('teams.create', { body: { name: 'ml' } });
  const config = stage.config as Record<string, never>; // any JSON, as from a client
  await admin.call('registry.create', { params: { kind: 'target' }, body: { name: target, team: 'ml', config } });
  await admin.call('targets.set_credential', { params: { name: target }, body: { token: stage.token } });
});
afterAll(async () => await stage?.stop());

const rule = (more: string) =>
  `deploy:\n  resources: {cpu: "0.5", memory: 256Mi}\n  scaling: {min: 1, max: 2, ${more}}\n`;
const served = async () =>
  (await admin.call('agents.status', { params })).instances.filter(({ state }) => state === 'serving').length;
const scalers = async () => {
  const { items } = JSON.parse(await stage.here.kubectl('get', 'hpa', '-o', 'json')) as { items: object[] };
  return items;
};

test('with a rule for calls, the service sets the number and the cluster has no scaler', async () => {
  const agent = prober(admin, 'burner');
  const ref = await agent.push('1.0.0', rule('target_cpu: 40, target_concurrency: 4'));
  expect(await agent.deploy(ref, target)).toMatchObject(done);
  expect(await scalers()).toEqual([]);
}, 300_000);

test('an agent that burns processor time gets a second pod from the cluster, which serves, and loses it in the end', async () => {
  const agent = prober(admin, 'burner');
  expect(await agent.deploy(await agent.push('1.1.0', rule('target_cpu: 40')), target)).toMatchObject(done);
  expect(await scalers()).toMatchObject([{ spec: { minReplicas: 1, maxReplicas: 2 } }]);
  expect(await served()).toBe(1);
  const burning = agent.inside(
    'import time\ndef look():\n    end = time.monotonic() + 120\n    while time.monotonic() < end: pass\n',
  );
  await expect.poll(served, slow).toBe(2);
  const hosts = new Set<unknown>();
  await expect
    .poll(async () => hosts.add(await agent.inside('import socket\nlook = socket.gethostname')).size, slow)
    .toBe(2);
  await burning;
  // It waits five minutes before it removes one. Here it does not wait.
  const [scaler] = await scalers();
  const { metadata } = scaler as { metadata: { name: string } };
  const at_once = { spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } } };
  await stage.here.kubectl('patch', 'hpa', metadata.name, '--type=merge', '-p', JSON.stringify(at_once));
  await expect
    .poll(async () => (await admin.call('agents.status', { params })).instances.length, { ...slow, timeout: 240_000 })
    .toBe(1);
  expect(await agent.say({ do: 'who' })).toMatchObject({});
}, 600_000);

test('a stop holds although the cluster scales, and a start brings it back', async () => {
  expect(await followed(admin, await admin.call('agents.stop', { params, query: {} }))).toMatchObject(done);
  const pods = async () => await stage.here.kubectl('get', 'pods', '-o', 'name');
  await expect.poll(pods, slow).toBe('');
  expect(await followed(admin, await admin.call('agents.start', { params, query: {} }))).toMatchObject(done);
  expect(await served()).toBe(1);
});
