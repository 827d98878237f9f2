// The requests of one revision, from its description and the settings of the target. Without I/O, so a plan shows what is executed.
import { createHash } from 'node:crypto';
import type { Described } from '../replicas/platform.ts';
import type { AppTemplate } from './app.ts';
import { appSize } from './app-size.ts';
import type { MethodName } from './methods.ts';
import { environmentOf, groupOf, type AzureSettings } from './settings.ts';

export interface Planning {
  settings: AzureSettings;
  installation_id: string;
}

export interface AzureRequest {
  method: MethodName;
  /** The id of the thing, or of what it is in. */
  name: string;
  query?: Readonly<Record<string, string>>;
  body?: object;
}

const container_name = 'agent';
/** Of the app. The wrapper reads all secrets from it, as it does on Cloud Run (docs/decisions/0185), and opens them with the key beside it. */
export const secret_name = 'svc-secrets';
const secrets_variable = 'SVC_SECRETS';
export const key_variable = 'SVC_SECRETS_KEY';

export const tag = {
  installation: 'gantry-installation',
  agent: 'gantry-agent',
  revision: 'gantry-revision',
  /** The name of the description. That of the app may be shorter. */
  name: 'gantry-name',
  fence: 'gantry-fence',
};

/** Container Apps takes 32 characters, and the number of a replica follows: `-r9999`. */
const most_characters = 26;
const hash_characters = 12;

/** The beginning of the names of a revision's replicas. Azure takes no two hyphens in a row. */
export function baseId(name: string): string {
  if (name.length <= most_characters && !name.includes('--')) return name;
  const begin = name.replaceAll(/-+/g, '-').slice(0, most_characters - hash_characters - 1);
  return `${begin.replace(/-$/, '')}-${hash(name, hash_characters)}`;
}

/** The container app of one replica. */
export const replicaId = (name: string, number: number): string => `${baseId(name)}-r${number}`;

/** A replica says its name itself. */
export const numberOf = (name: string, replica: string): number | undefined => {
  const [, number] = /-r([1-9]\d{0,3})$/.exec(replica) ?? [];
  return number !== undefined && replica === replicaId(name, Number(number)) ? Number(number) : undefined;
};

export const appName = (settings: AzureSettings, id: string): string =>
  `${groupOf(settings)}/providers/Microsoft.App/containerApps/${id}`;

/** Without a secret: the record of the service keeps it. */
export function template({ image, variables, resources }: Omit<Described, 'fence'>): AppTemplate {
  const { cpu, memory } = appSize(resources);
  return {
    image,
    cpu,
    memory: `${memory}Gi`,
    env: Object.entries(variables).map(([name, value]) => ({ name, value })),
  };
}

export interface Replica {
  number: number;
  template: AppTemplate;
  fence: number;
  key: string;
  sealed: string;
}

/**
 * One replica is a container app that always has one, because Container Apps does not say which of several it ends. It opens its connections to the
 * door and has no ingress. The identity pulls its image; with `None`, no process in the container can be it.
 */
export function replica(
  { name, ...of }: Pick<Described, 'name' | 'agent' | 'revision_id'>,
  planning: Planning,
  { number, template: { image, cpu, memory, env }, fence, key, sealed }: Replica,
) {
  const { settings } = planning;
  const { identity, location } = settings;
  return {
    method: 'ContainerApps.createOrUpdate',
    name: appName(settings, replicaId(name, number)),
    body: {
      location,
      tags: {
        [tag.installation]: planning.installation_id,
        [tag.agent]: of.agent,
        [tag.revision]: of.revision_id,
        [tag.name]: name,
        [tag.fence]: String(fence),
      } as Record<string, string>,
      identity: { type: 'UserAssigned', userAssignedIdentities: { [identity]: {} } },
      properties: {
        environmentId: environmentOf(settings),
        configuration: {
          activeRevisionsMode: 'Single',
          registries: [{ server: new URL(settings.registry).host, identity }],
          identitySettings: [{ identity, lifecycle: 'None' }],
          secrets: [{ name: secret_name, value: sealed }],
        },
        template: {
          containers: [
            {
              name: container_name,
              image,
              command: ['/opt/venv/bin/python', '-m', '_svc_wrapper'],
              env: [...env, { name: key_variable, value: key }, { name: secrets_variable, secretRef: secret_name }] as (
                | { name: string; value: string }
                | { name: string; secretRef: string }
              )[],
              resources: { cpu, memory },
            },
          ],
          scale: { minReplicas: 1, maxReplicas: 1 },
        },
      },
    },
  } as const satisfies AzureRequest;
}
export type ReplicaRequest = ReturnType<typeof replica>;

const hash = (value: string, length: number) => createHash('sha256').update(value).digest('hex').slice(0, length);
