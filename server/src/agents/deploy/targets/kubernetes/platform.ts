// A revision is a Deployment with 0 replicas or more. The cluster replaces a pod that ends, and every pod joins at the door of the service.
import type { V1Deployment, V1Node, V1Pod, V1Secret } from '@kubernetes/client-node';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isolations } from '@gantry/project/agent-yaml/config.ts';
import { label } from '../../../../assets/docker/labels.ts';
import type { Described, Platform, ReplicaSet } from '../replicas/platform.ts';
import { valuesOf } from '../mask.ts';
import { notLimited } from '../not-limited.ts';
import type { Ledger } from '../outside.ts';
import { requireSecretName } from '../secret-name.ts';
import type { Outgoing, SecretFiles } from '../target.ts';
import { recordImage } from './admission.ts';
import type { Cluster } from './client.ts';
import { clusterDrift } from './drift.ts';
import { limitsOf, type Ways } from './limits.ts';
import { memoryBytes } from './quantity.ts';
import * as objects from './objects.ts';
import { besideDeployment, planOf, type Pull } from './plan.ts';
import { podLog } from './pod-log.ts';
import { stateOf } from './replica-state.ts';

interface KubernetesSettings {
  home: objects.Home;
  /** The Deployments. All else is owned by them. */
  ledger: Ledger;
  open: () => Promise<Cluster>;
  deliver: Platform['deliver'];
  outgoing: Outgoing;
  /** Of agents whose outgoing connections are limited. Undefined: they are refused. */
  limits: Ways | undefined;
  /** With which nodes pull images. */
  pull: Pull;
}

const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;
const pods = { apiVersion: 'v1', kind: 'Pod' } as const;
const secrets = { apiVersion: 'v1', kind: 'Secret' } as const;
/** What the scaler of the cluster reads. Without it, the service scales every agent. */
export const metrics = 'metrics.k8s.io/v1beta1';
const nodes = { apiVersion: 'v1', kind: 'Node' } as const;

/** Places from before there were limits have nothing. */
const kubernetesPlace = z.object({ is_limited: z.boolean().default(false), is_scaled: z.boolean().default(false) });

export function kubernetesPlatform(settings: KubernetesSettings): Platform {
  const { home, ledger, open, deliver, outgoing, limits, pull } = settings;
  /** Undefined when it is missing, and when it belongs to another installation. */
  const find = async (cluster: Cluster, name: string, signal?: AbortSignal) => {
    const found = await cluster.read<V1Deployment>({ ...deployments, metadata: { name } }, signal);
    return found !== undefined && isOwn(found, home) ? found : undefined;
  };
  const podsOf = async (cluster: Cluster, revision_id: string, signal?: AbortSignal) =>
    await cluster.list<V1Pod>(pods, objects.labelsOf(home, revision_id), signal);
  const valuesIn = async (cluster: Cluster, name: string, signal?: AbortSignal) =>
    decoded(await cluster.read<V1Secret>({ ...secrets, metadata: { name } }, signal));

  async function observed(cluster: Cluster, found: V1Deployment, signal?: AbortSignal): Promise<ReplicaSet> {
    const { name, revision_id } = ownerOf(found);
    const seen = stateOf(found, await podsOf(cluster, revision_id, signal));
    return { name, revision_id, replicas: found.spec?.replicas ?? 0, ...seen };
  }

  /** A pod that runs keeps the value that it has started with. So the log may have it, and it stays for the mask. */
  async function writeFiles(cluster: Cluster, owner: objects.Owner, files: SecretFiles, signal?: AbortSignal) {
    for (const name of Object.keys(files)) requireSecretName(name);
    const name = objects.secretOf(owner.name);
    const before = await valuesIn(cluster, name, signal);
    const changed = [...before].filter(([file, value]) => files[file] !== value);
    if (changed.length > 0) {
      const earlier = objects.earlierSecretOf(owner.name);
      const kept = await valuesIn(cluster, earlier, signal);
      for (const [file, value] of changed) kept.set(`${file}.${digest(value)}`, value);
      const values = Object.fromEntries([...kept].slice(-most_earlier_values));
      await cluster.apply(objects.secret(home, owner, { name: earlier, values }), signal);
    }
    await cluster.apply(objects.secret(home, owner, { name, values: files }), signal);
  }

  return {
    ...(limits === undefined && { limits_egress: false }),
    isolations: isolations.filter((one) => home.isolating?.[one] !== undefined),
    scalesItself: (place) => kubernetesPlace.parse(place).is_scaled,
    plan: (planned) => planOf(home, planned, { pull, ways: limits }),
    deliver,
    outgoing: async (place) =>
      await Promise.resolve(kubernetesPlace.parse(place).is_limited ? outgoing : withoutProxy(outgoing)),

    async describe(described, signal) {
      const cluster = await open();
      const { name } = described;
      const before = await cluster.read<V1Deployment>({ ...deployments, metadata: { name } }, signal);
      if (before !== undefined) requireOwn(before, home, described);
      const limited = described.egress === undefined ? undefined : await limitsOf(limits ?? refuseLimits());
      const wanted = objects.deployment(home, { ...described, limits: limited, has_pull_secret: pull !== undefined });
      // The pods of a revision never change, and its number is told by `scale`.
      if (before !== undefined)
        await cluster.merge({ ...deployments, metadata: { name, annotations: wanted.metadata?.annotations } }, signal);
      const scaler =
        described.scaler !== undefined && (await cluster.serves(metrics, signal)) ? described.scaler : undefined;
      const parts = objects.partsOf(described, { limits: limited, scaler });
      const { revision_id } = described;
      const recorded: Partial<objects.Described> = {
        ...(before === undefined && { deployment: wanted }),
        beside: objects.objectsBeside(home, { name, uid: '', revision_id }, parts),
      };
      await ledger.record(resourceOf(name), described, { ...recorded });
      await recordImage(cluster, { name, image: described.image }, signal);
      const owner = ownerOf(before ?? (await cluster.apply(wanted, signal)));
      for (const object of besideDeployment(home, owner, { ...parts, pull })) await cluster.apply(object, signal);
      return {
        place: { is_limited: limited !== undefined, is_scaled: scaler !== undefined } satisfies z.output<
          typeof kubernetesPlace
        >,
        artefacts: [{ file: 'deployment.json', content: `${JSON.stringify(wanted, undefined, 2)}\n` }],
      };
    },

    async scale(name, { replicas, files, leaving = [] }, signal) {
      const cluster = await open();
      const found = await find(cluster, name, signal);
      if (found === undefined) return;
      const owner = ownerOf(found);
      if (files !== undefined) await writeFiles(cluster, owner, files, signal);
      if (leaving.length > 0) {
        const known = await podsOf(cluster, owner.revision_id, signal);
        for (const pod of known.map(nameOf).filter((one) => leaving.includes(one)))
          await cluster.merge(
            { ...pods, metadata: { name: pod, annotations: { [objects.deletion_cost]: '-1000' } } },
            signal,
          );
      }
      await cluster.merge({ ...objects.scaled(name, new Date().toISOString()), spec: { replicas } }, signal);
    },

    async observe(name, signal) {
      const cluster = await open();
      const found = await find(cluster, name, signal);
      return found === undefined ? undefined : await observed(cluster, found, signal);
    },

    async remove(name, signal) {
      const cluster = await open();
      if ((await find(cluster, name, signal)) !== undefined)
        await cluster.remove({ ...deployments, metadata: { name } }, signal);
      await recordImage(cluster, { name, image: undefined }, signal);
      // One that a finalizer holds stays open, and the next sweep looks again.
      if ((await find(cluster, name, signal)) === undefined) await ledger.removed(resourceOf(name));
    },

    logs: async function* logs(name, replica, { secrets: named, ...query }) {
      const cluster = await open();
      const found = await find(cluster, name, query.signal);
      if (found === undefined) return;
      const { revision_id } = ownerOf(found);
      const known = await podsOf(cluster, revision_id, query.signal);
      if (!known.some((pod) => nameOf(pod) === replica)) return;
      const delivered = [
        ...(await valuesIn(cluster, objects.secretOf(name), query.signal)),
        ...(await valuesIn(cluster, objects.earlierSecretOf(name), query.signal)),
      ].flatMap(([file, value]) => (Object.hasOwn(named, file.replace(/\..*/, '')) ? [value] : []));
      yield* podLog(cluster, { ...query, pod: replica, values: valuesOf(named, delivered) });
    },

    drift: async (told, signal) => await clusterDrift({ cluster: await open(), home, ledger, told, signal }),

    async room(signal) {
      const cluster = await open();
      const all = await cluster.list<V1Node>(nodes, {}, signal);
      const open_ones = all.filter(({ spec }) => spec?.unschedulable !== true);
      const own = await cluster.list<V1Pod>(pods, objects.ownedBy(home), signal);
      const limits = own.flatMap(
        ({ spec }) => spec?.containers.map(({ resources }) => resources?.limits?.['memory']) ?? [],
      );
      return {
        memory_bytes: sum(open_ones.map(({ status }) => memoryBytes(status?.allocatable?.['memory']))),
        used_bytes: sum(limits.map(memoryBytes)),
      };
    },

    async list(signal) {
      const cluster = await open();
      const found = await cluster.list<V1Deployment>(deployments, objects.ownedBy(home), signal);
      return await Promise.all(found.map(async (one) => await observed(cluster, one, signal)));
    },
  };
}

const withoutProxy = ({ proxy_url: _, proxy_asks_token: __, ...rest }: Outgoing): Outgoing => rest;

function refuseLimits(): never {
  throw notLimited();
}

/** Of one agent. Each change of a value adds one, and a revision rarely has so many. */
const most_earlier_values = 100;

const resourceOf = (name: string) => ({ kind: deployments.kind, name });
const digest = (value: string) => createHash('sha256').update(value).digest('hex').slice(0, 16);
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const nameOf = ({ metadata }: V1Pod) => metadata?.name ?? '';

const isOwn = ({ metadata }: V1Deployment, home: objects.Home) =>
  Object.entries(objects.ownedBy(home)).every(([name, value]) => metadata?.labels?.[name] === value);

function requireOwn(found: V1Deployment, home: objects.Home, { name, revision_id, fence }: Described): void {
  if (!isOwn(found, home) || found.metadata?.labels?.[label.revision] !== revision_id)
    throw new Error(`The Deployment ${name} does not belong to this revision`);
  if (Number(found.metadata.annotations?.[objects.fence]) > fence)
    throw new Error(`The Deployment ${name} has a newer fence`);
}

const ownerOf = ({ metadata }: V1Deployment): objects.Owner => ({
  name: metadata?.name ?? '',
  uid: metadata?.uid ?? '',
  revision_id: metadata?.labels?.[label.revision] ?? '',
});

function decoded(secret: V1Secret | undefined): Map<string, string> {
  return new Map(
    Object.entries(secret?.data ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
  );
}
