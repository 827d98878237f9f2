// Starts a container for a revision until it answers. A deploy, start, restart and the keeper use it.
import { resourceLimits, type AgentConfig } from '@gantry/project/agent-yaml.ts';
import { egressOf } from '@gantry/project/agent-yaml/egress.ts';
import { scalerRuleOf } from '@gantry/project/agent-yaml/scaling.ts';
import { isModelAccessName } from '@gantry/contract/agents/environment-names.ts';
import type { Reader } from '../../ground/database/database.ts';
import { settings } from '../../people/principals/find.ts';
import { readSecrets } from '../../assets/secrets/delivery.ts';
import { memoryOfAgent } from '../../assets/registry/references/memory-of-agent.ts';
import { doorAddresses } from './serving/door-addresses.ts';
import { isDialled } from './dial-in/dialled.ts';
import { dialFiles } from './dial-in/join-token.ts';
import { proxyFiles } from './limited/proxy-files.ts';
import { readDescription } from './read-description.ts';
import { keptMemory } from './kept-memory-store.ts';
import * as store from './store.ts';
import { ingressSecret } from './serving/ingress-secret.ts';
import { instanceFiles, startVariables } from './instance-environment.ts';
import { instanceName, type NthInstance } from './instance-name.ts';
import type { DeployParts } from './parts.ts';
import { modelAccess, valuesOfRevision } from './revision-key.ts';
import { withRefusedCall } from './status/refused-calls.ts';
import { masked } from './targets/mask.ts';
import { waitUntilReady } from './targets/probe.ts';
import type { Instance, Place, PlaceInput, Target } from './targets/target.ts';

/** By today's setting of the organisation. The fence grows with every attempt. A place of a newer attempt stays unchanged. */
export async function placeInput(
  db: Reader,
  { id, n, revision_id, image, config }: NthInstance & { id: string; image: string; config: AgentConfig },
  fence: number,
): Promise<PlaceInput> {
  const egress = egressOf(await settings(db), config);
  const resources = resourceLimits(config);
  const name = instanceName({ agent: config.name, revision_id, n });
  const variables = startVariables(revision_id);
  const scaler = scalerRuleOf(config);
  const { isolation } = config.deploy ?? {};
  const of = { instance_id: id, revision_id, agent: config.name, name, fence, image, variables, resources };
  return { ...of, egress, scaler, isolation };
}

type StartParts = Pick<
  DeployParts,
  'db' | 'secret_stores' | 'ingress_key' | 'start_deadline_ms' | 'key_maker' | 'dialled' | 'connections'
>;

export interface Raising {
  instance_id: string;
  revision_id: string;
  agent_id: string;
  /** The content of its version. */
  digest: string;
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
  { instance_id, revision_id, agent_id, digest, config, place, key_id, signal }: Raising,
): Promise<Instance & { url: string; ready: object }> {
  const { db, secret_stores, ingress_key, start_deadline_ms } = parts;
  const secrets = await readSecrets({ db, stores: secret_stores }, { agent_id, config });
  const outgoing = await target.outgoing(place);
  const { service_url } = outgoing;
  const access =
    key_id === null || isOutsideGateway(config)
      ? {}
      : {
          ...(await modelAccess({ ...parts, service_url }, key_id, config)),
          ...doorAddresses(service_url, config),
        };
  const hidden = { ...(await valuesOfRevision(parts, { id: revision_id, key_id })), ...secrets };
  const ingress_secret = ingressSecret(ingress_key, revision_id);
  // A deploy asks its agent. A revision that has said no, or that is older than this, goes on as it was.
  const kept = await keptMemory(db, revision_id);
  const keeps_memory = kept === undefined || kept.kept_by_service || kept.needs_run;
  const memory = await memoryOfAgent(db, digest);
  const proxy = proxyFiles(outgoing, { revision_id, ingress_key });
  const files = instanceFiles({ config, ingress_secret, access, secrets, keeps_memory, memory, proxy, hidden });
  const dial = await dialFiles(parts, target, { instance_id, revision_id, config, place, signal });
  await target.start(place, { ...files, ...dial }, signal);
  const waited = waitUntilReady({
    target,
    place,
    secrets: hidden,
    deadline_ms: start_deadline_ms,
    signal,
    dispatcherOf: (url) =>
      isDialled(url)
        ? parts.connections.to({
            instance_id,
            url,
            secret: ingress_secret,
            reach: async () => await target.reach(place, url),
          })
        : undefined,
  });
  const instance = await waited.catch(async (error: unknown) => {
    throw await withRefusedCall(db, { error, key_id, mask: masked(valuesIn(hidden)) });
  });
  if (instance.url === undefined) throw new Error('a ready instance has no address');
  await store.putDescription(db, revision_id, readDescription(instance.ready));
  return { ...instance, url: instance.url };
}

const valuesIn = (hidden: Readonly<Record<string, string | undefined>>) =>
  Object.values(hidden).filter((value) => value !== undefined);

// A version from before there was a gateway can name a provider itself. A push refuses that now; such a version goes on as it is.
export function isOutsideGateway({ deploy }: AgentConfig): boolean {
  return [...Object.keys(deploy?.env_vars ?? {}), ...(deploy?.secrets ?? [])].some(isModelAccessName);
}
