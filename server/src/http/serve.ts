// The listening socket: bounded connections, headers and times, and a stop that lets requests finish.
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Problem } from '@gantry/contract/problems.ts';
import { firstUse } from '../first-use.ts';
import { repeatedHeader } from './repeated-headers.ts';
import { answerLast, answerUnparsed, type OnUnparsed } from './unparsed.ts';

export interface Listening {
  url: string;
  /** Takes no new connection, and closes each one after its open request. Resolves when none is left. */
  drain(): Promise<void>;
  /** Drains, and ends what is still open after the limit. */
  close(wait_ms: number): Promise<void>;
}

export interface ServeEvents {
  unparsed: OnUnparsed;
  /** The server refuses connections above its limit. At most once a minute: the clients choose their number. */
  full: () => void;
}

export interface ServeAddress {
  host: string;
  port: number;
  max_connections: number;
  /** Other processes of the same user may listen there too, and the kernel distributes the connections. */
  reuse_port?: boolean;
}

export async function serve(
  listener: RequestListener,
  { host, port, max_connections, reuse_port = false }: ServeAddress,
  { unparsed: onUnparsed, full }: ServeEvents,
): Promise<Listening> {
  const limits = {
    headersTimeout: 10_000,
    requestTimeout: 300_000,
    keepAliveTimeout: 75_000,
    maxHeaderSize: 16 * 1024,
    // A request without a host is refused below, together with one whose host is invalid.
    requireHostHeader: false,
  };
  // insecureHTTPParser stays off: Node's strict parser refuses input that two parsers could read differently.
  const open: Open = { unanswered: new Set(), silent_since: new Map() };
  const server = createServer(limits, (incoming, outgoing) => {
    if (!server.listening) closeAfter(outgoing);
    open.silent_since.delete(incoming.socket);
    open.unanswered.add(outgoing);
    outgoing.once('close', () => open.unanswered.delete(outgoing));
    const problem = repeatedHeader(incoming) ?? unreadableHost(incoming);
    if (problem === undefined) listener(incoming, outgoing);
    else answerLast(outgoing, problem, { onUnparsed, why: problem.detail });
  });
  server.on('connection', (socket) => {
    open.silent_since.set(socket, performance.now());
    socket.once('close', () => open.silent_since.delete(socket));
  });
  server.maxHeadersCount = 100;
  server.maxConnections = max_connections;
  let told_at = -Infinity;
  server.on('drop', () => {
    if (performance.now() - told_at < full_pause_ms) return;
    told_at = performance.now();
    full();
  });
  answerUnparsed(server, onUnparsed);
  await listen(server, { host, port, reusePort: reuse_port });
  const address = server.address() as AddressInfo; // a TCP server that listens has one
  const shown = host.includes(':') ? `[${host}]` : host;
  const drain = firstUse(async () => await drained(server, open));
  return {
    url: `http://${shown}:${address.port}`,
    drain,
    close: async (wait_ms) => {
      const timer = setTimeout(() => server.closeAllConnections(), wait_ms);
      await drain();
      clearTimeout(timer);
    },
  };
}

const full_pause_ms = 60_000;
const look_every_ms = 100;
const silent_ms = 1000;
const plain_host = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

function unreadableHost({ headers: { host } }: IncomingMessage): Problem | undefined {
  if (host !== undefined && plain_host.test(host)) return undefined;
  const detail = host === undefined ? 'The header `host` is missing.' : 'The header `host` is not a valid host.';
  return new Problem('malformed', { detail });
}

async function listen(server: Server, at: { host: string; port: number; reusePort: boolean }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortTaken(at.host, at.port) : error),
    );
    server.listen(at, resolve);
  });
}

interface Open {
  unanswered: Set<ServerResponse>;
  /** The connections without a first request. */
  silent_since: Map<Socket, number>;
}

async function drained(server: Server, { unanswered, silent_since }: Open): Promise<void> {
  // Closes the idle connections too.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const outgoing of unanswered) closeAfter(outgoing);
  const timer = setInterval(() => {
    // The head of a stream was sent before, so its client keeps the connection.
    server.closeIdleConnections();
    // The first request of a new connection may be on its way.
    for (const [socket, since] of silent_since) if (performance.now() - since > silent_ms) socket.destroy();
  }, look_every_ms);
  await closed;
  clearInterval(timer);
}

/** A proxy then sends the next request to another process. */
function closeAfter(outgoing: ServerResponse): void {
  if (!outgoing.headersSent) outgoing.setHeader('connection', 'close');
}

export class PortTaken extends Error {
  constructor(host: string, port: number) {
    super(`Port ${port} on ${host} is taken by another program. Set PORT to a free one, or stop that program.`);
  }
}
