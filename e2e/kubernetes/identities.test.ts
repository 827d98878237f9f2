// Who the service is in a cluster: what a kubeconfig says, or the account of its own pod, whose token the cluster replaces.
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { freshHome, runSvc } from '../../cli/src/testing/run-svc.ts';
import { testCluster } from './cluster.ts';
import { openTargetStage, type TargetStage } from './target-stage.ts';

const cluster = testCluster();
const home = freshHome();
let stage: TargetStage;
let folder = '';
/** What the cluster gives to a pod. */
let own = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-test-'));
  own = await mkdtemp(join(tmpdir(), 'gantry-test-'));
  stage = await openTargetStage(cluster, { own_cluster: { address: cluster.api.url, folder: own } });
  await stage.app.admin.client.call('teams.create', { body: { name: 'ml' } });
});
afterAll(async () => {
  await stage?.stop();
  for (const one of [home, folder, own]) await rm(one, { recursive: true, force: true });
});

const svc = async (...words: string[]) =>
  await runSvc(words, {
    home,
    env: { SERVICE_URL: stage.app.url, SERVICE_API_TOKEN: stage.app.admin.token },
    timeout_milliseconds: 60_000,
  });

async function written(name: string, user: object, address = cluster.api.url): Promise<string> {
  const path = join(folder, name);
  const ca = Buffer.from(await readFile(cluster.api.authority_file)).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'gantry', namespace: stage.here.name } }],
    clusters: [{ name: 'here', cluster: { server: address, 'certificate-authority-data': ca } }],
    users: [{ name: 'gantry', user }],
  };
  await writeFile(path, stringify(config));
  return path;
}

const ways = () => {
  const { registry = '', service_url = '' } = stage.config;
  return ['--team', 'ml', '--kind', 'kubernetes', '--registry', registry, '--service-url', service_url];
};

const failing = async (name: string) =>
  (await stage.app.admin.client.call('targets.test', { params: { name } }))
    .filter(({ works }) => !works)
    .map(({ part, message }) => `${part}: ${message}`);

test('a kubeconfig with a token, or with a client certificate, is all that a target needs', async () => {
  const file = await written('with-token', { token: stage.token });
  const added = await svc('target', 'add', 'fromfile', ...ways(), '--kubeconfig', file);
  expect(added).toMatchObject({ exit: 0 });
  expect(await failing('fromfile')).toEqual(['cluster: The target has no token and no client certificate yet.']);
  expect(await svc('target', 'credential', 'fromfile', '--kubeconfig', file)).toMatchObject({ exit: 0 });
  expect(await failing('fromfile')).toEqual([]);
  // That of the cluster's admin has a certificate.
  expect(await svc('target', 'credential', 'fromfile', '--kubeconfig', cluster.kubeconfig)).toMatchObject({ exit: 0 });
  expect(await failing('fromfile')).toEqual([]);
});

test('T583: a kubeconfig that would run a program runs none, and the credential of another cluster is not sent here', async () => {
  const mark = join(folder, 'ran');
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/usr/bin/touch', args: [mark] };
  const hostile = await written('hostile', { exec });
  const refused = await svc('target', 'credential', 'fromfile', '--kubeconfig', hostile);
  expect(refused).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('exec for the user gantry: it would run a program'),
  });
  const elsewhere = await written('elsewhere', { token: 'of another cluster' }, 'https://k8s.example.com:6443');
  const sent = await svc('target', 'credential', 'fromfile', '--kubeconfig', elsewhere);
  expect(sent).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('The kubeconfig is for https://k8s.example.com:6443'),
  });
  expect(await failing('fromfile')).toEqual([]);
  expect(existsSync(mark)).toBe(false);
});

/** The token ends with the Secret. */
async function tokenBoundTo(name: string): Promise<string> {
  await stage.here.kubectl('create', 'secret', 'generic', name);
  return (
    await stage.here.kubectl(
      'create',
      'token',
      stage.account,
      '--bound-object-kind=Secret',
      `--bound-object-name=${name}`,
    )
  ).trim();
}

test('in-cluster is the account of the pod, and a token that the cluster replaces is read again without a restart', async () => {
  await copyFile(cluster.api.authority_file, join(own, 'ca.crt'));
  const added = await svc('target', 'add', 'own', ...ways(), '--address', 'in-cluster', '--namespace', stage.here.name);
  expect(added).toMatchObject({ exit: 0 });
  expect(await failing('own')).toEqual([expect.stringContaining('The pod of the service has no token')]);
  await writeFile(join(own, 'token'), await tokenBoundTo('first'));
  expect(await failing('own')).toEqual([]);
  const later = await tokenBoundTo('second');
  await stage.here.kubectl('delete', 'secret', 'first');
  await expect
    .poll(async () => await failing('own'), { timeout: 60_000, interval: 1000 })
    .toEqual(['cluster: The cluster does not accept the credential of the target.']);
  await writeFile(join(own, 'token'), later);
  expect(await failing('own')).toEqual([]);
});

test('T584: the account of the pod goes to its own cluster alone: a target with another credential beside it is refused', async () => {
  const { client } = stage.app.admin;
  await client.call('targets.set_credential', { params: { name: 'own' }, body: { token: stage.token } });
  expect(await failing('own')).toEqual([expect.stringContaining('has another credential')]);
});
