import { Problem } from '@gantry/contract/problems.ts';
import { answered, ask, type Engine } from './client.ts';
import { label, labelsFor, mark, ownedBy } from './labels.ts';

export interface Network {
  id: string;
  name: string;
  /** The host's interface, which firewall rules name. */
  bridge: string;
  subnet: string;
  gateway: string;
  internal: boolean;
}

export interface NetworkPlan {
  purpose: 'agents' | 'sandbox';
  /** A small one of its own, such as 10.213.0.0/24: the engine's pools hold only about thirty networks. */
  subnet: string;
  /** Without a way out of the host. */
  internal: boolean;
}

/**
 * Makes the bridge if it is not there. Containers on it cannot reach each other (inter-container traffic is off); the host
 * reaches each by its address, and each reaches what listens on the gateway address.
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
    // Another process of this installation was first.
    if (answered(error, 409)) return ensureNetwork(engine, plan, signal);
    throw error;
  }
}

/** 403: the network is in use with other settings, or its range is another network's. */
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
        ? 'Stop the agents, or set the settings back.'
        : `Set ${purpose.toUpperCase()}_SUBNET to a range that nothing else uses.`,
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
    name: `svc-${purpose}-${mark(engine)}`,
    // The kernel allows 15 characters for an interface's name.
    bridge: `svc${mark(engine)}${purpose.slice(0, 1)}`,
    subnet,
    gateway: firstAddress(subnet),
    internal,
  };
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
    // The firewall's rules are for IPv4. An engine may be set to give every network IPv6, which would lead past them.
    EnableIPv6: false,
    IPAM: { Driver: 'default', Config: [{ Subnet: subnet, Gateway: gateway }] },
    Options: { 'com.docker.network.bridge.name': bridge, 'com.docker.network.bridge.enable_icc': 'false' },
    Labels: labelsFor(engine, purpose),
  };
}

function firstAddress(subnet: string): string {
  const [address = ''] = subnet.split('/');
  const parts = address.split('.').map(Number);
  parts[3] = (parts[3] ?? 0) + 1;
  return parts.join('.');
}

/** True when the engine's object was made by this installation. */
export function isOwn(engine: Engine, labels: Record<string, string> | undefined): boolean {
  return labels?.[label.installation] === engine.installation_id;
}
