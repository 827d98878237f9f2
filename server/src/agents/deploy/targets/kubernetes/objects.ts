// What a revision is in a cluster: plain data in, objects out. The Deployment owns the others, so the cluster removes them with it. Names and
// labels follow from the revision, so a repeated step finds what an earlier one has made.
import type {
  KubernetesObject,
  V1Deployment,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1OwnerReference,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1Secret,
  V1ServiceAccount,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import type { Isolation } from '@gantry/project/agent-yaml/config.ts';
import type { ScalerRule } from '@gantry/project/agent-yaml/scaling.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { label, type Labels } from '../../../../assets/docker/labels.ts';
import { sandbox_user } from '../../../../assets/workshop/sandbox.ts';
import { stopGraceSeconds } from '../stop-grace.ts';
import type { Described as Revision } from '../replicas/platform.ts';
import { limitedPod, type Limits } from './limits.ts';

export interface Home {
  namespace: string;
  installation_id: string;
  runtime_class?: string | undefined;
  /** The RuntimeClass of agents that ask for an isolation. */
  isolating?: Readonly<Partial<Record<Isolation, string>>>;
}

/** When the number was last told. The end of a replica before it is no longer a fault. */
export const scaled_at = 'gantry.scaled-at';
export const fence = label.fence;
export const container_name = 'agent';
/** The first to end have the lowest number. */
export const deletion_cost = 'controller.kubernetes.io/pod-deletion-cost';

export const secretOf = (name: string) => `${name}-files`;
/** Values that a running replica may still have. No pod mounts it. */
export const earlierSecretOf = (name: string) => `${name}-earlier-files`;
const pullSecretOf = (name: string) => `${name}-pull`;

export const ownedBy = ({ installation_id }: Pick<Home, 'installation_id'>): Labels => ({
  'app.kubernetes.io/managed-by': 'gantry',
  [label.installation]: installation_id,
});
export const labelsOf = (home: Home, revision_id: string): Labels => ({
  ...ownedBy(home),
  [label.revision]: revision_id,
});

// The notice that a replica gives before it leaves (docs/decisions/0130), and some seconds for the cluster itself.
const leave_seconds = 10;
/** Agents mostly wait for models. They may use all of their limit. */
const requested_part_of_cpu = 0.25;

interface DeploymentInput extends Revision {
  has_pull_secret: boolean;
  /** Undefined: its outgoing connections are not limited. */
  limits?: Limits | undefined;
}

/** Without a replica. */
export function deployment(home: Home, input: DeploymentInput): V1Deployment {
  const labels = labelsOf(home, input.revision_id);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: input.name,
      namespace: home.namespace,
      labels,
      annotations: { [label.agent]: input.agent, [fence]: String(input.fence) },
    },
    spec: {
      replicas: 0,
      revisionHistoryLimit: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(home, input) },
    },
  };
}

/** Fits the restricted standard of pod security. Its only values from users are the name and the resources. */
function podSpec(home: Home, input: DeploymentInput): V1PodSpec {
  const runtime_class = runtimeClassOf(home, input);
  const { memory_bytes, cpu_count } = input.resources;
  return {
    serviceAccountName: input.name,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: stopGraceSeconds + leave_seconds,
    ...(runtime_class === undefined ? {} : { runtimeClassName: runtime_class }),
    ...(input.has_pull_secret ? { imagePullSecrets: [{ name: pullSecretOf(input.name) }] } : {}),
    // A node that is lost takes as few replicas as the cluster can arrange.
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: labelsOf(home, input.revision_id) },
      },
    ],
    securityContext: {
      runAsNonRoot: true,
      runAsUser: sandbox_user,
      runAsGroup: sandbox_user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(input.limits === undefined ? {} : limitedPod(input.limits, input.image)),
    containers: [
      {
        name: container_name,
        image: input.image,
        command: ['/opt/venv/bin/python', '-m', '_svc_wrapper'],
        workingDir: '/app',
        env: Object.entries(input.variables).map(([name, value]) => ({ name, value })),
        resources: {
          requests: { cpu: millicores(cpu_count * requested_part_of_cpu), memory: String(memory_bytes) },
          limits: { cpu: millicores(cpu_count), memory: String(memory_bytes) },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [
          { name: 'tmp', mountPath: '/tmp' },
          { name: 'secrets', mountPath: '/run/secrets', readOnly: true },
        ],
      },
    ],
    volumes: [
      { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: String(Math.floor(memory_bytes / 2)) } },
      // In memory. The owner of the files is root, so everybody in the pod reads them.
      { name: 'secrets', secret: { secretName: secretOf(input.name), defaultMode: 0o444 } },
    ],
  };
}

/** An agent that asks for an isolation never gets less. */
function runtimeClassOf({ runtime_class, isolating }: Home, { isolation }: DeploymentInput): string | undefined {
  if (isolation === undefined) return runtime_class;
  const found = isolating?.[isolation];
  if (found !== undefined) return found;
  throw new Problem('not_in_effect', { detail: `\`deploy.isolation\`: The target has no isolation ${isolation}.` });
}

const millicores = (cpus: number) => `${Math.max(1, Math.round(cpus * 1000))}m`;

/** Tells the number of replicas, with the time of it. */
export const scaled = (name: string, at: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, annotations: { [scaled_at]: at } },
});

/** The Deployment, as the owner of the objects beside it. */
export interface Owner {
  name: string;
  uid: string;
  revision_id: string;
}

export function secret(
  home: Home,
  owner: Owner,
  { name, values }: { name: string; values: Record<string, string> },
): V1Secret {
  const data = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encoded(value)]));
  return { apiVersion: 'v1', kind: 'Secret', metadata: beside(home, owner, name), type: 'Opaque', data };
}

/** The login with which nodes pull the image. */
export function pullSecret(
  home: Home,
  owner: Owner,
  { host, login }: { host: string; login: { username: string; password: string } },
): V1Secret {
  const config = { auths: { [host]: { ...login, auth: encoded(`${login.username}:${login.password}`) } } };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: beside(home, owner, pullSecretOf(owner.name)),
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': encoded(JSON.stringify(config)) },
  };
}

/** What is recorded of a revision, for the comparison with what is there. Secrets are not in it. */
export interface Described {
  deployment: V1Deployment;
  beside: KubernetesObject[];
}

/** What the objects beside the Deployment are made of. */
export interface Parts {
  /** Undefined: its outgoing connections are not limited. */
  limits?: Limits | undefined;
  /** Undefined: the service sets the number of replicas. */
  scaler?: (ScalerRule & { cpu_count: number }) | undefined;
}

export const partsOf = (
  { resources }: Pick<Revision, 'resources'>,
  { limits, scaler: rule }: { limits: Limits | undefined; scaler: ScalerRule | undefined },
): Parts => ({ limits, scaler: rule && { ...rule, cpu_count: resources.cpu_count } });

/** Made from the description alone. */
export const objectsBeside = (home: Home, owner: Owner, { limits, scaler: rule }: Parts) => [
  serviceAccount(home, owner),
  networkPolicy(home, owner, limits),
  disruptionBudget(home, owner),
  ...(rule === undefined ? [] : [scaler(home, owner, rule)]),
];

export const serviceAccount = (home: Home, owner: Owner): V1ServiceAccount => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: beside(home, owner),
  automountServiceAccountToken: false,
});

/** Nobody calls a replica: it has opened its connections to the door itself. */
export const networkPolicy = (home: Home, owner: Owner, limits?: Limits): V1NetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: beside(home, owner),
  spec: {
    podSelector: { matchLabels: labelsOf(home, owner.revision_id) },
    ...(limits === undefined
      ? { policyTypes: ['Ingress'] }
      : { policyTypes: ['Ingress', 'Egress'], egress: limits.egress }),
  },
});

/** A drained node takes one replica at a time, also the only one. */
export const disruptionBudget = (home: Home, owner: Owner): V1PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: beside(home, owner),
  spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(home, owner.revision_id) } },
});

/** The parts of the limit of a pod that are in use, on average. A percentage would be one of what the pod requests. */
const scaler = (
  home: Home,
  owner: Owner,
  { min, max, target_cpu, cpu_count }: ScalerRule & { cpu_count: number },
): V2HorizontalPodAutoscaler => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: beside(home, owner),
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: owner.name },
    minReplicas: min,
    maxReplicas: max,
    metrics: [
      {
        type: 'ContainerResource',
        containerResource: {
          name: 'cpu',
          container: container_name,
          target: { type: 'AverageValue', averageValue: millicores((cpu_count * target_cpu) / 100) },
        },
      },
    ],
  },
});

function beside(home: Home, owner: Owner, name = owner.name): V1ObjectMeta {
  const reference: V1OwnerReference = { apiVersion: 'apps/v1', kind: 'Deployment', name: owner.name, uid: owner.uid };
  return { name, namespace: home.namespace, labels: labelsOf(home, owner.revision_id), ownerReferences: [reference] };
}

const encoded = (text: string) => Buffer.from(text).toString('base64');
