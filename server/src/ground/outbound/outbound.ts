// Connections to addresses from users. Promise: a connection goes only to a checked address, because the check is part of connecting. A
// name that changes its address after the check gains nothing. Must never happen: a followed redirect, or a request to this machine, its
// networks or its cloud's metadata. An operator can list hosts as exceptions.
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { isPrivate } from './private-address.ts';

/** A refused address; the message gives its author the reason. */
export class DestinationRefused extends Error {}

export interface Outbound {
  /** The checks without a resolver: scheme, credentials, a literal address. Throws DestinationRefused. */
  read(address: string): URL;
  /** `read`, and every present address of the name. A name without an address is accepted: it may get one. */
  check(address: string): Promise<URL>;
  /** Redirects are plain answers. The caller limits the time by the signal, and the size of the body. */
  request(address: string, options: RequestOptions): Promise<Dispatcher.ResponseData>;
  /** The request failed before a connection existed, so nothing was sent. */
  isUnsent(error: unknown): boolean;
  close(): Promise<void>;
}

type RequestOptions = Pick<
  Dispatcher.RequestOptions,
  'method' | 'headers' | 'body' | 'headersTimeout' | 'bodyTimeout'
> & {
  signal: AbortSignal;
};

export interface OutboundSettings {
  /** `host` or `host:port`, where an operator allows a private address. */
  private_hosts: readonly string[];
  resolve?: (host: string) => Promise<Address[]>;
}

interface Address {
  address: string;
  family: number;
}

const connect_ms = 10_000;

/** The addresses that a connection to this host may use. Throws DestinationRefused. */
export type CheckAddresses = (host: string, port: number) => Promise<[Address, ...Address[]]>;

/** For connections that are no HTTP requests. `host` is a name or an IPv4 address in lower case. */
export function openAddressCheck({ private_hosts, resolve = everyAddress }: OutboundSettings): CheckAddresses {
  const isListed = listedIn(private_hosts);
  return async (host, port) => {
    const found = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }];
    return isListed(host, String(port)) ? present(host, found) : publicOnly(host, found);
  };
}

export function openOutbound({ private_hosts, resolve = everyAddress }: OutboundSettings): Outbound {
  const isListed = listedIn(private_hosts);

  const lookupChecked: LookupFunction = (host, { all }, found) => {
    checkedAddresses(bare(host)).then(
      (addresses) => (all === true ? found(null, addresses) : found(null, addresses[0].address, addresses[0].family)),
      (error: Error) => found(error, []),
    );
  };
  const connectListed = buildConnector({ timeout: connect_ms });
  const connectChecked = buildConnector({ timeout: connect_ms, lookup: lookupChecked });
  const unsent = new WeakSet();
  const agent = new Agent({
    connect: (options, callback) => {
      const connected: buildConnector.Callback = (...result) => {
        if (result[0] !== null) unsent.add(result[0]);
        callback(...result);
      };
      const host = bare(options.hostname);
      if (isListed(host, portOf(options))) return connectListed(options, connected);
      // A literal address needs no resolver, so no lookup would check it.
      if (isIP(host) !== 0 && isPrivate(host)) return connected(new DestinationRefused(reason(host)), null);
      return connectChecked(options, connected);
    },
  });

  const checkedAddresses = async (host: string) => publicOnly(host, await resolve(host));

  function read(address: string): URL {
    const url = URL.parse(address);
    if (url === null || !['http:', 'https:'].includes(url.protocol))
      throw new DestinationRefused('It must be an address that begins with http:// or https://.');
    if (url.username !== '' || url.password !== '')
      throw new DestinationRefused('It must not contain a user name or a password.');
    const host = bare(url.hostname);
    if (isIP(host) !== 0 && isPrivate(host) && !isListed(host, portOf(url))) throw new DestinationRefused(reason(host));
    return url;
  }

  return {
    read,
    check: async (address) => {
      const url = read(address);
      const host = bare(url.hostname);
      if (isIP(host) !== 0 || isListed(host, portOf(url))) return url;
      await Promise.race([checkedAddresses(host), sleep(connect_ms, undefined, { ref: false })]).catch(
        (error: unknown) => {
          // An error of the resolver proves nothing about the name; the connection asks it again.
          if (error instanceof DestinationRefused) throw error;
        },
      );
      return url;
    },
    request: async (address, options) => await request(read(address), { dispatcher: agent, ...options }),
    isUnsent: (error) => error instanceof DestinationRefused || (error instanceof Error && unsent.has(error)),
    close: async () => await agent.destroy(),
  };
}

function listedIn(private_hosts: readonly string[]): (host: string, port: string) => boolean {
  const listed = new Set(private_hosts.map((host) => host.toLowerCase()));
  return (host, port) => listed.has(host) || listed.has(`${host}:${port}`);
}

function publicOnly(host: string, found: readonly Address[]): [Address, ...Address[]] {
  if (found.some(({ address }) => isPrivate(address))) throw new DestinationRefused(reason(host));
  return present(host, found);
}

function present(host: string, [first, ...others]: readonly Address[]): [Address, ...Address[]] {
  if (first === undefined) throw new DestinationRefused(`${host} has no address.`);
  return [first, ...others];
}

async function everyAddress(host: string): Promise<Address[]> {
  return await lookup(host, { all: true });
}

/** Without the brackets of IPv6 and the dot of a full name, as an operator writes it. */
function bare(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

function portOf({ protocol, port }: { protocol: string; port?: string | null }): string {
  if (port !== undefined && port !== null && port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}

function reason(host: string): string {
  return `${host} is, or leads to, an address of this machine or of a private network.`;
}
