// The requests of one revision, from its description and the settings of the target. Without I/O, so a plan shows what is executed.
import { createHash } from 'node:crypto';
import { label } from '../../../../assets/docker/labels.ts';
import type { Described } from '../replicas/platform.ts';
import type { MethodName } from './methods.ts';
import { runSize } from './run-size.ts';
import { placeOf, type CloudRunSettings } from './settings.ts';
import type { PoolTemplate } from './pool.ts';

export interface Planning {
  settings: CloudRunSettings;
  installation_id: string;
}

export interface GoogleRequest {
  method: MethodName;
  /** Of the thing, or of what it is in. */
  name: string;
  query?: Readonly<Record<string, string>>;
  body?: object;
}

const container_name = 'agent';
/** The wrapper reads all secrets from it, as it reads the files elsewhere (docs/decisions/0173), and opens them with the key beside it. */
const secrets_variable = 'SVC_SECRETS';
export const key_variable = 'SVC_SECRETS_KEY';

export const annotation = {
  /** The name of the description. That of the pool may be shorter. */
  name: 'gantry.name',
  fence: label.fence,
  digest: 'gantry.description',
} as const;
/** Google's labels have no dots. */
export const pool_label = { installation: 'gantry-installation', revision: 'gantry-revision', agent: 'gantry-agent' };

/** Cloud Run takes 49 characters, and the number of a replica follows. */
const most_characters = 42;

/** The worker pool that describes a revision. It has no replica. */
export const poolId = (name: string): string =>
  name.length <= most_characters ? name : `${name.slice(0, most_characters - 13)}-${hash([name], 12)}`;

/** The worker pool of one replica. No description ends with such a number. */
export const replicaId = (name: string, number: number): string => `${poolId(name)}-r${number}`;

/** A replica says its name itself. */
export const numberOf = (name: string, replica: string): number | undefined => {
  const [, number] = /-r([1-9]\d{0,3})$/.exec(replica) ?? [];
  return number !== undefined && replica === replicaId(name, Number(number)) ? Number(number) : undefined;
};

export const poolName = (settings: CloudRunSettings, id: string): string => `${placeOf(settings)}/workerPools/${id}`;

/** The service account of replicas may read those with this beginning. */
export const secretPrefix = ({ installation_id }: Pick<Planning, 'installation_id'>): string =>
  `gantry-${installation_id}-`;
const secretId = (name: string, planning: Planning) => `${secretPrefix(planning)}${poolId(name)}`;
export const secretName = (name: string, planning: Planning): string =>
  `projects/${planning.settings.project}/secrets/${secretId(name, planning)}`;

/** In the region of the target alone. Its values follow. */
export function secret(described: Pick<Described, 'name' | 'agent' | 'revision_id'>, planning: Planning) {
  const { project, region } = planning.settings;
  return {
    method: 'secretmanager.projects.secrets.create',
    name: `projects/${project}`,
    query: { secretId: secretId(described.name, planning) },
    body: {
      replication: { userManaged: { replicas: [{ location: region }] } },
      labels: labels(described, planning),
    },
  } as const satisfies GoogleRequest;
}

export function secretVersion(name: string, planning: Planning, sealed: string) {
  return {
    method: 'secretmanager.projects.secrets.addVersion',
    name: secretName(name, planning),
    body: { payload: { data: Buffer.from(sealed).toString('base64') } },
  } as const satisfies GoogleRequest;
}

/**
 * All that a replica starts with, except the values of its secrets. A replica opens its connections to the door and listens on no port, as every
 * container of a worker pool does. `latest`: a replica that starts gets the values of today.
 */
export function template(
  { name, image, variables, resources, ...described }: Omit<Described, 'fence'>,
  planning: Planning,
  { key }: { key: string },
): PoolTemplate {
  const { cpu, memory } = runSize(resources);
  return {
    labels: labels(described, planning),
    serviceAccount: planning.settings.service_account,
    containers: [
      {
        name: container_name,
        image,
        command: ['/opt/venv/bin/python', '-m', '_svc_wrapper'],
        workingDir: '/app',
        env: [
          ...Object.entries(variables).map(([variable, value]) => ({ name: variable, value })),
          { name: key_variable, value: key },
          {
            name: secrets_variable,
            valueSource: { secretKeyRef: { secret: secretId(name, planning), version: 'latest' } },
          },
        ],
        resources: { limits: { cpu: String(cpu), memory: `${memory}Mi` } },
      },
    ],
  };
}

/** Describes the revision, and runs nothing. */
export function description(
  { name, fence, ...described }: Pick<Described, 'name' | 'fence' | 'agent' | 'revision_id'>,
  planning: Planning,
  { template: described_template }: { template: PoolTemplate },
) {
  return {
    method: 'run.projects.locations.workerPools.create',
    name: placeOf(planning.settings),
    query: { workerPoolId: poolId(name) },
    body: {
      labels: labels(described, planning),
      annotations: {
        [annotation.name]: name,
        [annotation.fence]: String(fence),
        [annotation.digest]: digestOf(described_template),
      },
      scaling: { manualInstanceCount: 0 },
      template: described_template,
    },
  } as const satisfies GoogleRequest;
}

/** Another description of the same revision. Replicas that start from now on follow it. */
export function redescription(
  described: Pick<Described, 'name' | 'fence' | 'agent' | 'revision_id'>,
  planning: Planning,
  { template: described_template, etag }: { template: PoolTemplate; etag: string },
) {
  const { annotations } = description(described, planning, { template: described_template }).body;
  return {
    method: 'run.projects.locations.workerPools.patch',
    name: poolName(planning.settings, poolId(described.name)),
    query: { updateMask: 'annotations,template' },
    body: { etag, annotations, template: described_template },
  } as const satisfies GoogleRequest;
}

/** One replica is a worker pool with one instance, because Cloud Run does not say which of several it ends. */
export function replica(
  name: string,
  planning: Planning,
  { number, template: described_template }: { number: number; template: PoolTemplate },
) {
  return {
    method: 'run.projects.locations.workerPools.create',
    name: placeOf(planning.settings),
    query: { workerPoolId: replicaId(name, number) },
    body: {
      labels: described_template.labels,
      annotations: { [annotation.name]: name },
      scaling: { manualInstanceCount: 1 },
      template: described_template,
    },
  } as const satisfies GoogleRequest;
}

/** Of all that a repeated description could change. */
export const digestOf = (described: PoolTemplate): string => hash([described], 63);

const labels = (
  { agent, revision_id }: Pick<Described, 'agent' | 'revision_id'>,
  { installation_id }: Planning,
): Record<string, string> => ({
  [pool_label.installation]: installation_id,
  [pool_label.agent]: agent,
  [pool_label.revision]: revision_id,
});

const hash = (value: readonly unknown[], length: number) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, length);
