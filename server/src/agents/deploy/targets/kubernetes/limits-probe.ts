// Tries in the cluster itself whether a NetworkPolicy limits a pod: one that has reached the API server no longer does under the policy of limited
// agents, and still reaches the door and the proxy.
import { randomBytes } from 'node:crypto';
import type { V1Deployment, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { Problem } from '@gantry/contract/problems.ts';
import { recordImage } from './admission.ts';
import type { Cluster } from './client.ts';
import { hostAndPort, namesOf, reaching, tryingContainer, type Limits } from './limits.ts';
import * as objects from './objects.ts';
import { podLog } from './pod-log.ts';
import { stateOf } from './replica-state.ts';
import { setTimeout as delay } from 'node:timers/promises';

interface Probing {
  cluster: Cluster;
  home: objects.Home;
  limits: Limits;
  /** With Python, as the cluster pulls it. */
  image: string;
  pull: { host: string; login: { username: string; password: string } } | undefined;
}

const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;
const pods = { apiVersion: 'v1', kind: 'Pod' } as const;
const left_after_ms = 600_000;
const start_ms = 90_000;
const effect_ms = 30_000;

/** What was found, in a sentence. Throws `egress_not_enforced`, and `start_failed` for a pod that does not start. */
export async function probeLimits(
  { cluster, home, limits, image, pull }: Probing,
  signal: AbortSignal,
): Promise<string> {
  // An installation of its own, so that nobody takes the pod for a replica of an agent.
  const own = { ...home, installation_id: `probe-${home.installation_id}` };
  await removeLeft(cluster, own, signal);
  const name = `svc-probe-${randomBytes(4).toString('hex')}`;
  const wanted = probe(own, { name, limits, image, has_pull_secret: pull !== undefined });
  await recordImage(cluster, { name, image }, signal);
  const { metadata } = await cluster.apply(wanted, signal);
  const owner = { name, uid: metadata?.uid ?? '', revision_id: name };
  try {
    if (pull !== undefined) await cluster.apply(objects.pullSecret(own, owner, pull), signal);
    const seen = lines(cluster, await runningPod(cluster, wanted, signal), signal);
    await until(
      seen,
      start_ms,
      ([other]) => other === '1',
      'a pod without a policy does not reach the API server, so a policy proves nothing here',
    );
    await cluster.apply(objects.networkPolicy(own, owner, limits), signal);
    await until(
      seen,
      effect_ms,
      ([other]) => other === '0',
      'a pod still reaches what its NetworkPolicy closes: nothing in the cluster enforces it',
    );
    await until(
      seen,
      effect_ms,
      ([, door]) => door === '1',
      `a limited pod does not reach the door at ${limits.ways.service_url}`,
    );
    await until(
      seen,
      effect_ms,
      ([, , proxy]) => proxy === '1',
      `a limited pod finds no proxy of the service at ${limits.ways.proxy_url}`,
    );
    await until(seen, effect_ms, (all) => all.join('') === '011', 'the reach of a limited pod changes all the time');
    return 'are limited here: under the NetworkPolicy of an agent, a pod reached the door and the proxy, and no longer the API server';
  } finally {
    await cluster.remove({ ...deployments, metadata: { name } });
    await recordImage(cluster, { name, image: undefined });
  }
}

/** Of a service that ended meanwhile. */
async function removeLeft(cluster: Cluster, own: objects.Home, signal: AbortSignal): Promise<void> {
  for (const { metadata } of await cluster.list<V1Deployment>(deployments, objects.ownedBy(own), signal))
    if (Date.now() - Number(metadata?.creationTimestamp) > left_after_ms) {
      const name = metadata?.name ?? '';
      await cluster.remove({ ...deployments, metadata: { name } }, signal);
      await recordImage(cluster, { name, image: undefined }, signal);
    }
}

interface Probe {
  name: string;
  limits: Limits;
  image: string;
  has_pull_secret: boolean;
}

function probe(own: objects.Home, { name, limits, image, has_pull_secret }: Probe): V1Deployment {
  const described = objects.deployment(own, {
    name, revision_id: name, agent: '', fence: 0, image, has_pull_secret, variables: {}, resources: { memory_bytes: 64 * 1024 ** 2, cpu_count: 0.1 },
  }); // prettier-ignore
  const args = [
    ...hostAndPort(limits.ways.service_url),
    ...hostAndPort(limits.ways.proxy_url),
    new URL(limits.ways.proxy_url).protocol,
  ];
  const { serviceAccountName: _, volumes: __, ...pod } = described.spec?.template.spec ?? { containers: [] };
  const spec: V1PodSpec = {
    ...pod,
    ...namesOf(limits),
    terminationGracePeriodSeconds: 0,
    containers: [tryingContainer({ name: objects.container_name, image, program, args })],
  };
  const labels = objects.labelsOf(own, name);
  const { apiVersion = 'apps/v1', kind = 'Deployment', metadata = {} } = described;
  return {
    apiVersion,
    kind,
    metadata,
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

// A proxy of the service asks whoever shows no credential for one.
const program = `${reaching}
import ssl

def is_proxy(host, port, scheme):
    try:
        with socket.create_connection((host, int(port)), 2) as plain:
            way = ssl.create_default_context().wrap_socket(plain, server_hostname=host) if scheme == "https:" else plain
            way.sendall(b"CONNECT example.com:443 HTTP/1.1\\r\\nHost: example.com:443\\r\\n\\r\\n")
            return way.recv(64).startswith(b"HTTP/1.1 407 ")
    except OSError:
        return False

while True:
    print(int(reaches(*other)), int(reaches(*sys.argv[1:3])), int(is_proxy(*sys.argv[3:6])), flush=True)
    time.sleep(0.5)
`;

async function runningPod(cluster: Cluster, wanted: V1Deployment, signal: AbortSignal): Promise<string> {
  const end = performance.now() + start_ms;
  for (;;) {
    const found = await cluster.list<V1Pod>(pods, wanted.spec?.selector.matchLabels ?? {}, signal);
    const running = found.find(({ status }) => status?.containerStatuses?.[0]?.state?.running !== undefined);
    if (running?.metadata?.name !== undefined) return running.metadata.name;
    if (performance.now() > end) {
      const now = await cluster.read<V1Deployment>(
        { ...deployments, metadata: { name: wanted.metadata?.name ?? '' } },
        signal,
      );
      const { obstacle = 'without a reason' } = stateOf(now ?? wanted, found);
      throw new Problem('start_failed', { detail: `the pod that tries it does not start: ${obstacle}` });
    }
    await delay(300, undefined, { signal });
  }
}

/** API server, door and proxy, each `1` when reached. */
async function* lines(cluster: Cluster, pod: string, signal: AbortSignal): AsyncGenerator<string[], void> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(start_ms + 4 * effect_ms)]);
  for await (const { line } of podLog(cluster, { pod, values: [], follow: true, signal: within }))
    if (/^[01] [01] [01]$/.test(line)) yield line.split(' ');
}

/** Two in a row, because a change takes effect between two tries. */
async function until(
  seen: AsyncGenerator<string[], void>,
  most_ms: number,
  is: (tries: string[]) => boolean,
  why: string,
): Promise<void> {
  const end = performance.now() + most_ms;
  for (let inARow = 0; inARow < 2;) {
    const next: IteratorResult<string[], void> = await seen.next();
    if (next.done === true) throw new Problem('start_failed', { detail: 'the pod that tries it has ended' });
    inARow = is(next.value) ? inARow + 1 : 0;
    if (inARow === 0 && performance.now() > end) throw new Problem('egress_not_enforced', { detail: why });
  }
}
