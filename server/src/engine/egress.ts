import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { privateIpv4Ranges } from '../outbound/private-address.ts';
import { mark } from './labels.ts';
import type { Engine } from './client.ts';
import type { Firewall } from './firewall.ts';
import type { Network } from './networks.ts';

// Where containers of a network may go. The engine closes siblings (inter-container traffic is off) and, on an internal network, the
// outside. It leaves open whatever listens on the host, on any address, and on an open network the private ranges and the cloud's
// metadata: that is the firewall's part, where the service may set it. What holds is reported, never assumed.

export interface EgressParts {
  engine: Engine;
  firewall: Firewall;
}

export interface EgressInput {
  network: Network;
  /** Ports on the gateway address that containers are meant to reach: the proxy, the gateway. */
  host_ports: number[];
}

export interface EgressReport {
  siblings: Hold;
  /** Everything that listens on this machine, the API and the database included. */
  host: Hold;
  metadata: Hold;
  private_ranges: Hold;
  outside: Hold;
}

export interface Hold {
  closed: boolean;
  /** What closes it, or why it is open. */
  by: string;
}

/** Sets the rules, replacing those of before in one step, and says what holds from then on. */
export async function guardEgress(
  { engine, firewall }: EgressParts,
  { network, host_ports }: EgressInput,
  signal?: AbortSignal,
): Promise<EgressReport> {
  try {
    const names = chainNames(engine, network);
    const set = chains(names, { network, host_ports }, await nameservers());
    // One program where every jump stands, which is the rule.
    const all = jumps(names, network);
    if (!(await firewall.restore([...set, ...all.map(({ rule }) => `-C ${rule}`)], signal)))
      for (const { chain, rule } of all) {
        if (await firewall.restore([...set, `-C ${rule}`], signal)) continue;
        // Before every other rule.
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

/** Takes the rules away, for a network that is no longer there. */
export async function unguardEgress(
  { engine, firewall }: EgressParts,
  network: Network,
  signal?: AbortSignal,
): Promise<void> {
  const names = chainNames(engine, network);
  for (const { target, rule } of jumps(names, { ...network, internal: false })) {
    await firewall.restore([`:${target} - [0:0]`, `-D ${rule}`], signal);
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

function chainNames(engine: Engine, { bridge }: Network): ChainNames {
  const network = bridge.slice(-1).toUpperCase();
  return { host: `SVC-${mark(engine)}-${network}-HOST`, forward: `SVC-${mark(engine)}-${network}-OUT` };
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

/** In the form of iptables-restore: naming a chain there empties it. */
function chains({ host, forward }: ChainNames, { network, host_ports }: EgressInput, resolvers: string[]): string[] {
  const answers = '-m conntrack --ctstate ESTABLISHED,RELATED -j RETURN';
  // Names are looked up by the machine's resolvers, which often have a private address.
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

/** What the engine hands to containers as resolvers: with a stub on loopback, the servers behind the stub. */
async function nameservers(): Promise<string[]> {
  const texts = await Promise.all(
    ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  const addresses = texts.flatMap((text) =>
    [...text.matchAll(/^nameserver\s+(\S+)/gm)].map(([, address = '']) => address),
  );
  return [...new Set(addresses)].filter((address) => isIPv4(address) && !address.startsWith('127.'));
}
