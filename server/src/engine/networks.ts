import { Problem } from '@gantry/contract/problems.ts';
import { answered, ask, type Engine } from './client.ts';
import { label, labelsFor, mark, ownedBy } from './labels.ts';
import { gatewayOf } from './subnets.ts';

export interface Network {
  id: string;
  name: string;
  /** The host's interface. The firewall rules name it. */
  bridge: string;
  subnet: string;
  gateway: string;
  internal: boolean;
}

export interface NetworkPlan {
  purpose: 'agents' | 'listed' | 'sandbox';
  /** A small subnet, such as 10.213.0.0/24. The engine's default pools have only about thirty networks. */
  subnet: string;
  /** True for a network without access outside the host. */
  internal: boolean;
}

/**
 * Makes the bridge if it is missing. Its containers cannot reach each other (inter-container traffic is off). The host reaches each
 * container by its address. Each container reaches the listeners on the gateway address.
 */
export async function ensureNetwork(engine: Engine, plan: NetworkPlan, signal?: AbortSignal): Promise<Network> {
  const network = plannedNetwork(engine, plan);
  const [existing] = await ask(engine.docker.listNetworks({ filters: ownedBy(engine, plan.purpose) }), {
    seconds: 15,
    signal,
  });
  if (existing !== undefined) {
    const matches =
      existing.Internal === plan.internal && existing.IPAM?.Config?.[0]?.Subnet === plan.subnet && !existing.EnableIPv6;
    if (matches) return { ...network, id: existing.Id };
    await refusedAs(plan, removeNetwork(engine, { ...network, id: existing.Id }, signal));
  }
  try {
    const creating = engine.docker.createNetwork({ ...creation(engine, network, plan) });
    const created = await refusedAs(plan, ask(creating, { seconds: 30, signal }));
    return { ...network, id: created.id };
  } catch (error) {
    // Another process of this installation made the network first.
    if (answered(error, 409)) return ensureNetwork(engine, plan, signal);
    throw error;
  }
}

/** 403: the network is in use with other settings, or another network has its range. */
async function refusedAs<T>({ purpose, subnet }: NetworkPlan, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!answered(error, 403)) throw error;
    const reason = error instanceof Error ? error.message : '';
    const inUse = /active endpoints/.test(reason);
    throw new Problem('engine_unavailable', {
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

function plannedNetwork(engine: Engine, { purpose, subnet, internal }: NetworkPlan): Omit<Network, 'id'> {
  return {
    name: networkName(engine, purpose),
    // The kernel allows 15 characters in the name of an interface.
    bridge: `svc${mark(engine)}${purpose.slice(0, 1)}`,
    subnet,
    gateway: gatewayOf(subnet),
    internal,
  };
}

export function networkName(engine: Engine, purpose: NetworkPlan['purpose']): string {
  return `svc-${purpose}-${mark(engine)}`;
}

export async function hasNetwork(
  engine: Engine,
  purpose: NetworkPlan['purpose'],
  signal?: AbortSignal,
): Promise<boolean> {
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
