// What a deploy sends to a cluster, for the person who decides about it. The platform sends the objects of the same functions, in this order.
import type { KubernetesObject, V1Deployment, V1NetworkPolicy, V1Secret } from '@kubernetes/client-node';
import type { TargetPlan } from '../outside.ts';
import type { Planned } from '../target.ts';
import { plannedLimits, type Ways } from './limits.ts';
import * as objects from './objects.ts';

export type Pull = Parameters<typeof objects.pullSecret>[2] | undefined;

interface Around {
  pull: Pull;
  /** To the outside, for agents with limits. */
  ways: Ways | undefined;
}

/** What a revision has beside its Deployment, before its first pod. */
export function besideDeployment(
  home: objects.Home,
  owner: objects.Owner,
  { pull, ...parts }: objects.Parts & { pull: Pull },
) {
  return [
    ...objects.objectsBeside(home, owner, parts),
    ...(pull === undefined ? [] : [objects.pullSecret(home, owner, pull)]),
  ];
}

export function planOf(home: objects.Home, planned: Planned, { pull, ways }: Around): TargetPlan {
  const { name, revision_id, files, scaling, egress, secrets } = planned;
  const owner = { name, revision_id, uid: `<uid of the Deployment ${name}>` };
  const limits = planned.egress === undefined || ways === undefined ? undefined : plannedLimits(ways);
  const parts = objects.partsOf(planned, { limits, scaler: planned.scaler });
  const deployment = objects.deployment(home, { ...planned, limits, has_pull_secret: pull !== undefined });
  const applied = [
    deployment,
    ...besideDeployment(home, owner, { ...parts, pull }),
    objects.secret(home, owner, { name: objects.secretOf(name), values: files }),
  ];
  const scaled = { ...objects.scaled(name, '<the time of the request>'), spec: { replicas: Math.max(1, scaling.min) } };
  const most = deployment.spec?.template.spec?.containers[0]?.resources?.limits ?? {};
  return {
    requests: [...applied.map((object) => request('apply', object)), request('merge', scaled)],
    broken: [],
    notes: [],
    covers: {
      kinds: [...new Set(applied.map(({ kind = '' }) => kind))].toSorted(),
      size: { cpu: most['cpu'] ?? '', memory: most['memory'] ?? '' },
      permissions: permissionsOf(deployment),
      reach: [
        ...callersOf(objects.networkPolicy(home, owner, limits)),
        ...(egress ?? ['*']).map((to) => `out: ${to}`),
      ].toSorted(),
      secrets: secrets.toSorted(),
    },
  };
}

function request(action: string, object: KubernetesObject): TargetPlan['requests'][number] {
  return {
    action,
    resource: { kind: object.kind ?? '', name: object.metadata?.name ?? '' },
    body: object.kind === 'Secret' ? withoutValues(object) : object,
  };
}

function withoutValues({ apiVersion, kind, metadata, type, data = {} }: V1Secret) {
  const stand_ins = Object.fromEntries(Object.keys(data).map((name) => [name, `<${name}>`]));
  return { apiVersion, kind, metadata, type, data: stand_ins };
}

/** Read from the pod itself, so that a pod with more asks for an approval. */
function permissionsOf({ spec }: V1Deployment): string[] {
  const pod = spec?.template.spec;
  const contexts = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].map(
    ({ securityContext }) => securityContext,
  );
  return [
    ...(pod?.automountServiceAccountToken === false ? [] : ['token of the ServiceAccount']),
    ...(pod?.securityContext?.runAsNonRoot === true ? [] : ['root']),
    ...(contexts.every((one) => one?.allowPrivilegeEscalation === false) ? [] : ['privilege escalation']),
    ...contexts.flatMap((one) => (one?.capabilities?.add ?? []).map((capability) => `capability ${capability}`)),
  ].toSorted();
}

const callersOf = ({ spec }: V1NetworkPolicy): string[] =>
  spec?.policyTypes?.includes('Ingress') === true && (spec.ingress ?? []).length === 0 ? [] : ['in: *'];
