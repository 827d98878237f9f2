// The listening socket: bounded connections, headers and times, and a stop that lets requests finish.
import { Server as ListeningSocket, type AddressInfo, type Socket } from 'node:net';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:tls';
import { Problem } from '@gantry/contract/problems.ts';
import { firstUse } from '../../../ground/first-use.ts';
import { repeatedHeader } from './repeated-headers.ts';
import { answerLast, answerUnparsed, type OnUnparsed } from './unparsed.ts';
import { answerUpgrade, isUpgrade, type Upgrade } from './upgrade.ts';

export interface Listening {
  url: string;
  /** Takes no new connection, and closes each one after its next answer, or when no more requests come. Resolves when none is left. */
  drain(): Promise<void>;
  /** Drains, but closes idle connections at once. After the limit it closes the others too. */
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
  /** Every other request that asks for another protocol is answered in this one. */
  upgrades?: readonly Upgrade[] | undefined;
  /** Absent: HTTP without TLS. */
  tls?: Certificate | undefined;
}

/** Both in PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

export async function serve(
  listener: RequestListener,
  { host, port, max_connections, reuse_port = false, upgrades = [], tls }: ServeAddress,
  { unparsed: onUnparsed, full }: ServeEvents,
): Promise<Listening> {
  const limits = {
    headersTimeout: 10_000,
    requestTimeout: 300_000,
    keepAliveTimeout: 75_000,
    maxHeaderSize: 16 * 1024,
    // A request without a host is refused below, together with one whose host is invalid.
    requireHostHeader: false,
    shouldUpgradeCallback: (incoming: IncomingMessage) => upgrades.some((one) => isUpgrade(one, incoming)),
  };
  // insecureHTTPParser stays off: Node's strict parser refuses input that two parsers could read differently.
  const open: Open = {
    unanswered: new Set(),
    silent: new Set(),
    upgraded: new Set(),
    asked_at: -Infinity,
    is_last: false,
  };
  const server = createServer(limits, (incoming, outgoing) => {
    if (open.is_last) closeAfter(outgoing);
    open.asked_at = performance.now();
    open.silent.delete(incoming.socket);
    open.unanswered.add(outgoing);
    outgoing.once('close', () => open.unanswered.delete(outgoing));
    const problem = repeatedHeader(incoming) ?? unreadableHost(incoming);
    if (problem === undefined) listener(incoming, outgoing);
    else answerLast(outgoing, problem, { onUnparsed, why: problem.detail });
  });
  server.on('connection', (socket) => {
    open.asked_at = performance.now();
    open.silent.add(socket);
    socket.once('close', () => open.silent.delete(socket));
  });
  server.on('upgrade', (incoming, socket: Socket, head: Buffer) => {
    open.silent.delete(socket);
    open.upgraded.add(socket);
    socket.once('close', () => open.upgraded.delete(socket));
    const upgrade = upgrades.find((one) => isUpgrade(one, incoming));
    if (upgrade === undefined) socket.destroy();
    else void answerUpgrade(upgrade, { incoming, socket, head });
  });
  server.maxHeadersCount = 100;
  const listener_socket = tls === undefined ? server : withTls(server, tls);
  listener_socket.maxConnections = max_connections;
  let told_at = -Infinity;
  listener_socket.on('drop', () => {
    if (performance.now() - told_at < full_pause_ms) return;
    told_at = performance.now();
    full();
  });
  answerUnparsed(server, onUnparsed);
  await listen(listener_socket, { host, port, reusePort: reuse_port });
  const address = listener_socket.address() as AddressInfo; // a TCP server that listens has one
  const shown = host.includes(':') ? `[${host}]` : host;
  const drain = firstUse(async () => await drained(server, listener_socket, open));
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${shown}:${address.port}`,
    drain,
    close: async (wait_ms) => {
      const timer = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of open.upgraded) socket.destroy();
      }, wait_ms);
      open.asked_at = -Infinity;
      server.closeIdleConnections();
      await drain();
      clearTimeout(timer);
    },
  };
}

const full_pause_ms = 60_000;
const look_every_ms = 100;
const quiet_ms = 1000;
const most_turns = 100;
const handshake_ms = 10_000;
const plain_host = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The server gets the connections from inside TLS. */
function withTls(server: Server, tls: Certificate): ListeningSocket {
  return createTlsServer({ ...tls, handshakeTimeout: handshake_ms }, (socket) => server.emit('connection', socket));
}

function unreadableHost({ headers: { host } }: IncomingMessage): Problem | undefined {
  if (host !== undefined && plain_host.test(host)) return undefined;
  const detail = host === undefined ? 'The header `host` is missing.' : 'The header `host` is not a valid host.';
  return new Problem('malformed', { detail });
}

async function listen(server: ListeningSocket, at: { host: string; port: number; reusePort: boolean }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortTaken(at.host, at.port) : error),
    );
    server.listen(at, resolve);
  });
}

interface Open {
  unanswered: Set<ServerResponse>;
  /** The connections without a request. */
  silent: Set<Socket>;
  /** They have no end of their own. The server closes them after its last answer. */
  upgraded: Set<Socket>;
  /** The time of the last request or connection. */
  asked_at: number;
  /** Each connection has no request after the next one. */
  is_last: boolean;
}

async function drained(server: Server, listening: ListeningSocket, open: Open): Promise<void> {
  open.is_last = true;
  for (const outgoing of open.unanswered) closeAfter(outgoing);
  await lull(open);
  // Not the close of the HTTP server, which also ends idle connections: a proxy may just now send a request on one of them.
  const closed = new Promise<void>((resolve) => ListeningSocket.prototype.close.call(listening, () => resolve()));
  const isQuiet = () => performance.now() - open.asked_at >= quiet_ms;
  const endIdle = async () => {
    if (!isQuiet()) return;
    // After a long turn of the event loop, requests lie unread that came before this look.
    await new Promise(setImmediate);
    if (!isQuiet()) return;
    server.closeIdleConnections();
    for (const socket of open.silent) socket.destroy();
    if (open.unanswered.size === 0) for (const socket of open.upgraded) socket.destroy();
  };
  void endIdle();
  const timer = setInterval(() => void endIdle(), look_every_ms);
  await closed;
  clearInterval(timer);
}

/** Ends with a turn of the event loop that brought nothing. The connections that wait to be accepted would be lost with the listener. */
async function lull(open: Open): Promise<void> {
  for (let turn = 0; turn < most_turns; turn++) {
    const before = open.asked_at;
    await new Promise(setImmediate);
    if (turn > 0 && open.asked_at === before) return;
  }
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
