// The chart on a cluster: an agent on the same cluster is called while replicas are killed and the release is upgraded.
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import { pushProject } from '../../bench/service/deploy-project.ts';
import { cluster_rules, rules } from '../../server/src/agents/deploy/targets/kubernetes/policy.ts';
import { followed } from '../../server/src/testing/agents/host-teller.ts';
import { agentYaml, echo, writeProject } from '../write-project.ts';
import { openChartStage, release, typed, type ChartStage } from './chart-stage.ts';
import { testCluster } from './cluster.ts';

const cluster = testCluster();
const roles = ['api', 'worker', 'ingress', 'gateway'] as const;
const slow = { timeout: 120_000, interval: 500 };
const ready = ['--wait', '--timeout', '120s'];
const password = 'a password of this test';
let stage: ChartStage;
let token: string;
let admin: Client;

beforeAll(async () => void (stage = await openChartStage(cluster)));
afterAll(async () => await stage?.stop());

interface Objects {
  items: { kind: string; metadata: { name: string }; data?: Record<string, string>; rules?: object[] }[];
}
const objects = async (kinds: string, ...more: string[]) =>
  (JSON.parse(await stage.here.kubectl('get', kinds, '-o', 'json', ...more)) as Objects).items;
const keys = async () => (await objects('secret')).find(({ metadata }) => metadata.name === `${release}-keys`)?.data;

test('a value that is wrong is refused before anything is made', async () => {
  for (const [wrong, why] of [
    [{ url: 'gantry.example.com' }, /url/],
    [{ replicas: 3 }, /replicas/],
    [{ settings: { SECRET_KEY: 'mine' } }, /SECRET_KEY/],
    [{ image: { repository: 'gantry', digest: 'latest' } }, /digest/],
  ] as const)
    await expect(stage.helm(['install'], wrong)).rejects.toThrow(why);
  expect((await objects('deployments,secrets')).map(({ metadata }) => metadata.name)).toEqual(['database']);
});

test('the release is ready, its pods are restricted, and the rights for agents are those of the policy', async () => {
  const began = performance.now();
  const notes = await stage.helm(['install', ...ready]);
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(`helm install: ready after ${seconds.toFixed(1)} s\n`);
  expect(notes).toContain('reset-admin');
  const [own] = JSON.parse(await stage.agents.kubectl('get', 'roles', '-o', 'json')).items as Objects['items'];
  const sorted = (of: readonly object[] = []) =>
    of.map((rule) => JSON.stringify(rule, ['apiGroups', 'resources', 'verbs'])).toSorted();
  expect(sorted(own?.rules)).toEqual(sorted(rules));
  const shared = JSON.parse(
    await cluster.kubectl('get', 'clusterrole', `${release}-agents-${stage.here.name}`, '-o', 'json'),
  ) as Objects['items'][0];
  expect(sorted(shared.rules)).toEqual(sorted(cluster_rules));
});

test('an admin signs in with svc and the one-time password', async () => {
  const printed = await stage.here.kubectl(
    'exec',
    `deploy/${release}-api`,
    '--',
    'node',
    'server/start.js',
    'reset-admin',
  );
  const { admin_email: email, one_time_password } = JSON.parse(printed) as Record<string, string>;
  const words = ['login', '--email', email ?? '', '--password', one_time_password ?? '', '--new-password', password];
  expect(await typed(stage.directory, stage.url, [...words, '--store', 'file'])).toContain('Signed in to');
  const anonymous = createClient({ base_url: stage.url, token: () => undefined });
  ({ access_token: token } = await anonymous.call('auth.login', { body: { email: email ?? '', password } }));
  admin = createClient({ base_url: stage.url, token: () => token });
});

test('an agent is deployed to the same cluster, and answers through the ingress Service', async () => {
  await stage.startWorker();
  await admin.call('teams.create', { body: { name: 'ml' } });
  await admin.call('org.set', { body: { agent_egress: 'open' } });
  const ca = await readFile(cluster.api.authority_file, 'utf8');
  const config = {
    kind: 'kubernetes',
    address: cluster.api.url,
    ca,
    namespace: stage.agents.name,
    registry: `${cluster.registry.url}/agents`,
    service_url: `https://${release}-door.${stage.here.name}.svc:4490`,
    service_ca: Buffer.from((await keys())?.['door-ca.crt'] ?? '', 'base64').toString(),
  };
  await admin.call('registry.create', { params: { kind: 'target' }, body: { name: 'cluster', team: 'ml', config } });
  const [of_agents] = (await objects('secret', '--field-selector=type=kubernetes.io/service-account-token')).map(
    ({ data }) => Buffer.from(data?.['token'] ?? '', 'base64').toString(),
  );
  await admin.call('targets.set_credential', { params: { name: 'cluster' }, body: { token: of_agents ?? '' } });
  const found = await admin.call('targets.test', { params: { name: 'cluster' } });
  expect(found.filter(({ works }) => !works)).toEqual([]);
  const folder = await writeProject(stage, 'greeter', {
    'agent.py': echo,
    'agent.yaml': agentYaml('greeter', 'deploy: {scaling: {min: 2, max: 2}}\n'),
  });
  const { ref } = await pushProject(admin, folder);
  const begun = await admin.call('deployments.create', { body: { ref, target: 'cluster', force: false } });
  expect(await followed(admin, begun)).toMatchObject({ state: 'done', problem: null });
  expect(await ask(await stage.ingressUrl())).toBe('200 hello');
}, 400_000);

/** One call, on a connection that is kept for the next. */
async function ask(url: string): Promise<string> {
  const answer = await fetch(`${url}/agents/greeter/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"input":{"said":"hello"}}',
    signal: AbortSignal.timeout(60_000),
  });
  const text = await answer.text();
  return `${answer.status} ${text.includes('"said":"hello"') ? 'hello' : text}`;
}

/** Calls by four clients until `until` has ended. Returns how many, and those that failed. */
async function underLoad(until: () => Promise<unknown>): Promise<{ count: number; failed: string[] }> {
  const url = await stage.ingressUrl();
  const answers: string[] = [];
  let goesOn = true;
  const calling = [1, 2, 3, 4].map(async () => {
    while (goesOn) answers.push(await ask(url).catch((error: Error) => `${error.message}: ${String(error.cause)}`));
  });
  await until().finally(() => (goesOn = false));
  await Promise.all(calling);
  expect(answers.length).toBeGreaterThan(20);
  return { count: answers.length, failed: answers.filter((one) => one !== '200 hello') };
}

const podsOf = async (component: string) =>
  (await objects('pods', '-l', `app.kubernetes.io/component=${component}`)).map(({ metadata }) => metadata.name);
const rolledOut = async (component: string) =>
  void (await stage.here.kubectl('rollout', 'status', `deployment/${release}-${component}`, '--timeout=100s'));

test('a pod of each role ends under load, and no call fails', async () => {
  const { count, failed } = await underLoad(async () => await Promise.all(roles.map(replacePod)));
  process.stdout.write(`a pod of each role deleted: ${count} calls, ${failed.length} failed\n`);
  expect(failed).toEqual([]);
});

async function replacePod(component: string): Promise<void> {
  const [gone = ''] = await podsOf(component);
  await stage.here.kubectl('delete', 'pod', gone);
  await expect.poll(async () => (await podsOf(component)).includes(gone), slow).toBe(false);
  await rolledOut(component);
}

test('a process of api, worker and gateway is killed under load, and no call fails', async () => {
  const { count, failed } = await underLoad(
    async () => await Promise.all(roles.filter((one) => one !== 'ingress').map(killOne)),
  );
  process.stdout.write(`api, worker and gateway killed: ${count} calls, ${failed.length} failed\n`);
  expect(failed).toEqual([]);
});

test('a process of the ingress is killed under load: its clients lose their connections, and nobody gets a wrong answer', async () => {
  const { count, failed } = await underLoad(async () => await killOne('ingress'));
  process.stdout.write(`ingress killed: ${count} calls, ${failed.length} failed: ${[...new Set(failed)].join('; ')}\n`);
  // The calls under way on it break. New connections are refused until the cluster has seen the end.
  const ofConnection = /^fetch failed: .*(ECONNREFUSED|ECONNRESET|other side closed)/;
  expect(failed.filter((one) => !ofConnection.test(one))).toEqual([]);
});

async function killOne(component: string): Promise<void> {
  const [pod = ''] = await podsOf(component);
  await killProcess(pod);
  await expect.poll(async () => await restartsOf(pod), slow).toBeGreaterThan(0);
  await rolledOut(component);
}

/** Node in the container, and not the pod: nothing is told before. The containers of the cluster are processes of this machine. */
async function killProcess(pod: string): Promise<void> {
  const uid = await stage.here.kubectl('get', 'pod', pod, '-o', 'jsonpath={.metadata.uid}');
  const read = async (path: string) => await readFile(path, 'utf8').catch(() => ''); // the process has ended meanwhile
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)))
    if (
      (await read(`/proc/${pid}/cgroup`)).includes(uid) &&
      (await read(`/proc/${pid}/cmdline`)).includes('server/start.js')
    )
      found.push(Number(pid));
  expect(found).toHaveLength(1);
  for (const pid of found) process.kill(pid, 'SIGKILL');
}

const restartsOf = async (pod: string) =>
  Number(await stage.here.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}'));

test('an upgrade to another image under load fails no call and keeps the keys; a migration that fails leaves the old pods serving', async () => {
  const before = await keys();
  const { repository, another_digest } = stage.image;
  const { count, failed } = await underLoad(
    async () => await stage.helm(['upgrade', ...ready], { image: { repository, digest: another_digest } }),
  );
  process.stdout.write(`upgrade: ${count} calls, ${failed.length} failed\n`);
  expect(failed).toEqual([]);
  expect(await keys()).toEqual(before);
  const first = 'jsonpath={.items[0].spec.containers[0].image}';
  const image = await stage.here.kubectl('get', 'pods', '-l', 'app.kubernetes.io/component=ingress', '-o', first);
  expect(image).toContain(another_digest);

  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'wrong', namespace: stage.here.name } };
  await cluster.apply({
    ...secret,
    stringData: { url: 'postgresql://nobody@127.0.0.1:1/x', ownerUrl: 'postgresql://nobody@127.0.0.1:1/x' },
  });
  await expect(stage.helm(['upgrade', '--timeout', '60s'], { database: { secret: 'wrong' } })).rejects.toThrow(
    /pre-upgrade/,
  );
  expect(await ask(await stage.ingressUrl())).toBe('200 hello');
  expect(await keys()).toEqual(before);
}, 400_000);

test('an uninstall leaves the keys, the agents and nothing else, and a new installation goes on with them', async () => {
  const before = await keys();
  await stage.helm(['uninstall', release, '--wait']);
  const kinds =
    'deployments,replicasets,services,jobs,configmaps,secrets,networkpolicies,poddisruptionbudgets,serviceaccounts';
  const left = async () =>
    (await objects(kinds))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .filter((one) => !ofTest.includes(one));
  // The Job of the failed migration, for an hour.
  await expect.poll(left, slow).toEqual([`Job ${release}-migrate-3`, `Secret ${release}-keys`]);
  expect(
    (JSON.parse(await stage.agents.kubectl('get', 'deployments,roles', '-o', 'json')) as Objects).items,
  ).toHaveLength(1);
  await stage.helm(['install', ...ready]);
  expect(await keys()).toEqual(before);
}, 400_000);

const ofTest = [
  'ConfigMap authorities',
  'ConfigMap kube-root-ca.crt',
  'Secret database',
  'Secret wrong',
  'ServiceAccount default',
];
