// A namespace of a Kubernetes cluster. Images reach it through a registry. The service has the rights of `policy.ts` there.
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import type { KubernetesConfig } from '@gantry/project/asset-config/target.ts';
import type { NamedTarget } from '../../../../assets/targets/find-targets.ts';
import { firstUse } from '../../../../ground/first-use.ts';
import type { KindOfTarget } from '../index.ts';
import { openLedger } from '../ledger.ts';
import { deliverTo, registryOf, testRegistry, type DeliveryParts } from '../registry.ts';
import { replicaTarget, type ReplicaParts } from '../replicas/target.ts';
import type { Target } from '../target.ts';
import { connectCluster, type Cluster } from './client.ts';
import { policyFile } from './policy.ts';
import { kubernetesPlatform } from './platform.ts';
import { testCluster } from './test-cluster.ts';

interface KubernetesParts extends DeliveryParts, ReplicaParts {}

export const kubernetesKind = (parts: KubernetesParts): KindOfTarget => ({
  open: (named) => openTarget(named, parts),
  test: async (named, signal) => await test(named, parts, signal),
  policy: (named) => [
    policyFile({ namespace: configOf(named).namespace, installation_id: parts.builds.installation_id }),
  ],
});

const configOf = ({ config }: NamedTarget) => config as unknown as KubernetesConfig; // of this kind, as it was checked when it was stored

async function connect(named: NamedTarget): Promise<Cluster> {
  const { address, ca, namespace } = configOf(named);
  return await connectCluster({ name: named.name, address, ca, namespace, credential: named.credential });
}

function openTarget(named: NamedTarget, { builds, outbound, ...parts }: KubernetesParts): Target {
  const { namespace, runtime_class, service_url, service_ca: ca } = configOf(named);
  const registry = registryOf(named, outbound);
  const ledger = openLedger(parts.db, named.name);
  const platform = kubernetesPlatform({
    ledger,
    home: { namespace, runtime_class, installation_id: builds.installation_id },
    open: firstUse(async () => await connect(named)),
    deliver: async (image, signal) => await deliverTo(registry, { engine: builds, id: image }, signal),
    outgoing: { service_url: service_url.replace(/\/$/, ''), ...(ca === undefined ? {} : { ca }) },
    pull:
      registry.credential === undefined ? undefined : { host: new URL(registry.url).host, login: registry.credential },
  });
  return replicaTarget(platform, { ...parts, ledger });
}

async function test(named: NamedTarget, { outbound }: KubernetesParts, signal: AbortSignal): Promise<TargetFinding[]> {
  const open = firstUse(async () => await connect(named));
  const registry = testRegistry(registryOf(named, outbound), signal);
  const cluster = await testCluster(open, { target: named.name, namespace: configOf(named).namespace }, signal);
  const limits = {
    part: 'outgoing connections',
    works: true,
    message:
      'cannot be limited here: agents reach what their pods reach, so agents with limits are refused. Limit the namespace yourself',
  };
  return [...cluster, await registry, limits];
}
