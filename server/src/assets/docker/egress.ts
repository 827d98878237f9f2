import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { privateIpv4Ranges } from '../../ground/outbound/private-address.ts';
import type { Firewall } from './firewall.ts';
import type { Network } from './networks.ts';

// The outgoing traffic of a network's containers. The engine closes siblings (inter-container traffic is off) and, on an internal
// network, the outside. It leaves all listeners of the host open, on any address. On an open network it also leaves the private
// ranges and the cloud's metadata open. The firewall closes them, if the service may set it. The report has the actual state.

export interface EgressInput {
  network: Network;
  /** The ports on the gateway address for containers: the proxy, the gateway. */
  host_ports: number[];
}

export interface EgressReport {
  siblings: Hold;
  /** All listeners on this machine, including the API and the database. */
  host: Hold;
  metadata: Hold;
  private_ranges: Hold;
  outside: Hold;
}

export interface Hold {
  closed: boolean;
  /** The mechanism that closes it, or the reason that it is open. */
  by: string;
}

/** Replaces the rules in one step, and reports the resulting state. */
export async function guardEgress(
  firewall: Firewall,
  { network, host_ports }: EgressInput,
  signal?: AbortSignal,
): Promise<EgressReport> {
  try {
    const names = chainNames(network);
    const set = chains(names, { network, host_ports }, await nameservers());
    // Usually every jump exists, and one program is enough.
    const all = jumps(names, network);
    if (!(await firewall.restore([...set, ...all.map(({ rule }) => `-C ${rule}`)], signal)))
      for (const { chain, rule } of all) {
        if (await firewall.restore([...set, `-C ${rule}`], signal)) continue;
        // The jump must precede every other rule.
        if (!(await firewall.restore([...set, `-I ${rule.replace(chain, `${chain} 1`)}`], signal)))
          throw new Error(`there is no chain ${chain}`);
      }
    return report(network, { closed: true, by: 'firewall rules' });
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : 'unknown';
    return report(network, { closed: false, by: `no firewall rules can be set: ${reason}` });
  }
}

/** Removes the rules of a removed network. */
export async function unguardEgress(firewall: Firewall, network: Network, signal?: AbortSignal): Promise<void> {
  const names = chainNames(network);
  for (const { target, rule } of jumps(names, { ...network, internal: false })) {
    // Two services that guard a network at the same moment both insert it.
    while (await firewall.restore([`:${target} - [0:0]`, `-D ${rule}`], signal));
    await firewall.restore([`:${target} - [0:0]`, `-X ${target}`], signal);
  }
}

function report({ internal }: Network, firewall: Hold): EgressReport {
  const isolated: Hold = { closed: true, by: 'internal network' };
  return {
    siblings: { closed: true, by: 'inter-container traffic is off' },
    host: firewall,
    metadata: internal ? isolated : firewall,
    private_ranges: internal ? isolated : firewall,
    outside: internal ? isolated : { closed: false, by: 'open by setting' },
  };
}

interface ChainNames {
  host: string;
  forward: string;
}

// The name of a bridge names the installation, its engine and the purpose of the network.
function chainNames({ bridge }: Network): ChainNames {
  const network = `SVC-${bridge.slice(3, -1)}-${bridge.slice(-1).toUpperCase()}`;
  return { host: `${network}-HOST`, forward: `${network}-OUT` };
}

interface Jump {
  chain: string;
  target: string;
  rule: string;
}

function jumps({ host, forward }: ChainNames, { bridge, internal }: Network): Jump[] {
  const jump = (chain: string, target: string) => ({ chain, target, rule: `${chain} -i ${bridge} -j ${target}` });
  return internal ? [jump('INPUT', host)] : [jump('INPUT', host), jump('DOCKER-USER', forward)];
}

/** The lines of iptables-restore. A chain's line also empties the chain. */
function chains({ host, forward }: ChainNames, { network, host_ports }: EgressInput, resolvers: string[]): string[] {
  const answers = '-m conntrack --ctstate ESTABLISHED,RELATED -j RETURN';
  // The machine's resolvers look up names, and often have a private address.
  const lookups = network.internal
    ? []
    : resolvers.flatMap((address) =>
        ['udp', 'tcp'].map((protocol) => `-d ${address} -p ${protocol} --dport 53 -j RETURN`),
      );
  const toHost = [
    answers,
    ...lookups,
    ...host_ports.map((port) => `-d ${network.gateway} -p tcp --dport ${port} -j RETURN`),
    '-j REJECT',
  ];
  const outwards = [answers, ...lookups, ...privateIpv4Ranges.map((range) => `-d ${range} -j REJECT`), '-j RETURN'];
  const chain = (name: string, lines: string[]) => [`:${name} - [0:0]`, ...lines.map((line) => `-A ${name} ${line}`)];
  return network.internal ? chain(host, toHost) : [...chain(host, toHost), ...chain(forward, outwards)];
}

/** The resolvers that the engine gives to containers. For a stub on loopback, these are the servers behind the stub. */
async function nameservers(): Promise<string[]> {
  const texts = await Promise.all(
    ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  const addresses = texts.flatMap((text) =>
    [...text.matchAll(/^nameserver\s+(\S+)/gm)].map(([, address = '']) => address),
  );
  return [...new Set(addresses)].filter((address) => isIPv4(address) && !address.startsWith('127.'));
}
