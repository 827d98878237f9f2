import { BlockList, isIP } from 'node:net';

/**
 * IPv4 addresses outside the public internet: IANA's IPv4 Special-Purpose Address Registry, where "globally reachable" is not true, and
 * multicast. The firewall of the agents' network closes the same ranges. The few reachable addresses of 192.0.0.0/24 serve protocols and
 * are no receivers, so all of it is closed. The three ranges for documentation are left out. No machine, network or cloud has its own
 * addresses there, and closed networks use them for public hosts.
 */
export const privateIpv4Ranges = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // shared by a provider's customers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, with the clouds' metadata
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // protocol assignments
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private use
  '198.18.0.0/15', // benchmarking
  '224.0.0.0/3', // multicast, reserved, broadcast
] as const;

// IANA assigns only 2000::/3 of IPv6. Outside are loopback, link-local, unique local, site-local, multicast, discarded and segment routing.
// Also outside are addresses that a gateway maps to IPv4: ::/96, SIIT's ::ffff:0:0:0/96, NAT64's 64:ff9b::/96.
const publicIpv6 = '2000::/3';
const privateIpv6Ranges = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID, relays
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 with an IPv4 address
  '3fff::/20', // documentation
];
const mappedIpv6 = '::ffff:0:0/96';

const privateRanges = blockList([...privateIpv4Ranges, ...privateIpv6Ranges]);
const publicOrMapped = blockList([publicIpv6, mappedIpv6]);

/** Addresses of this machine, its networks or its cloud's metadata. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export function isPrivate(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  // A list matches a mapped address against its IPv4 ranges.
  return privateRanges.check(address, family) || (family === 'ipv6' && !publicOrMapped.check(address, family));
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
