// What is between an agent and the kernel of its node: the RuntimeClass that the target has for it. The classes here all name the runtime that the
// nodes have, so the tests show that a pod gets its class, and nothing about what another runtime isolates.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { testCluster } from './cluster.ts';
import { prober, type Prober } from './prober.ts';
import { openTargetStage, type TargetStage } from './target-stage.ts';

const cluster = testCluster();
let stage: TargetStage;
let admin: Client;
let agent: Prober;
let known = '';

beforeAll(async () => {
  stage = await openTargetStage(cluster);
  admin = stage.app.admin.client;
  agent = prober(admin, 'walled');
  known = `sandbox-${stage.here.name}`;
  await cluster.apply({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: known },
    handler: 'runc',
  });
  await stage.app.governed(sql`update org set agent_egress = 'open' returning id`);
  await admin.call('teams.create', { body: { name: 'ml' } });
  await add('both', { sandbox_runtime_class: known, vm_runtime_class: 'missing' });
  await add('none', {});
});
afterAll(async () => {
  await stage?.stop();
  await cluster.kubectl('delete', 'runtimeclass', known, '--ignore-not-found');
});

async function add(name: string, more: object): Promise<void> {
  const config = { ...stage.config, ...more } as Record<string, never>; // any JSON, as from a client
  await admin.call('registry.create', { params: { kind: 'target' }, body: { name, team: 'ml', config } });
  await admin.call('targets.set_credential', { params: { name }, body: { token: stage.token } });
}

test('T585: an agent that asks for an isolation never runs without it', async () => {
  const ref = await agent.push('1.0.0', 'deploy: {isolation: sandbox}\n');
  for (const [target, has] of [
    ['none', 'none'],
    ['local', 'none'],
  ] as const)
    await expect(agent.deploy(ref, target)).rejects.toMatchObject({
      code: 'not_in_effect',
      detail: `\`deploy.isolation\`: The target ${target} has no isolation sandbox; it has: ${has}.`,
    });
  expect(await agent.deploy(ref, 'both')).toMatchObject({ state: 'done', problem: null });
  const classes = await stage.here.kubectl('get', 'pods', '-o', 'jsonpath={.items[*].spec.runtimeClassName}');
  expect(classes).toBe(known);
  expect(await agent.say({ do: 'who' })).toMatchObject({});
}, 300_000);

test('a RuntimeClass that the cluster does not have is named in its words', async () => {
  const ref = await agent.push('1.1.0', 'deploy: {isolation: vm}\n');
  expect(await agent.deploy(ref, 'both')).toMatchObject({
    state: 'failed',
    problem: { code: 'start_failed', detail: expect.stringMatching(/RuntimeClass "missing" not found/) },
  });
}, 300_000);
