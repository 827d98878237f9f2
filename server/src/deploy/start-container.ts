// Starts a container for a revision until it answers. A deploy, start, restart and the keeper use it.
import { resourceLimits, type AgentConfig } from '@gantry/contract/agent-yaml.ts';
import { egressOf } from '@gantry/contract/agent-yaml/egress.ts';
import { isTraced } from '@gantry/contract/agent-yaml/tracing.ts';
import { isModelAccessName } from '@gantry/contract/agent-yaml/environment-names.ts';
import type { Reader } from '../database/database.ts';
import { settings } from '../principals/find.ts';
import { readSecrets } from '../secrets/delivery.ts';
import { proxyVariables } from './egress.ts';
import { subagentAddresses } from './subagents.ts';
import { readDescription } from './read-description.ts';
import * as store from './store.ts';
import { ingressSecret } from './ingress-secret.ts';
import { instanceName, type NthInstance } from './instance-name.ts';
import type { DeployParts } from './parts.ts';
import { modelAccess, valuesOfRevision } from './revision-key.ts';
import { withRefusedCall } from './refused-calls.ts';
import { masked } from './targets/mask.ts';
import { waitUntilReady } from './targets/probe.ts';
import type { Instance, Place, PlaceInput, SecretFiles, Target } from './targets/target.ts';

/** By today's setting of the organisation. The fence grows with every attempt. A place of a newer attempt stays unchanged. */
export async function placeInput(
  db: Reader,
  { id, n, revision_id, image, config }: NthInstance & { id: string; image: string; config: AgentConfig },
  fence: number,
): Promise<PlaceInput> {
  const egress = egressOf(await settings(db), config);
  const resources = resourceLimits(config);
  const name = instanceName({ agent: config.name, revision_id, n });
  return { instance_id: id, revision_id, agent: config.name, name, fence, image, resources, egress };
}

type StartParts = Pick<DeployParts, 'db' | 'secret_stores' | 'ingress_key' | 'start_deadline_ms' | 'key_maker'>;

export interface Raising {
  revision_id: string;
  agent_id: string;
  config: AgentConfig;
  place: Place;
  key_id: string | null;
  signal: AbortSignal;
}

/**
 * Starts the place with today's secrets and waits until the agent is ready. Throws `secret_missing`, `start_failed`,
 * `health_check_failed` or `out_of_memory`.
 */
export async function startContainer(
  parts: StartParts,
  target: Target,
  { revision_id, agent_id, config, place, key_id, signal }: Raising,
): Promise<Instance & { url: string; ready: object }> {
  const { db, secret_stores, ingress_key, start_deadline_ms } = parts;
  const secrets = await readSecrets({ db, stores: secret_stores }, { agent_id, config });
  const { gateway_url, subagents_url, proxy_url } = await target.outgoing(place);
  const access =
    key_id === null || isOutsideGateway(config)
      ? {}
      : {
          ...(await modelAccess({ ...parts, gateway_url }, key_id, config)),
          ...subagentAddresses(subagents_url, config),
        };
  // Last, because a limited container reaches the outside in no other way.
  const proxy = proxy_url === undefined ? {} : proxyVariables(proxy_url);
  const files = { ...access, ...variables(ingress_key, revision_id, config), ...secrets, ...proxy };
  const hidden = { ...(await valuesOfRevision(parts, { id: revision_id, key_id })), ...secrets };
  await target.start(place, { ...files, SVC_SECRET_NAMES: namesOf(hidden, files) }, signal);
  const waited = waitUntilReady({ target, place, secrets: hidden, deadline_ms: start_deadline_ms, signal });
  const instance = await waited.catch(async (error: unknown) => {
    throw await withRefusedCall(db, { error, key_id, mask: masked(valuesIn(hidden)) });
  });
  if (instance.url === undefined) throw new Error('a ready instance has no address');
  await store.putDescription(db, revision_id, readDescription(instance.ready));
  return { ...instance, url: instance.url };
}

const valuesIn = (hidden: Readonly<Record<string, string | undefined>>) =>
  Object.values(hidden).filter((value) => value !== undefined);

/** The wrapper masks these values in errors. The other files are no secrets, such as the name of the agent. */
function namesOf(hidden: Readonly<Record<string, string | undefined>>, files: SecretFiles): string {
  const values = new Set(Object.values(hidden));
  return Object.entries(files)
    .filter(([, value]) => values.has(value))
    .map(([name]) => name)
    .join(' ');
}

// A version from before there was a gateway can name a provider itself. A push refuses that now; such a version goes on as it is.
function isOutsideGateway({ deploy }: AgentConfig): boolean {
  return [...Object.keys(deploy?.env_vars ?? {}), ...(deploy?.secrets ?? [])].some(isModelAccessName);
}

// All variables of the wrapper's environment except secrets. The engine's records have none of them.
function variables(ingress_key: Buffer, revision_id: string, config: AgentConfig): SecretFiles {
  return {
    ...config.deploy?.env_vars,
    SVC_FRAMEWORK: config.framework,
    SVC_AGENT_NAME: config.name,
    SVC_AGENT_VERSION: config.version,
    SVC_MEMORY_BYTES: String(resourceLimits(config).memory_bytes),
    ...(config.deploy?.concurrency === undefined ? {} : { SVC_MAX_CONCURRENCY: String(config.deploy.concurrency) }),
    ...(isTraced(config) ? {} : { SVC_TRACES: 'off' }),
    SVC_INGRESS_SECRET: ingressSecret(ingress_key, revision_id),
  };
}
