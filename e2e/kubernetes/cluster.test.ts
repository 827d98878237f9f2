// What the other files of this folder rely on: the cluster enforces, scales, pulls and recovers as a real one does.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openNamespace, testCluster, type TestNamespace } from './cluster.ts';
import { pushBaseImage } from './push-base-image.ts';

const cluster = testCluster();
const slow = { timeout: 90_000, interval: 500 };
let image = '';
let here: TestNamespace;

beforeAll(async () => {
  image = await pushBaseImage(cluster);
  here = await openNamespace(cluster);
});
afterAll(async () => await here.remove());

const serve = ['python3', '-m', 'http.server', '8080'];

function podSpec(command: string[], more: object = {}) {
  return { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image, command, ...more }] };
}

function pod(name: string, command: string[]) {
  const metadata = { name, namespace: here.name, labels: { app: name } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec(command) };
}

function deployment(name: string, { replicas, template }: { replicas: number; template: object }) {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: here.name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: template } },
  };
}

async function addressOf(name: string): Promise<string> {
  return await here.kubectl('get', 'pod', name, '-o', 'jsonpath={.status.podIP}');
}

/** True when an HTTP server answers the pod. */
async function reaches(from: string, url: string): Promise<boolean> {
  const get = 'import sys, urllib.request as u; u.urlopen(sys.argv[1], timeout=2)';
  return await here.kubectl('exec', from, '--', 'python3', '-c', get, url).then(
    () => true,
    () => false,
  );
}

/** A server of this machine that pods can call. */
async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer((_, answer) => answer.end('here')).listen(0, cluster.host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

test('an image starts by its digest from the registry, and one that the registry does not have starts nowhere', async () => {
  const absent = pod('absent', serve);
  const [container] = absent.spec.containers;
  if (container !== undefined) container.image = image.replace(/[0-9a-f]{64}$/, '0'.repeat(64));
  await cluster.apply(pod('present', serve), absent);
  await here.kubectl('wait', '--for=condition=Ready', 'pod/present', '--timeout=90s');
  const pulled = await here.kubectl('get', 'pod', 'present', '-o', 'jsonpath={.status.containerStatuses[0].imageID}');
  // The node may have it under another name, from another test.
  expect(pulled.replace(/.*@/, '')).toBe(image.replace(/.*@/, ''));
  const reason = 'jsonpath={.status.containerStatuses[0].state.waiting.reason}';
  await expect.poll(async () => await here.kubectl('get', 'pod', 'absent', '-o', reason), slow).toMatch(/ImagePull/);
});

test('a policy lets a pod reach what it names, and nothing else', async () => {
  const [door, other] = [await listen(), await listen()];
  try {
    await cluster.apply(pod('client', ['sleep', 'infinity']), pod('friend', serve), pod('stranger', serve), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'friend', namespace: here.name },
      spec: { selector: { app: 'friend' }, ports: [{ port: 8080 }] },
    });
    for (const name of ['client', 'friend', 'stranger'])
      await here.kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=90s');
    const urls = [
      `http://${await addressOf('friend')}:8080`,
      `http://${cluster.host}:${door.port}`,
      `http://${await addressOf('stranger')}:8080`,
      `http://${cluster.host}:${other.port}`,
      `http://friend.${here.name}.svc.cluster.local:8080`,
    ];
    const reached = async () => await Promise.all(urls.map(async (url) => await reaches('client', url)));
    await expect.poll(reached, slow).toEqual([true, true, true, true, true]);

    const toFriend = { to: [{ podSelector: { matchLabels: { app: 'friend' } } }] };
    const toDoor = { to: [{ ipBlock: { cidr: `${cluster.host}/32` } }], ports: [{ port: door.port }] };
    await cluster.apply({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'client', namespace: here.name },
      spec: { podSelector: { matchLabels: { app: 'client' } }, policyTypes: ['Egress'], egress: [toFriend, toDoor] },
    });
    // The servers of names are not in the policy.
    await expect.poll(reached, slow).toEqual([true, true, false, false, false]);

    expect(await reaches('stranger', urls[0] ?? '')).toBe(true);
    await cluster.apply({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'friend', namespace: here.name },
      spec: {
        podSelector: { matchLabels: { app: 'friend' } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: { matchLabels: { app: 'client' } } }] }],
      },
    });
    await expect.poll(async () => await reaches('stranger', urls[0] ?? ''), slow).toBe(false);
    expect(await reached()).toEqual([true, true, false, false, false]);
  } finally {
    door.server.close();
    other.server.close();
  }
});

test('a deployment that burns processor time gets more replicas', async () => {
  const resources = { requests: { cpu: '50m' }, limits: { cpu: '150m' } };
  const burn = podSpec(['python3', '-c', 'while True: pass'], { resources });
  await cluster.apply(deployment('burner', { replicas: 1, template: burn }), {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'burner', namespace: here.name },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'burner' },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  });
  const replicas = async () =>
    Number(await here.kubectl('get', 'deployment', 'burner', '-o', 'jsonpath={.status.readyReplicas}'));
  await expect.poll(replicas, slow).toBe(3);
  await here.kubectl('delete', 'hpa,deployment', 'burner');
});

test('the pods of a node that is cut off start on the other one, and the node comes back', async () => {
  const [kept = '', lost = ''] = cluster.nodes;
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { app: 'spread' } },
  };
  const template = { ...podSpec(serve), topologySpreadConstraints: [spread] };
  await cluster.apply(deployment('spread', { replicas: 2, template }));
  await here.kubectl('rollout', 'status', 'deployment/spread', '--timeout=90s');
  expect((await readyNodes('spread')).toSorted()).toEqual([kept, lost].toSorted());
  await cluster.cutOff(lost);
  try {
    await expect.poll(async () => await readyNodes('spread'), slow).toEqual([kept, kept]);
  } finally {
    await cluster.bringBack(lost);
  }
});

interface PodList {
  items: { spec: { nodeName?: string }; status: { conditions?: { type: string; status: string }[] } }[];
}

/** The node of each pod that is ready. */
async function readyNodes(app: string): Promise<string[]> {
  const { items } = JSON.parse(await here.kubectl('get', 'pods', '-l', `app=${app}`, '-o', 'json')) as PodList;
  return items
    .filter(({ status }) => status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'))
    .map(({ spec }) => spec.nodeName ?? '');
}
