// The client of a connection. The socket's peer counts; a header counts only when that peer is a trusted proxy.
import { BlockList, isIP } from 'node:net';
import type { Origin } from '../../access/caller.ts';
import type { RequestHeaders } from './request-headers.ts';

const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

interface Peer {
  /** The client's address. */
  ip: string | null;
  /** The client used https, as a trusted proxy says. The service itself has no TLS. */
  is_https: boolean;
}

export type ReadPeer = (socket_address: string | undefined, headers: RequestHeaders) => Peer;

/** `trusted` holds addresses and networks in CIDR form. */
export function peerReader(trusted: readonly string[]): ReadPeer {
  const proxies = blockList(trusted);
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return (socket_address, headers) => {
    const peer = socket_address === undefined ? null : plain(socket_address);
    if (peer === null || !isTrusted(peer)) return { ip: peer, is_https: false };
    const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => plain(hop.trim()));
    // From the right: the first hop that is not a trusted proxy is the client. Anyone can forge the hops to its left.
    const ip = hops.findLast((hop) => isIP(hop) !== 0 && !isTrusted(hop)) ?? peer;
    return { ip, is_https: headers.get('x-forwarded-proto') === 'https' };
  };
}

// A foreign name can be made to resolve to this machine (DNS rebinding): then the page of that name speaks from this machine too.
const loopback_host = /^(?:(?:[\w-]+\.){0,8}localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** From this machine by a name of this machine, and not through a proxy. */
export function isFromLoopback(headers: RequestHeaders, origin: Origin): boolean {
  const direct = forwarding.every((name) => !headers.has(name)) && loopback_host.test(headers.get('host') ?? '');
  return direct && origin.ip !== null && (origin.ip === '::1' || origin.ip.startsWith('127.'));
}

/** The addresses that one client can use: an IPv4 address, or the /64 of an IPv6 one. */
export function networkOf(ip: string | null): string | null {
  if (ip === null || isIP(ip) !== 6) return ip;
  const [head = '', tail] = ip.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? [] : Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  const groups = [...front, ...gap, ...back].slice(0, 4).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
  return `${groups.join(':')}::/64`;
}

// An IPv4 peer of a dual-stack socket shows as ::ffff:10.0.0.1.
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0) throw new Error(`TRUSTED_PROXIES: ${network} is not an address or a network`);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
