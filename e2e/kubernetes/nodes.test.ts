// Agents while their nodes are drained, lost and replaced, under calls all the time.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { followed } from '../../server/src/testing/agents/host-teller.ts';
import { testCluster } from './cluster.ts';
import { prober, type Prober } from './prober.ts';
import { openTargetStage, type TargetStage } from './target-stage.ts';

const cluster = testCluster();
const target = 'cluster';
const params = { name: 'busy' };
const done = { state: 'done', problem: null };
const slow = { timeout: 120_000, interval: 250 };
const answer = 'here';
let stage: TargetStage;
let admin: Client;
let agent: Prober;

beforeAll(async () => {
  stage = await openTargetStage(cluster);
  admin = stage.app.admin.client;
  agent = prober(admin, params.name);
  await stage.app.governed(sql`update org set agent_egress = 'open' returning id`);
  await admin.call('teams.create', { body: { name: 'ml' } });
  await add(target, stage.config);
  const ref = await agent.push('1.0.0', 'deploy: {scaling: {min: 2, max: 2}}\n');
  expect(await agent.deploy(ref, target)).toMatchObject(done);
}, 300_000);
afterAll(async () => await stage?.stop());

async function add(name: string, config: object): Promise<void> {
  await admin.call('registry.create', {
    params: { kind: 'target' },
    body: { name, team: 'ml', config: config as Record<string, never> }, // any JSON, as from a client
  });
  await admin.call('targets.set_credential', { params: { name }, body: { token: stage.token } });
}

const say = async () => await agent.say({ do: 'repeat', value: answer }).catch(String);
const served = async () =>
  (await admin.call('agents.status', { params })).instances.filter(({ state }) => state === 'serving').length;

/** The nodes of the pods that nothing removes. */
async function nodesOfPods(): Promise<string[]> {
  const { items } = JSON.parse(await stage.here.kubectl('get', 'pods', '-o', 'json')) as {
    items: { metadata: { deletionTimestamp?: string }; spec: { nodeName?: string } }[];
  };
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => spec.nodeName ?? '')
    .toSorted();
}

/** Calls until `until` has ended. Returns all answers but the right one. */
async function failedDuring(until: () => Promise<unknown>): Promise<unknown[]> {
  const answers: unknown[] = [];
  let goesOn = true;
  const calling = [1, 2, 3].map(async () => {
    while (goesOn) answers.push(await say());
  });
  await until().finally(() => (goesOn = false));
  await Promise.all(calling);
  expect(answers.length).toBeGreaterThan(20);
  return answers.filter((one) => one !== answer);
}

test('a node is drained and comes back, and no call fails', async () => {
  const [kept = '', drained = ''] = cluster.nodes;
  expect(await nodesOfPods()).toEqual([kept, drained]);
  try {
    const failed = await failedDuring(async () => {
      await cluster.kubectl(
        'drain',
        drained,
        '--ignore-daemonsets',
        '--delete-emptydir-data',
        '--force',
        '--timeout=100s',
      );
      await expect.poll(nodesOfPods, slow).toEqual([kept, kept]);
      await expect.poll(served, slow).toBe(2);
    });
    expect(failed).toEqual([]);
  } finally {
    await cluster.kubectl('uncordon', drained);
  }
}, 300_000);

test('a new version that rolls, and its rollback, fail no call', async () => {
  const ref = await agent.push('1.1.0', 'deploy: {scaling: {min: 2, max: 2}}\n');
  const failed = await failedDuring(async () => {
    expect(await agent.deploy(ref, target)).toMatchObject(done);
    const back = await followed(admin, await admin.call('agents.rollback', { params, query: {}, body: {} }));
    expect(back).toMatchObject({ ...done, version: '1.0.0' });
  });
  expect(failed).toEqual([]);
}, 300_000);

test('a node is lost with a pod on it: the other pod answers, and the cluster replaces the lost one', async () => {
  const [kept = '', lost = ''] = cluster.nodes;
  await expect.poll(nodesOfPods, slow).toEqual([kept, lost]);
  await cluster.cutOff(lost);
  const cut = performance.now();
  try {
    // A call on the dead connection waits for its time limit.
    await expect.poll(say, slow).toBe(answer);
    const answered = seconds(cut);
    await expect.poll(nodesOfPods, slow).toEqual([kept, kept]);
    await expect.poll(served, slow).toBe(2);
    const whole = seconds(cut);
    expect(await Promise.all([say(), say(), say(), say()])).toEqual(Array.from({ length: 4 }, () => answer));
    process.stderr.write(`a lost node: the first answer after ${answered} s, two instances after ${whole} s\n`);
  } finally {
    await cluster.bringBack(lost);
  }
}, 300_000);

const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

test('a registry that the nodes do not trust is named in the words of the cluster, and the old version serves on', async () => {
  const pipe = await pipeTo(cluster.registry.url);
  try {
    const url = new URL(stage.config['registry'] ?? '');
    url.port = String(pipe.port);
    await add('untrusted', { ...stage.config, registry: url.href });
    const other = prober(admin, 'other');
    expect(await other.deploy(await other.push('1.0.0', ''), 'untrusted')).toMatchObject({
      state: 'failed',
      problem: { code: 'start_failed', detail: expect.stringMatching(/(ErrImagePull|ImagePullBackOff): .*/) },
    });
    expect(await say()).toBe(answer);
  } finally {
    pipe.server.close();
  }
}, 300_000);

/** Another port of the registry. Its certificate fits, and the nodes have the authority for the first port alone. */
async function pipeTo(address: string): Promise<{ server: Server; port: number }> {
  const { hostname: host, port } = new URL(address);
  const server = createServer((socket) => {
    const inside = connect({ host, port: Number(port) });
    socket.on('error', () => inside.destroy()).pipe(inside);
    inside.on('error', () => socket.destroy()).pipe(socket);
  }).listen(0, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port }; // it listens on TCP
}

test('a stop ends all pods, and a start brings them back', async () => {
  expect(await followed(admin, await admin.call('agents.stop', { params, query: {} }))).toMatchObject(done);
  await expect.poll(nodesOfPods, slow).toEqual([]);
  expect(await followed(admin, await admin.call('agents.start', { params, query: {} }))).toMatchObject(done);
  expect(await say()).toBe(answer);
});
