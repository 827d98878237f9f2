// A namespace that admits only the images that the service has recorded. The policy is applied by an admin of the cluster.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { images } from '../../server/src/agents/deploy/targets/kubernetes/admission.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { testCluster } from './cluster.ts';
import { prober, type Prober } from './prober.ts';
import { pushBaseImage } from './push-base-image.ts';
import { openTargetStage, type TargetStage } from './target-stage.ts';

const cluster = testCluster();
const target = 'cluster';
const slow = { timeout: 30_000, interval: 500 };
const done = { state: 'done', problem: null };
const refused = expect.stringContaining('is none that gantry has recorded');
let stage: TargetStage;
let admin: Client;
let agent: Prober;
let folder = '';
let foreign = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-test-'));
  foreign = await pushBaseImage(cluster);
  stage = await openTargetStage(cluster);
  admin = stage.app.admin.client;
  agent = prober(admin, 'admitted');
  await stage.app.governed(sql`update org set agent_egress = 'open' returning id`);
  await admin.call('teams.create', { body: { name: 'ml' } });
  const config = stage.config as Record<string, never>; // any JSON, as from a client
  await admin.call('registry.create', { params: { kind: 'target' }, body: { name: target, team: 'ml', config } });
  await admin.call('targets.set_credential', { params: { name: target }, body: { token: stage.token } });
});
afterAll(async () => {
  for (const what of ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'])
    for (const of of ['images', 'record'])
      await cluster.kubectl('delete', what, `gantry-${of}-of-${stage?.here.name}`, '--ignore-not-found');
  await stage?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** What the API server says to a pod that fits the restricted standard, without making it. */
async function admits(...of: string[]): Promise<string> {
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'tried', namespace: stage.here.name },
    spec: {
      securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: of.map((image, index) => ({ name: `c${index}`, image, securityContext })),
    },
  };
  const path = await file('pod.json', JSON.stringify(pod));
  return await stage.here.kubectl('create', '--dry-run=server', '-f', path).catch(String);
}

const imageOf = async () =>
  (
    await stage.here.kubectl('get', 'deployments', '-o', 'jsonpath={.items[0].spec.template.spec.containers[0].image}')
  ).trim();

test('T586: under the policy, a foreign image is refused, and an agent is deployed, answers and is limited as before', async () => {
  expect(await admits(foreign)).toContain('pod/tried created');
  const [, made] = await admin.call('targets.policy', { params: { name: target } });
  const policy = await file('policy.yaml', made?.content ?? '');
  await cluster.kubectl('apply', '-f', policy);
  await expect
    .poll(async () => await admits(foreign), slow)
    .toEqual(expect.stringMatching(/none that gantry has recorded|failed to configure binding/));
  expect(await agent.deploy(await agent.push('1.0.0', ''), target)).toMatchObject(done);
  expect(await agent.say({ do: 'repeat', value: 'here' })).toBe('here');
  const image = await imageOf();
  expect(await admits(image)).toContain('pod/tried created');
  expect(await admits(foreign)).toEqual(refused);
  expect(await admits(image, foreign)).toEqual(refused);
  expect(await admits(image.replace(/@.*/, ':latest'))).toEqual(refused);
  const found = await admin.call('targets.test', { params: { name: target } });
  expect(found.filter(({ works }) => !works)).toEqual([]);
}, 400_000);

test('T586: nobody but the service changes the record, not even whoever has every right in the namespace', async () => {
  const digest = foreign.replace(/.*@/, '');
  const patch = JSON.stringify({ data: { foreign: digest } });
  const only = `only system:serviceaccount:${stage.here.name}:${stage.account} changes the images`;
  for (const words of [
    ['patch', 'configmap', images, '--type=merge', '-p', patch],
    ['delete', 'configmap', images],
  ])
    await expect(stage.here.kubectl(...words)).rejects.toThrow(only);
  // The test of the target had recorded it for its own pod.
  await expect.poll(async () => await admits(foreign), slow).toEqual(refused);
});

test('the image of an agent that is gone is no longer admitted', async () => {
  const image = await imageOf();
  await admin.call('agents.delete', { params: { name: 'admitted' } });
  await expect.poll(async () => await admits(image), { ...slow, timeout: 60_000 }).toEqual(refused);
});
