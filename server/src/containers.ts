// The installation's parts in the container engine, opened on first use. While the engine is down, the service starts and answers every
// request that needs no container.
import { join } from 'node:path';
import { Problem, problems } from '@gantry/contract/problems.ts';
import { LRUCache } from 'lru-cache';
import type { Config } from './ground/config/config.ts';
import { localTarget } from './agents/deploy/targets/index.ts';
import type { Target } from './agents/deploy/targets/target.ts';
import { memoryDirectory, secretDirectory } from './agents/deploy/targets/docker/secret-directory.ts';
import { engineRunner, side_purpose } from './agents/tools/hosted/engine-runner.ts';
import type { Runner } from './agents/tools/hosted/plugs.ts';
import { findBaseImage } from './assets/docker/base-image.ts';
import { connectEngine, pingEngine, type Engine } from './assets/docker/client.ts';
import { guardEgress, type EgressReport, type Hold } from './assets/docker/egress.ts';
import type { RefusedEgress } from './agents/deploy/targets/open-destination.ts';
import { openFirewall } from './assets/docker/firewall.ts';
import { listedNetwork, type ListedNetworkInput } from './agents/deploy/targets/docker/listed-network.ts';
import { ensureNetwork } from './assets/docker/networks.ts';
import { openPythons, type Pythons } from './assets/workshop/pythons/pythons.ts';
import { openSandboxes, type Sandboxes } from './assets/workshop/sandboxes.ts';
import { firstUse } from './ground/first-use.ts';
import type { Log } from './ground/log.ts';
import { openAddressCheck } from './ground/outbound/outbound.ts';
import { ok, problem, warning, type Check, type Finding } from './service/doctor.ts';

export interface Containers {
  engine: Engine;
  pythons: Pythons;
  local: Target;
  /** Runs hosted MCP servers. */
  runner: Runner;
  checks: Check[];
  close(): Promise<void>;
}

const opening_ms = 300_000;
const guard_every_ms = 15_000;

export interface ContainerEvents {
  onRefusedEgress: (refused: RefusedEgress) => void;
}

export function openContainers(
  config: Config,
  installation_id: string,
  log: Log,
  { onRefusedEgress }: ContainerEvents,
): Containers {
  const engine = connectEngine({ docker_host: config.engine_host, installation_id });
  const firewall = openFirewall();
  const { door, egress_port } = config;
  const service_ports = [door.port, door.second_port];
  const { memory_bytes, disk_bytes, pids, deadline_seconds, ...index } = config.build;
  let opened: Sandboxes | undefined;
  let guarding: NodeJS.Timeout | undefined;
  let closed = false;
  const sandboxes = firstUse(async () => {
    const limits = { memory_bytes, disk_bytes, deadline_seconds, cpus: 2, pids };
    const settings = { ...index, base_image: config.base_image, sandbox_subnet: config.sandbox_subnet, limits };
    const onRefusedHost = (host: string) => log.warn({ host }, 'a build requested a host outside the package index');
    opened = await openSandboxes({
      engine,
      firewall,
      settings,
      onRefusedHost,
      alone: config.database_url === undefined,
      signal: AbortSignal.timeout(opening_ms),
    });
    return opened;
  });
  const pythons = openPythons(sandboxes, {
    base_images: config.base_images,
    published: config.published_pythons,
    obtain: config.build.obtains_pythons,
    opening_ms,
  });
  const isWorker = config.roles.includes('worker');
  const tools = listedNetwork({
    engine,
    firewall,
    purpose: 'tools',
    subnet: config.tools_subnet,
    service_ports: [],
    proxy_port: egress_port,
    ...(isWorker ? { proxy: toolsProxyParts(config, log) } : {}),
  });
  const listed = listedNetwork({
    engine,
    firewall,
    subnet: config.listed_subnet,
    service_ports,
    proxy_port: egress_port,
    ...(isWorker ? { proxy: egressOfAgents(config, log, onRefusedEgress) } : {}),
  });
  const keepListed = async () => {
    await listed.reopen().catch((error: unknown) => log.warn({ err: error }, 'limited agents are not guarded'));
    await tools.reopen().catch((error: unknown) => log.warn({ err: error }, 'hosted MCP servers are not guarded'));
  };
  const local = firstUse(async () => {
    const network = await ensureNetwork(engine, { purpose: 'agents', subnet: config.agents_subnet, internal: false });
    const guard = async () => await guardEgress(firewall, { network, host_ports: service_ports });
    for (const [what, hold] of openWays(await guard())) log.warn({ what, why: hold.by }, 'agents can reach this');
    // A reload of the machine's firewall removes our rules too. One role repeats them, so two processes never set different ones in turn.
    clearInterval(guarding);
    if (!closed && isWorker) {
      guarding = setInterval(() => {
        void guard();
        void keepListed();
      }, guard_every_ms);
      await keepListed();
    }
    const secrets_directory = await secretsDirectory(installation_id);
    return { engine, network, openListed: async () => await listed.open(), guard, secrets_directory };
  });
  const elsewhere: Check[] = [
    { part: 'engine', look: async () => ok('this process has none (DOCKER_HOST=none); a worker elsewhere has one') },
  ];
  const checks: Check[] = [
    {
      part: 'engine',
      look: async (signal) => ok(`container engine ${(await pingEngine(engine, signal)).version} answers`),
    },
    { part: 'agent network', look: async () => describeEgress(await (await local()).guard()) },
    {
      part: 'listed network',
      look: async (signal) =>
        (await listed.reopen(signal))
          ? ok('agents with limited outgoing connections reach only the model gateway and the proxy')
          : ok('no agent with limited outgoing connections was deployed yet'),
    },
    {
      part: 'base image',
      look: async (signal) =>
        ok(`${config.base_image} is ${(await findBaseImage(engine, config.base_image, signal)).pin.slice(7, 19)}`),
    },
  ];
  return {
    engine,
    pythons,
    local: localTarget({ door, egress_port, open: local }),
    runner: engineRunner({
      engine,
      openSecrets: firstUse(async () => secretDirectory(await secretsDirectory(installation_id))),
      openNetwork: async () => {
        const { name, gateway } = await tools.open();
        return { name, proxy_url: `http://${gateway}:${egress_port}` };
      },
      memory_bytes: config.hosted.memory_bytes,
    }),
    checks: config.has_engine
      ? checks.map((check) => ({ ...check, look: withFix(check.look, config.engine_host) }))
      : elsewhere,
    close: async () => {
      closed = true;
      clearInterval(guarding);
      pythons.close();
      await opened?.close();
      await listed.close();
      await tools.close();
      firewall.close();
    },
  };
}

/** What the proxies of limited agents let through. */
export function egressOfAgents(
  { door, outbound_private_hosts }: Config,
  log: Log,
  onRefused: (refused: RefusedEgress) => void,
): NonNullable<ListedNetworkInput['proxy']> {
  return {
    checkAddresses: openAddressCheck({ private_hosts: outbound_private_hosts }),
    service: door.urls.map((url) => hostAndPort(new URL(url))),
    onRefused,
    onClosed: (used) => log.debug(used, 'an agent has used a connection to the outside'),
  };
}

/** They have no way to the service itself. */
function toolsProxyParts({ outbound_private_hosts }: Config, log: Log): NonNullable<ListedNetworkInput['proxy']> {
  const asked = new LRUCache<string, true>({ max: 1000 });
  return {
    purpose: side_purpose,
    list: '`egress` of the config of the MCP server',
    checkAddresses: openAddressCheck({ private_hosts: outbound_private_hosts }),
    onRefused: ({ agent, destination, reason }) => {
      const name = `${agent} ${destination}`;
      if (asked.has(name)) return;
      asked.set(name, true);
      log.warn(
        { server: agent, destination, reason },
        'a hosted MCP server asked for a destination that it may not reach',
      );
    },
    onClosed: (used) => log.debug(used, 'a hosted MCP server has used a connection to the outside'),
  };
}

function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

// Other refusals point to doctor. Doctor itself needs the details.
function withFix(look: Check['look'], engine_host: string): Check['look'] {
  return async (signal) => {
    try {
      return await look(signal);
    } catch (error) {
      if (!(error instanceof Problem) || error.hint !== problems.engine_unavailable.hint) throw error;
      const fix = `Start the engine at ${engine_host} (for example: systemctl start docker), or set DOCKER_HOST to the address of a running engine.`;
      return problem(error.detail, fix);
    }
  };
}

// Agents call their models outside, so the outside is open by design.
function openWays({ outside: _, ...egress }: EgressReport): [string, Hold][] {
  return Object.entries(egress).filter(([, hold]) => !hold.closed);
}

function describeEgress(egress: EgressReport): Omit<Finding, 'part'> {
  const open = openWays(egress);
  if (open.length === 0)
    return ok(
      'agents can reach the outside, but not other agents, this machine, private networks or the metadata address',
    );
  const named = open.map(([what, { by }]) => `${what.replaceAll('_', ' ')} (${by})`).join(', ');
  return warning(
    `agents can reach: ${named}`,
    'Run the service as root with iptables installed, or set such rules yourself.',
  );
}

export async function secretsDirectory(installation_id: string): Promise<string> {
  const memory = await memoryDirectory();
  if (memory === undefined) throw new Error('Neither /run nor /dev/shm is in memory: secrets would reach the disk');
  return join(memory, `gantry-${installation_id}`);
}
