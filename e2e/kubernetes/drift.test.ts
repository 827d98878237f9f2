// What somebody changes in the cluster by hand, and what only looks like a change. The revisions have no pods: their image exists nowhere.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectCluster } from '../../server/src/agents/deploy/targets/kubernetes/client.ts';
import { kubernetesPlatform } from '../../server/src/agents/deploy/targets/kubernetes/platform.ts';
import { nameOf, rights } from '../../server/src/agents/deploy/targets/kubernetes/policy.ts';
import type { Platform } from '../../server/src/agents/deploy/targets/replicas/platform.ts';
import { described } from '../../server/src/testing/agents/aws-revision.ts';
import { memoryLedger, type MemoryLedger } from '../../server/src/testing/agents/memory-ledger.ts';
import { openNamespace, testCluster, type TestNamespace } from './cluster.ts';

const cluster = testCluster();
const { name, revision_id } = described;
const signal = () => AbortSignal.timeout(30_000);
let here: TestNamespace;
let ledger: MemoryLedger;
let platform: Platform;
let told = new Map([[revision_id, 0]]);
let made = 0;

beforeAll(async () => {
  here = await openNamespace(cluster);
  const metadata = { name: 'gantry', namespace: here.name };
  const rbac = 'rbac.authorization.k8s.io';
  const apiVersion = `${rbac}/v1`;
  const rules = rights.map(({ verbs, ...of }) => ({
    apiGroups: [of.group],
    resources: [nameOf({ verbs, ...of })],
    verbs,
  }));
  await cluster.apply(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion, kind: 'Role', metadata, rules },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'gantry' },
    },
  );
  const token = (await here.kubectl('create', 'token', 'gantry', '--duration=1h')).trim();
  const ca = await readFile(cluster.api.authority_file, 'utf8');
  const server = { name: 'cluster', address: cluster.api.url, ca, namespace: here.name, credential: { token } };
  const connected = await connectCluster(server);
  ledger = memoryLedger();
  platform = kubernetesPlatform({
    home: { namespace: here.name, installation_id: 'a-test' },
    ledger,
    open: async () => await Promise.resolve(connected),
    deliver: async (image) => await Promise.resolve(image),
    outgoing: { service_url: 'https://gantry.example.com' },
    pull: undefined,
  });
  await platform.describe(described, signal());
});
afterAll(async () => await here?.remove());

const drift = async () =>
  ((await platform.drift?.(told, signal())) ?? []).map((one) => [one.what, one.kind, one.name, one.detail]);

test('a revision as it was described has no drift, and neither have fields that others own', async () => {
  expect(await drift()).toEqual([]);
  await here.kubectl('annotate', 'deployment', name, 'example.com/cost-centre=42');
  await here.kubectl('label', 'deployment', name, 'example.com/tier=agents');
  await here.kubectl('rollout', 'restart', `deployment/${name}`);
  expect(await drift()).toEqual([]);
  await platform.describe({ ...described, fence: 2 }, signal());
  expect(await drift()).toEqual([]);
});

test.each([
  ['image', { image: 'attacker.example.com/agent:1' }, 'template.containers.agent.image'],
  ['variable', { env: [{ name: 'TOKEN', value: 'a word' }] }, 'template.containers.agent.env.TOKEN'],
  [
    'limit of memory',
    { resources: { limits: { memory: '9Gi' } } },
    'template.containers.agent.resources.limits.memory',
  ],
  ['command', { command: ['sh'] }, 'template.containers.agent.command.0'],
  ['right', { securityContext: { runAsUser: 0 } }, 'template.containers.agent.securityContext.runAsUser'],
  ['sidecar', { name: 'beside', image: 'beside' }, 'template.containers.beside'],
])('another %s is named, without its value', async (_, fields, path) => {
  expect(await changed({ containers: [{ name: 'agent', ...fields }] })).toContain(path);
});

test('a pod in the network of its node is drift', async () => {
  expect(await changed({ hostNetwork: true })).toBe('not as described: template.hostNetwork');
});

/** By hand, on a revision of its own. Returns what is said of it. */
async function changed(spec: object): Promise<string> {
  const other = { ...described, name: `svc-parrot-${++made}`, revision_id: randomUUID() };
  told.set(other.revision_id, 0);
  await platform.describe(other, signal());
  expect(await drift()).toEqual([]);
  const patch = JSON.stringify({ spec: { template: { spec } } });
  await here.kubectl('patch', 'deployment', other.name, '--type=strategic', '-p', patch);
  const found = await drift();
  await platform.remove(other.name, signal());
  expect(found).toHaveLength(1);
  const [[what, , of, detail = ''] = []] = found;
  expect([what, of]).toEqual(['changed', other.name]);
  expect(detail).not.toContain('a word');
  return detail;
}

test('another number of replicas is drift, unless its scaler decides', async () => {
  await here.kubectl('scale', 'deployment', name, '--replicas=1');
  expect(await drift()).toEqual([['changed', 'Deployment', name, 'it has 1 replicas, and 0 are asked for']]);
  expect((await platform.drift?.(new Map([[revision_id, undefined]]), signal())) ?? []).toEqual([]);
  await here.kubectl('scale', 'deployment', name, '--replicas=0');
});

test('what is gone beside the Deployment is missing, and a policy that lets everybody in is changed', async () => {
  await here.kubectl('delete', 'poddisruptionbudget', name);
  await here.kubectl('patch', 'networkpolicy', name, '--type=merge', '-p', '{"spec": {"ingress": [{}]}}');
  expect(await drift()).toEqual([
    ['changed', 'NetworkPolicy', name, 'not as described: ingress.0'],
    ['missing', 'PodDisruptionBudget', name, 'it is gone'],
  ]);
  // A repeated description makes them again.
  await platform.describe({ ...described, fence: 3 }, signal());
  expect((await drift()).map(([what, kind]) => [what, kind])).toEqual([]);
});

test('T579: an object with our labels that is not on the record is foreign, and a Deployment that is gone is missing', async () => {
  const copy = JSON.parse(await here.kubectl('get', 'deployment', name, '-o', 'json')) as {
    metadata: Record<string, unknown>;
  };
  const { labels } = copy.metadata;
  const other = { ...copy, metadata: { name: 'a-copy', namespace: here.name, labels } };
  await cluster.apply(other);
  expect(await drift()).toEqual([
    ['foreign', 'Deployment', 'a-copy', 'it has the labels of this service, and is not on the record'],
  ]);
  await platform.remove('a-copy', signal());
  await here.kubectl('delete', 'deployment', name);
  const found = await drift();
  expect(found[0]).toEqual(['missing', 'Deployment', name, 'it is gone']);
  // It has no instance any more.
  told = new Map();
  expect(await drift()).toEqual([]);
});

test('a removal closes the record, and a repeated one changes nothing', async () => {
  await platform.describe({ ...described, fence: 4 }, signal());
  expect((await ledger.list()).map((one) => one.name)).toContain(name);
  await platform.remove(name, signal());
  expect((await ledger.list()).map((one) => one.name)).not.toContain(name);
  await platform.remove(name, signal());
});
