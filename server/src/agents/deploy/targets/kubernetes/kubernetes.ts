// A namespace of a Kubernetes cluster. Images reach it through a registry. The service has the rights of `policy.ts` there.
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import { in_cluster, type KubernetesConfig } from '@gantry/project/asset-config/target.ts';
import type { NamedTarget } from '../../../../assets/targets/find-targets.ts';
import { firstUse } from '../../../../ground/first-use.ts';
import type { KindOfTarget } from '../index.ts';
import { openLedger } from '../ledger.ts';
import { deliverTo, registryOf, testRegistry, type DeliveryParts } from '../registry.ts';
import { replicaTarget, type ReplicaParts } from '../replicas/target.ts';
import type { Registry } from '../../../../assets/images/registry-client.ts';
import type { Target, TargetFile } from '../target.ts';
import { tried } from '../tried.ts';
import { connectCluster, type Cluster } from './client.ts';
import { admissionFile } from './admission.ts';
import { accountOf, policyFile } from './policy.ts';
import { ownCluster } from './own-cluster.ts';
import type { OwnCluster } from '../../../../ground/config/own-cluster.ts';
import { limitsOf, type Ways } from './limits.ts';
import { probeLimits } from './limits-probe.ts';
import { kubernetesPlatform, metrics } from './platform.ts';
import { testCluster } from './test-cluster.ts';

interface KubernetesParts extends DeliveryParts, ReplicaParts {
  /** The cluster in which the service runs. Undefined outside of one. */
  own_cluster: OwnCluster | undefined;
  /** The id of an image with Python, for the pods that try something. */
  baseImage: (signal: AbortSignal) => Promise<string>;
}

export const kubernetesKind = (parts: KubernetesParts): KindOfTarget => ({
  open: (named) => openTarget(named, parts),
  test: async (named, signal) => await test(named, parts, signal),
  policy: (named) => policyFiles(configOf(named), parts.builds.installation_id),
});

/** The account of a service in its own cluster has another name, which no config says. So nothing says who may change the record of images. */
function policyFiles({ address, namespace }: KubernetesConfig, installation_id: string): TargetFile[] {
  const place = { namespace, installation_id };
  const rbac = policyFile(place);
  return address === in_cluster ? [rbac] : [rbac, admissionFile({ namespace, user: accountOf(place) })];
}

const configOf = ({ config }: NamedTarget) => config as unknown as KubernetesConfig; // of this kind, as it was checked when it was stored

async function connect({ name, ...named }: NamedTarget, own: OwnCluster | undefined): Promise<Cluster> {
  const { address, ca = '', namespace } = configOf({ name, ...named });
  const { registry: _, ...credential } = named.credential ?? {};
  if (address !== in_cluster) return await connectCluster({ name, address, ca, namespace, credential });
  return await connectCluster({ name, namespace, ...(await ownCluster(own, credential)) });
}

function openTarget(named: NamedTarget, { builds, outbound, own_cluster, ...parts }: KubernetesParts): Target {
  const {
    namespace,
    runtime_class,
    sandbox_runtime_class: sandbox,
    vm_runtime_class: vm,
    service_ca: ca,
  } = configOf(named);
  const isolating = { ...(sandbox !== undefined && { sandbox }), ...(vm !== undefined && { vm }) };
  const ways = waysOf(named);
  const registry = registryOf(named, outbound);
  const ledger = openLedger(parts.db, named.name);
  const platform = kubernetesPlatform({
    ledger,
    home: { namespace, runtime_class, isolating, installation_id: builds.installation_id },
    open: firstUse(async () => await connect(named, own_cluster)),
    deliver: async (image, signal) => await deliverTo(registry, { engine: builds, id: image }, signal),
    outgoing: {
      service_url: ways.service_url,
      ...(ca === undefined ? {} : { ca }),
      ...(ways.proxy_url === undefined ? {} : { proxy_url: ways.proxy_url, proxy_asks_token: true }),
    },
    limits: isLimiting(ways) ? ways : undefined,
    pull: pullOf(registry),
  });
  return replicaTarget(platform, { ...parts, ledger });
}

function waysOf(named: NamedTarget): { service_url: string; proxy_url?: string } {
  const { service_url, egress_proxy_url } = configOf(named);
  return {
    service_url: service_url.replace(/\/$/, ''),
    ...(egress_proxy_url === undefined ? {} : { proxy_url: egress_proxy_url.replace(/\/$/, '') }),
  };
}

const isLimiting = (ways: ReturnType<typeof waysOf>): ways is Ways => ways.proxy_url !== undefined;

const pullOf = ({ url, credential }: Registry) =>
  credential === undefined ? undefined : { host: new URL(url).host, login: credential };

async function test(named: NamedTarget, parts: KubernetesParts, signal: AbortSignal): Promise<TargetFinding[]> {
  const { namespace } = configOf(named);
  const open = firstUse(async () => await connect(named, parts.own_cluster));
  const registry = registryOf(named, parts.outbound);
  const takes = testRegistry(registry, signal);
  const findings = [...(await testCluster(open, { target: named.name, namespace }, signal)), await takes];
  if (findings[0]?.works === true) findings.push(await testScaler(open, signal));
  const ways = waysOf(named);
  if (!isLimiting(ways)) return [...findings, unlimited];
  // Without a right or the registry, no pod starts.
  if (findings.some(({ works }) => !works)) return findings;
  const limited = tried('outgoing connections', async () => {
    const id = await parts.baseImage(signal);
    return await probeLimits(
      {
        cluster: await open(),
        home: { namespace, installation_id: parts.builds.installation_id },
        limits: await limitsOf(ways),
        image: await deliverTo(registry, { engine: parts.builds, id }, signal),
        pull: pullOf(registry),
      },
      signal,
    );
  });
  return [...findings, await limited];
}

const testScaler = async (open: () => Promise<Cluster>, signal: AbortSignal): Promise<TargetFinding> =>
  await tried('scaling', async () =>
    (await (await open()).serves(metrics, signal))
      ? 'by the cluster where `target_cpu` is the one rule; by the service for other agents'
      : `by the service for all agents: the cluster has no ${metrics}`,
  );

const unlimited: TargetFinding = {
  part: 'outgoing connections',
  works: true,
  message:
    'are not limited here: without `egress_proxy_url` agents reach what their pods reach, so agents with limits are refused',
};
