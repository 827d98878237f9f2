import { Problem } from '@gantry/contract/problems.ts';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, isIP, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isPrivate } from '../outbound/private-address.ts';
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

export interface IndexProxy {
  url: string;
  port: number;
  allow(host: AllowedHost): void;
  close(): Promise<void>;
}

export interface IndexProxyInput {
  address: string;
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
  const { max_connections = 256, onRefusedHost } = input;
  const allowed = new Map<string, AllowedHost>();
  const sockets = new Set<Duplex>();
  const find = (host: string, port: number) => {
    const found = allowed.get(`${host.toLowerCase()}:${port}`);
    if (found === undefined) onRefusedHost?.(`${host}:${port}`);
    return found;
  };

  const addressOf = sharedLookup();
  const open: Open = async (target) => await connectTo(target, addressOf, input);

  const server = createServer((incoming, response) => void forward(incoming, response, { find, open, input }));
  server.maxConnections = max_connections;
  server.requestTimeout = 60_000;
  server.headersTimeout = 10_000;
  server.on('connection', (socket: Socket) => track(sockets, socket));
  server.on(
    'connect',
    (incoming: IncomingMessage, socket: Duplex) => void tunnel(incoming, socket, { find, open, input }, sockets),
  );
  server.listen(0, input.address);
  await listening(server);

  // The server listens on an address and a port, so this is not the name of a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${input.address}:${port}`,
    port,
    allow: (host) => void allowed.set(`${host.host.toLowerCase()}:${host.port}`, host),
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

type Open = (target: AllowedHost) => Promise<Socket>;

interface Way {
  find: (host: string, port: number) => AllowedHost | undefined;
  open: Open;
  input: IndexProxyInput;
}

async function tunnel(
  incoming: IncomingMessage,
  client: Duplex,
  { find, open, input }: Way,
  sockets: Set<Duplex>,
): Promise<void> {
  client.on('error', () => client.destroy());
  const [, host = '', port = ''] = /^([^:/@\s]+):(\d{1,5})$/.exec(incoming.url ?? '') ?? [];
  const target = find(host, Number(port));
  if (target === undefined) return refuse(client, 403);
  try {
    const upstream = await open(target);
    track(sockets, upstream);
    upstream.on('error', () => client.destroy());
    upstream.setTimeout(idle_seconds * 1000, () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    limit(upstream, input.max_bytes ?? 4e9);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(upstream).pipe(client);
  } catch {
    // The reason is dropped: pip and uv read only the status, which becomes `index_unreachable`.
    refuse(client, 502);
  }
}

async function forward(incoming: IncomingMessage, response: ServerResponse, { find, open, input }: Way): Promise<void> {
  const url = URL.parse(incoming.url ?? '');
  const target = url?.protocol === 'http:' ? find(url.hostname, Number(url.port || 80)) : undefined;
  if (url === null || target === undefined || !['GET', 'HEAD'].includes(incoming.method ?? '')) {
    response.writeHead(403).end();
    return;
  }
  try {
    const socket = await open(target);
    limit(socket, input.max_bytes ?? 4e9);
    const { 'proxy-authorization': _own, 'proxy-connection': _hop, ...headers } = incoming.headers;
    const path = `${url.pathname}${url.search}`;
    const outgoing = request({
      createConnection: () => socket,
      method: incoming.method,
      path,
      headers: { ...headers, host: url.host, connection: 'close' },
    });
    outgoing.setTimeout(idle_seconds * 1000, () => outgoing.destroy());
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.end();
  } catch {
    response.writeHead(502).end();
  }
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

function limit(socket: Socket, maxBytes: number): void {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) socket.destroy();
  });
}

function refuse(socket: Duplex, status: 403 | 502): void {
  socket.end(
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Bad Gateway'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
}

function track(sockets: Set<Duplex>, socket: Duplex): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

async function listening(server: ReturnType<typeof createServer>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('listening', resolve);
  server.once('error', (error) =>
    reject(
      new Problem('engine_unavailable', {
        detail: `The service cannot listen on the sandboxes' gateway address (${'code' in error ? String(error.code) : error.message})`,
        hint: 'The service must run on the same Linux machine as the container engine.',
      }),
    ),
  );
  await promise;
}
