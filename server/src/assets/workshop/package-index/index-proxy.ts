import { connect, isIP, type Socket } from 'node:net';
import { isPrivate } from '../../../ground/outbound/private-address.ts';
import { DestinationForbidden, startForwardProxy, type ForwardProxy } from '../../docker/forward-proxy.ts';
import { sharedLookup } from './shared-lookup.ts';
import { connectThrough } from './upstream-proxy.ts';

// The sandboxes' only way out: a forward proxy on the gateway address of their network. It allows only the hosts of the package index.
// It resolves names itself and connects to the checked address. So a name cannot change to an internal address after the check.

export interface AllowedHost {
  host: string;
  port: number;
  /** A configured index may have a private address. An index from pip's defaults may not. */
  configured: boolean;
}

export interface IndexProxy extends ForwardProxy {
  allow(host: AllowedHost): void;
}

export interface IndexProxyInput {
  address: string;
  /** Several processes can listen at it together. Any free one when absent. */
  port?: number;
  /** A company proxy to the outside. */
  upstream_proxy?: string | undefined;
  max_connections?: number;
  /** The download limit of one connection. */
  max_bytes?: number;
  onRefusedHost?: ((host: string) => void) | undefined;
}

const connect_seconds = 30;
const idle_seconds = 120;

export async function startIndexProxy(input: IndexProxyInput): Promise<IndexProxy> {
  const { address, port, max_connections = 256, max_bytes = 4e9, onRefusedHost } = input;
  const allowed = new Map<string, AllowedHost>();
  const addressOf = sharedLookup();
  const proxy = await startForwardProxy({
    address,
    ...(port !== undefined && { port }),
    methods: ['GET', 'HEAD'],
    max_connections,
    max_bytes,
    idle_seconds,
    open: async ({ host, port }) => {
      const target = allowed.get(`${host}:${port}`);
      if (target !== undefined) return await connectTo(target, addressOf, input);
      onRefusedHost?.(`${host}:${port}`);
      throw new DestinationForbidden('Not a host of the package index');
    },
  });
  return { ...proxy, allow: (host) => void allowed.set(`${host.host.toLowerCase()}:${host.port}`, host) };
}

/** Connects to the checked address. With a company proxy, that proxy resolves the name and connects. */
async function connectTo(
  { host, port, configured }: AllowedHost,
  addressOf: (host: string) => Promise<string>,
  { upstream_proxy }: IndexProxyInput,
): Promise<Socket> {
  const signal = AbortSignal.timeout(connect_seconds * 1000);
  if (upstream_proxy !== undefined) return connectThrough(upstream_proxy, { host, port }, signal);
  const address = isIP(host) ? host : await addressOf(host);
  if (!configured && isPrivate(address)) throw new Error(`${host} is a private address`);
  const socket = connect({ host: address, port, signal });
  await new Promise<void>((resolve, reject) => void socket.once('connect', resolve).once('error', reject));
  return socket;
}
