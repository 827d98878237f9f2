import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import type { NetworkInspectInfo } from 'dockerode';
import { z } from 'zod';
import { answered, ask, type Engine } from './client.ts';
import { label, labelsFor, mark, ownedBy } from './labels.ts';
import { engineMark, gatewayOf, subnetFor } from './subnets.ts';

export interface Network {
  id: string;
  name: string;
  /** The host's interface. The firewall rules name it. */
  bridge: string;
  subnet: string;
  gateway: string;
  internal: boolean;
}

export type NetworkPurpose = 'agents' | 'listed' | 'sandbox' | 'tools';

export interface NetworkPlan {
  purpose: NetworkPurpose;
  /** The one in the settings, if any. A small one, because the engine's default pools have only about thirty networks. */
  subnet: string | undefined;
  /** True for a network without access outside the host. */
  internal: boolean;
}

/**
 * Makes the bridge if it is missing. Its containers cannot reach each other (inter-container traffic is off). The host reaches each
 * container by its address. Each container reaches the listeners on the gateway address. A network of the installation in this engine stays
 * under its name and with its subnet, whatever names an earlier release gave: its containers know its addresses.
 */
export async function ensureNetwork(
  engine: Engine,
  plan: NetworkPlan,
  signal?: AbortSignal,
  choice: number = 0,
): Promise<Network> {
  const [existing] = await ask(engine.docker.listNetworks({ filters: ownedBy(engine, plan.purpose) }), {
    seconds: 15,
    signal,
  });
  if (existing !== undefined) {
    const network = readNetwork(existing);
    const isPlanned = network.internal === plan.internal && network.subnet === (plan.subnet ?? network.subnet);
    if (isPlanned && !existing.EnableIPv6) return network;
    await refusedAs(network, plan, removeNetwork(engine, network, signal));
  }
  const network = await plannedNetwork(engine, plan, choice, signal);
  try {
    const creating = engine.docker.createNetwork({ ...creation(engine, network, plan) });
    const created = await refusedAs(network, plan, ask(creating, { seconds: 30, signal }));
    return { ...network, id: created.id };
  } catch (error) {
    // Another process of this installation made the network first, or is making it: the engine then refuses the range, until it has the name.
    if (answered(error, 409) || (await isMadeMeanwhile(engine, plan, signal)))
      return await ensureNetwork(engine, plan, signal, choice);
    const isOursToChoose = plan.subnet === undefined && error instanceof RangeTaken;
    if (isOursToChoose && choice < further_choices) return await ensureNetwork(engine, plan, signal, choice + 1);
    throw error;
  }
}

/** A machine on which this many ranges by chance are taken has networks of its own all over 10.192.0.0/10. The settings then name the range. */
const further_choices = 4;

/** Another network has the range. */
class RangeTaken extends Problem {}

async function isMadeMeanwhile(engine: Engine, { purpose }: NetworkPlan, signal?: AbortSignal): Promise<boolean> {
  for (let look = 0; look < 5; look++) {
    const found = await ask(engine.docker.listNetworks({ filters: ownedBy(engine, purpose) }), { seconds: 15, signal });
    if (found.length > 0) return true;
    await sleep(200, undefined, signal === undefined ? {} : { signal });
  }
  return false;
}

/** 403: the network is in use with other settings, or another network has its range. */
async function refusedAs<T>(
  { subnet }: Pick<Network, 'subnet'>,
  { purpose }: NetworkPlan,
  call: Promise<T>,
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!answered(error, 403)) throw error;
    const reason = error instanceof Error ? error.message : '';
    const inUse = /active endpoints/.test(reason);
    throw new (inUse ? Problem : RangeTaken)('engine_unavailable', {
      detail: inUse
        ? `The ${purpose} network is in use with other settings`
        : `The engine cannot make the ${purpose} network ${subnet}: ${reason.replace(/^\(HTTP code 403\)[^-]*- /, '').trim()}`,
      hint: inUse
        ? 'Stop the agents, or restore the settings.'
        : `Set ${purpose.toUpperCase()}_SUBNET to an unused range.`,
    });
  }
}

export async function removeNetwork(engine: Engine, network: Network, signal?: AbortSignal): Promise<void> {
  try {
    await ask(engine.docker.getNetwork(network.id).remove(), { seconds: 15, signal });
  } catch (error) {
    if (!answered(error, 404)) throw error;
  }
}

export function readNetwork({ Id, Name, Internal, Options, IPAM }: NetworkInspectInfo): Network {
  const subnet = IPAM?.Config?.[0]?.Subnet ?? '';
  const bridge = Options?.['com.docker.network.bridge.name'] ?? '';
  return { id: Id, name: Name, bridge, subnet, gateway: gatewayOf(subnet), internal: Internal };
}

async function plannedNetwork(
  engine: Engine,
  { purpose, subnet: given, internal }: NetworkPlan,
  choice: number,
  signal?: AbortSignal,
): Promise<Omit<Network, 'id'>> {
  const of = { installation_id: engine.installation_id, engine_id: await engineId(engine, signal) };
  const subnet = given ?? subnetFor(purpose, of, choice);
  const own = `${mark(engine)}${engineMark(of)}`;
  return {
    name: `svc-${purpose}-${own}`,
    bridge: bridgeName(own, purpose),
    subnet,
    gateway: gatewayOf(subnet),
    internal,
  };
}

/** Older engines of one machine have the same id, from a file that they share. No two have the same directory. */
async function engineId({ docker }: Engine, signal?: AbortSignal): Promise<string> {
  const info: unknown = await ask(docker.info(), { seconds: 15, signal });
  const { ID, DockerRootDir } = engineInfo.parse(info);
  return `${ID} ${DockerRootDir}`;
}

const engineInfo = z.object({ ID: z.string(), DockerRootDir: z.string() });

const bridgeName = (own: string, purpose: NetworkPurpose) => `svc${own}${purpose.slice(0, 1)}`;

export async function hasNetwork(engine: Engine, purpose: NetworkPurpose, signal?: AbortSignal): Promise<boolean> {
  const found = await ask(engine.docker.listNetworks({ filters: ownedBy(engine, purpose) }), { seconds: 15, signal });
  return found.length > 0;
}

function creation(
  engine: Engine,
  { name, bridge, subnet, gateway }: Omit<Network, 'id'>,
  { purpose, internal }: NetworkPlan,
) {
  return {
    Name: name,
    Driver: 'bridge',
    CheckDuplicate: true,
    Internal: internal,
    // The firewall's rules are for IPv4. An engine may give every network IPv6 by default, which would bypass the rules.
    EnableIPv6: false,
    IPAM: { Driver: 'default', Config: [{ Subnet: subnet, Gateway: gateway }] },
    Options: { 'com.docker.network.bridge.name': bridge, 'com.docker.network.bridge.enable_icc': 'false' },
    Labels: labelsFor(engine, purpose),
  };
}

/** True when this installation made the engine's object. */
export function isOwn(engine: Engine, labels: Record<string, string> | undefined): boolean {
  return labels?.[label.installation] === engine.installation_id;
}
