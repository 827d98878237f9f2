// The listening socket: bounded connections, headers and times, and a stop that lets requests finish.
import type { AddressInfo } from 'node:net';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { Problem } from '@gantry/contract/problems.ts';
import { repeatedHeader } from './repeated-headers.ts';
import { answerLast, answerUnparsed, type OnUnparsed } from './unparsed.ts';

export interface Listening {
  url: string;
  /** Takes no new connection; waits for open requests up to the limit. */
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
  const server = createServer(limits, (incoming, outgoing) => {
    const problem = repeatedHeader(incoming) ?? unreadableHost(incoming);
    if (problem === undefined) listener(incoming, outgoing);
    else answerLast(outgoing, problem, { onUnparsed, why: problem.detail });
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
  return { url: `http://${shown}:${address.port}`, close: async (wait_ms) => await close(server, wait_ms) };
}

const full_pause_ms = 60_000;
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

async function close(server: Server, wait_ms: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), wait_ms);
  await closed;
  clearTimeout(timer);
}

export class PortTaken extends Error {
  constructor(host: string, port: number) {
    super(`Port ${port} on ${host} is taken by another program. Set PORT to a free one, or stop that program.`);
  }
}
