import { Problem } from '@gantry/contract/problems.ts';
import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

// The only way out of an internal network: a forward proxy on its gateway address, for CONNECT and for requests with a full http:// URL
// (RFC 9110, sections 9.3.6 and 7.1). It decides nothing: `open` refuses a destination, or returns a connection to it.

export interface ForwardProxy {
  url: string;
  port: number;
  close(): Promise<void>;
}

export interface ForwardProxyInput {
  address: string;
  /** Other processes of the same user may have it too, and the kernel distributes the connections. Default: any free port, alone. */
  port?: number;
  /** Throws DestinationForbidden. Any other error means that the destination did not answer. */
  open: (asked: Asked) => Promise<Socket>;
  /** The methods of requests without a tunnel. Default: all. */
  methods?: readonly string[];
  max_connections: number;
  max_connections_per_client?: number;
  /** The download limit of one connection. */
  max_bytes: number;
  idle_seconds: number;
}

interface ProxyCredential {
  name: string;
  password: string;
}

export interface Asked {
  /** The address of the container. */
  client: string;
  /** From the address of the proxy that the client was given. Undefined without one. */
  credential: ProxyCredential | undefined;
  /** As the client wrote it, in lower case. */
  host: string;
  port: number;
}

/** The client gets the reason as the reason phrase of a 403. Python's HTTP clients put it into their exception. */
export class DestinationForbidden extends Error {}

/** For a proxy that knows its clients by a credential. The client gets a 407. */
export class CredentialRefused extends Error {}

export async function startForwardProxy(input: ForwardProxyInput): Promise<ForwardProxy> {
  const sockets = new Set<Duplex>();
  const clients = new Map<string, number>();
  const server = createServer(
    { maxHeaderSize: 16 * 1024 },
    (incoming, response) => void forward(incoming, response, input),
  );
  server.maxConnections = input.max_connections;
  server.requestTimeout = 0;
  server.headersTimeout = 10_000;
  server.on('connection', (socket: Socket) => {
    track(sockets, socket);
    countClient(clients, socket, input.max_connections_per_client ?? Infinity);
  });
  server.on('connect', (incoming, socket, head) => void tunnel(incoming, { socket, head, sockets }, input));
  server.listen({ host: input.address, port: input.port ?? 0, reusePort: input.port !== undefined });
  await listening(server, input);

  // The server listens on an address and a port, so this is not the name of a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${input.address}:${port}`,
    port,
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function tunnel(
  incoming: IncomingMessage,
  { socket: client, head, sockets }: { socket: Duplex; head: Buffer; sockets: Set<Duplex> },
  { open, max_bytes, idle_seconds }: ForwardProxyInput,
): Promise<void> {
  client.on('error', () => client.destroy());
  if (client instanceof Socket) client.setTimeout(idle_seconds * 1000, () => client.destroy());
  const [, host = '', port = ''] = /^([^:/@\s]+):(\d{1,5})$/.exec(incoming.url ?? '') ?? [];
  try {
    const upstream = await open({ ...clientOf(incoming), host: host.toLowerCase(), port: Number(port) });
    track(sockets, upstream);
    upstream.on('error', () => client.destroy());
    upstream.setTimeout(idle_seconds * 1000, () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.end());
    if (client.destroyed) return void upstream.destroy();
    limit(upstream, { max_bytes, reader: client });
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.write(head);
    client.pipe(upstream).pipe(client);
  } catch (error) {
    const { status, reason } = refusalOf(error);
    const challenge = status === 407 ? `Proxy-Authenticate: ${basic}\r\n` : '';
    client.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${challenge}Content-Length: 0\r\n\r\n`);
  }
}

async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  { open, methods, max_bytes, idle_seconds }: ForwardProxyInput,
): Promise<void> {
  const url = URL.parse(incoming.url ?? '');
  const { method = '' } = incoming;
  try {
    if (url?.protocol !== 'http:') throw new DestinationForbidden('Only CONNECT and http:// URLs are served');
    if (methods?.includes(method) === false) throw new DestinationForbidden(`${method} is refused`);
    const asked = { ...clientOf(incoming), host: url.hostname, port: Number(url.port || 80) };
    const socket = await open(asked);
    if (response.destroyed) return void socket.destroy();
    limit(socket, { max_bytes, reader: response });
    const outgoing = request({
      createConnection: () => socket,
      method,
      path: `${url.pathname}${url.search}`,
      headers: { ...endToEnd(incoming.headers), host: url.host, connection: 'close' },
    });
    outgoing.setTimeout(idle_seconds * 1000, () => outgoing.destroy());
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  } catch (error) {
    const { status, reason } = refusalOf(error);
    const challenge = status === 407 ? { 'proxy-authenticate': basic } : {};
    response.writeHead(status, reason, { connection: 'close', ...challenge }).end(`${reason}\n`);
  }
}

// Headers of one connection, by RFC 9110, section 7.6.1. `transfer-encoding` stays: Node encodes the body again by it.
const hopHeaders = ['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade'];

function endToEnd(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const named = String(headers['connection'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopHeaders.includes(name) && !named.includes(name)),
  );
}

const basic = 'Basic realm="egress"';

function refusalOf(error: unknown): { status: number; reason: string } {
  if (error instanceof CredentialRefused) return { status: 407, reason: error.message };
  if (!(error instanceof DestinationForbidden)) return { status: 502, reason: 'The destination does not answer' };
  // It repeats a name from the client.
  return { status: 403, reason: error.message.replaceAll(/[^\x20-\x7e]/g, '?') };
}

function clientOf({ socket, headers }: IncomingMessage): Pick<Asked, 'client' | 'credential'> {
  const [, encoded = ''] = /^basic ([\w+/=-]+)$/i.exec(headers['proxy-authorization'] ?? '') ?? [];
  const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  const credential = name === undefined || password === undefined ? undefined : { name, password };
  return { client: socket.remoteAddress ?? '', credential };
}

/** Cuts both ends, so that the bytes over the limit do not arrive. */
function limit(socket: Socket, { max_bytes, reader }: { max_bytes: number; reader: { destroy(): unknown } }): void {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= max_bytes) return;
    socket.destroy();
    reader.destroy();
  });
}

function countClient(clients: Map<string, number>, socket: Socket, most: number): void {
  const address = socket.remoteAddress ?? '';
  const open = (clients.get(address) ?? 0) + 1;
  if (open > most) return void socket.destroy();
  clients.set(address, open);
  socket.once('close', () => {
    const left = (clients.get(address) ?? 1) - 1;
    if (left === 0) clients.delete(address);
    else clients.set(address, left);
  });
}

function track(sockets: Set<Duplex>, socket: Duplex): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

async function listening(server: ReturnType<typeof createServer>, { address, port }: ForwardProxyInput): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('listening', resolve);
  server.once('error', (error) => {
    const code = 'code' in error ? String(error.code) : error.message;
    const hint =
      code === 'EADDRINUSE'
        ? `Another program has port ${port} on ${address}.`
        : 'The service must run on the same Linux machine as the container engine.';
    reject(new Problem('engine_unavailable', { detail: `The proxy cannot listen on ${address} (${code})`, hint }));
  });
  await promise;
}
