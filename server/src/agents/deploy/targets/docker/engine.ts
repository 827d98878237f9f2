// The container engine of another machine. Images reach it through a registry. The service is root on that machine, as far as the engine lets it.
import type { EngineConfig } from '@gantry/project/asset-config/target.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import type { NamedTarget } from '../../../../assets/targets/find-targets.ts';
import { ask, connectEngine, pingEngine, type Engine } from '../../../../assets/docker/client.ts';
import { ensureNetwork } from '../../../../assets/docker/networks.ts';
import type { Registry } from '../../../../assets/images/registry-client.ts';
import { firstUse } from '../../../../ground/first-use.ts';
import type { KindOfTarget } from '../index.ts';
import type { Target } from '../target.ts';
import { notLimited } from '../not-limited.ts';
import { dialsIn } from '../dials-in.ts';
import { deliverTo, registryOf, testRegistry, type DeliveryParts } from '../registry.ts';
import { tried } from '../tried.ts';
import { dockerTarget } from './docker-target.ts';
import { secretVolume } from './secret-volume.ts';

const pull_seconds = 1800;

/** Without I/O. */
function connectTo({ name, config, credential }: NamedTarget, installation_id: string): Engine {
  const { address: docker_host, ca, host_fingerprint } = config as EngineConfig; // of this kind, as it was checked when it was stored
  const { certificate: cert, key } = credential ?? {};
  if (host_fingerprint !== undefined) {
    if (key === undefined) throw noCredential(name, 'private key', '--key key');
    return connectEngine({ docker_host, installation_id, ssh: { fingerprint: host_fingerprint, private_key: key } });
  }
  if (cert === undefined || key === undefined)
    throw noCredential(name, 'client certificate', '--certificate cert.pem --key key.pem');
  return connectEngine({ docker_host, installation_id, tls: { ca, cert, key } });
}

const noCredential = (name: string, what: string, flags: string) =>
  new Problem('engine_unavailable', {
    detail: `The target has no ${what} yet.`,
    hint: `A platform admin sets it: svc target credential ${name} ${flags}`,
  });

export const engineKind = (parts: DeliveryParts): KindOfTarget => ({
  open: (named) => engineTarget(named, parts),
  test: async (named, signal) => await testEngine(named, parts, signal),
});

function engineTarget(named: NamedTarget, { builds, outbound }: DeliveryParts): Target {
  const { service_url, service_ca: ca } = named.config as EngineConfig; // as above
  const registry = registryOf(named, outbound);
  const open = firstUse(async () => {
    const engine = connectTo(named, builds.installation_id);
    const network = await ensureNetwork(engine, { purpose: 'agents', subnet: undefined, internal: false });
    return { engine, network, openListed: refuseLimits, secrets: secretVolume(engine) };
  });
  // Nothing leads from this machine to a container there.
  const target = dockerTarget({
    open,
    deliver: async (image, signal) => {
      const { engine } = await open();
      const name = await deliverTo(registry, { engine: builds, id: image }, signal);
      await pull(engine, { name, credential: registry.credential, signal });
      return name;
    },
    outgoing: () => ({ service_url: service_url.replace(/\/$/, ''), ...(ca === undefined ? {} : { ca }) }),
  });
  return { ...dialsIn(target), limits_egress: false };
}

async function testEngine(
  named: NamedTarget,
  { builds, outbound }: DeliveryParts,
  signal: AbortSignal,
): Promise<TargetFinding[]> {
  const engine = tried('engine', async () => {
    const { version, api_version } = await pingEngine(connectTo(named, builds.installation_id), signal);
    return `Docker ${version} answers, with API ${api_version}`;
  });
  const registry = testRegistry(registryOf(named, outbound), signal);
  const limits = {
    part: 'outgoing connections',
    works: true,
    message:
      'cannot be limited here: agents reach what their machine reaches, so agents with limits are refused. Close its firewall yourself',
  };
  return [await engine, await registry, limits];
}

// The rules of the firewall and the proxy are on the machine of the service. Nothing proves them on another one.
async function refuseLimits(): Promise<never> {
  return await Promise.reject(notLimited());
}

interface Pulled {
  name: string;
  credential: Registry['credential'];
  signal: AbortSignal;
}

/** By the digest of its manifest, which the engine proves. Throws `start_failed` with the engine's reason. */
async function pull({ docker }: Engine, { name, credential, signal }: Pulled): Promise<void> {
  const stream = await ask(docker.pull(name, credential === undefined ? {} : { authconfig: { ...credential } }), {
    signal,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  docker.modem.followProgress(stream, (error) => (error === null ? resolve() : reject(error)));
  try {
    await ask(promise, { seconds: pull_seconds, signal });
  } catch (error) {
    if (signal.aborted || error instanceof Problem || !(error instanceof Error)) throw error;
    throw new Problem('start_failed', { detail: `The engine of the target cannot pull ${name}: ${error.message}` });
  }
}
