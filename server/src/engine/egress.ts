import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { promisify } from 'node:util';
import { privateIpv4Ranges } from '../outbound/private-address.ts';
import { mark } from './labels.ts';
import type { Engine } from './client.ts';
import type { Network } from './networks.ts';

// Where containers of a network may go. The engine closes siblings (inter-container traffic is off) and, on an internal network, the
// outside. It leaves open whatever listens on the host, on any address, and on an open network the private ranges and the cloud's
// metadata: that is the firewall's part, where the service may set it. What holds is reported, never assumed.

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
  engine: Engine,
  { network, host_ports }: EgressInput,
  signal?: AbortSignal,
): Promise<EgressReport> {
  const names = chainNames(engine, network);
  try {
    await iptables(
      'iptables-restore',
      ['--noflush', '--wait', '5'],
      signal,
      rules(names, { network, host_ports }, await nameservers()),
    );
    await jump('INPUT', network, names.host, signal);
    if (!network.internal) await jump('DOCKER-USER', network, names.forward, signal);
    return report(network, { closed: true, by: 'firewall rules' });
  } catch (error) {
    signal?.throwIfAborted();
    return report(network, { closed: false, by: `no firewall rules can be set: ${reasonOf(error)}` });
  }
}

/** Takes the rules away, for a network that is no longer there. */
export async function unguardEgress(engine: Engine, network: Network, signal?: AbortSignal): Promise<void> {
  const names = chainNames(engine, network);
  for (const [chain, target] of [
    ['INPUT', names.host],
    ['DOCKER-USER', names.forward],
  ] as const) {
    // First, because a question about a jump to a chain that is not there is an error and no answer.
    if (!(await exists(['-L', target, '-n'], signal))) continue;
    if (await exists(['-C', chain, '-i', network.bridge, '-j', target], signal))
      await iptables('iptables', ['-w', '5', '-D', chain, '-i', network.bridge, '-j', target], signal);
    await iptables('iptables', ['-w', '5', '-F', target], signal);
    await iptables('iptables', ['-w', '5', '-X', target], signal);
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

/** In the form of iptables-restore: naming a chain there empties it, and all of it takes effect at once. */
function rules({ host, forward }: ChainNames, { network, host_ports }: EgressInput, resolvers: string[]): string {
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
  const chains = network.internal ? chain(host, toHost) : [...chain(host, toHost), ...chain(forward, outwards)];
  return ['*filter', ...chains, 'COMMIT', ''].join('\n');
}

/** Puts our chain before every other rule, once. */
async function jump(chain: string, { bridge }: Network, target: string, signal?: AbortSignal): Promise<void> {
  const rule = ['-i', bridge, '-j', target];
  if (!(await exists(['-C', chain, ...rule], signal)))
    await iptables('iptables', ['-w', '5', '-I', chain, '1', ...rule], signal);
}

async function exists(question: string[], signal?: AbortSignal): Promise<boolean> {
  try {
    await iptables('iptables', ['-w', '5', ...question], signal);
    return true;
  } catch (error) {
    // Anything but "there is no such rule or chain", such as a missing permission, is not an answer.
    if (error instanceof Error && 'code' in error && (error.code === 1 || /does not exist/.test(error.message)))
      return false;
    throw error;
  }
}

async function iptables(
  program: 'iptables' | 'iptables-restore',
  options: string[],
  signal: AbortSignal | undefined,
  input = '',
): Promise<void> {
  const running = promisify(execFile)(program, options, { timeout: 15_000, signal });
  // A program that ends before it read everything says why by its exit code.
  running.child.stdin?.on('error', () => {}).end(input);
  await running;
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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && error.code === 'ENOENT') return 'iptables is not installed';
  return 'stderr' in error && typeof error.stderr === 'string' && error.stderr !== ''
    ? (error.stderr.trim().split('\n')[0] ?? '')
    : error.message;
}
