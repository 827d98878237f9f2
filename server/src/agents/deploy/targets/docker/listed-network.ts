// The network of agents with limited outgoing connections, and that of hosted MCP servers. The engine isolates it, so without any rule the outside is closed. The firewall
// closes this machine's other listeners, and the proxy is the only way out. Without the rules no container starts there. The workers that
// share an engine listen together at the proxy's port. So the others serve the next connection of a container when one of them ends.
import { Problem } from '@gantry/contract/problems.ts';
import { firstUse } from '../../../../ground/first-use.ts';
import type { Engine } from '../../../../assets/docker/client.ts';
import { startEgressProxy, type EgressProxyInput } from './egress-proxy.ts';
import { guardEgress } from '../../../../assets/docker/egress.ts';
import type { Firewall } from '../../../../assets/docker/firewall.ts';
import type { ForwardProxy } from '../../../../assets/docker/forward-proxy.ts';
import { ensureNetwork, hasNetwork, type Network, type NetworkPurpose } from '../../../../assets/docker/networks.ts';

export interface ListedNetwork {
  /** Makes the network if it is missing, and sets its rules. Throws `egress_not_enforced`. */
  open(): Promise<Network>;
  /** The same for a network that exists. False when there is none yet. */
  reopen(signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

export interface ListedNetworkInput {
  engine: Engine;
  firewall: Firewall;
  /** Default: `listed`, the network of agents. */
  purpose?: NetworkPurpose;
  subnet: string | undefined;
  /** The ports of this machine on the gateway address of the network. */
  service_ports: readonly number[];
  proxy_port: number;
  /** Absent in a process that leaves the proxy to another one. */
  proxy?: Pick<EgressProxyInput, 'purpose' | 'list' | 'checkAddresses' | 'service' | 'onRefused' | 'onClosed'>;
}

export function listedNetwork({
  engine,
  firewall,
  purpose = 'listed',
  subnet,
  service_ports,
  proxy_port,
  proxy,
}: ListedNetworkInput): ListedNetwork {
  const made = firstUse(async () => await ensureNetwork(engine, { purpose, subnet, internal: true }));
  let serving: ForwardProxy | undefined;
  let closed = false;
  const serve = firstUse(async () => {
    if (proxy === undefined || closed) return;
    serving = await startEgressProxy({ engine, network: await made(), port: proxy_port, ...proxy });
    if (closed) await serving.close();
  });

  const open = async (): Promise<Network> => {
    const network = await made();
    const { host } = await guardEgress(firewall, { network, host_ports: [...service_ports, proxy_port] });
    if (!host.closed)
      throw new Problem('egress_not_enforced', {
        detail: `Other programs on this machine would be open to its container: ${host.by}`,
      });
    await serve();
    return network;
  };
  return {
    open,
    reopen: async (signal) => {
      if (!(await hasNetwork(engine, purpose, signal))) return false;
      await open();
      return true;
    },
    close: async () => {
      closed = true;
      await serving?.close();
    },
  };
}
