// A process of an instance that dials in, without a container. It proves its revision like the wrapper, on connections that it has opened.
import { randomBytes } from 'node:crypto';
import { createServer, request, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { prove } from './agent-stand-in.ts';

export interface Joining {
  door: string;
  token?: string;
  /** The id of the process. */
  process?: string;
  /** Further headers. */
  more?: Record<string, string>;
}

/** The status of the door's answer, and the connection after a 101. */
export async function join({ door, token, process = randomBytes(32).toString('hex'), more }: Joining) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; socket?: Socket; text: string }>();
  const asked = request(`${door}/instances/join`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'gantry-instance/1',
      'x-svc-process': process,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...more,
    },
  });
  asked.on('upgrade', (response, socket, head) => {
    // The first request of the service may have come with the answer.
    if (head.length > 0) socket.unshift(head);
    resolve({ status: response.statusCode ?? 0, socket, text: '' });
  });
  asked.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
  });
  asked.on('error', reject);
  asked.end();
  return await promise;
}

export interface DiallingStandIn {
  sockets: Set<Socket>;
  stop: () => void;
}

/** Keeps `spares` connections without a request open until it stops, as the wrapper does. */
export function dialIn(
  of: Required<Omit<Joining, 'more'>>,
  secret: string,
  { answer, spares = 2 }: { answer: RequestListener; spares?: number },
): DiallingStandIn {
  const sockets = new Set<Socket>();
  /** Opens another connection for one that is used or lost, once. */
  const replace = new Map<Socket, () => void>();
  let isStopped = false;
  const server = createServer((incoming, outgoing) => {
    replace.get(incoming.socket)?.();
    if (incoming.url === '/identity') prove(secret, incoming, outgoing);
    else answer(incoming, outgoing);
  });
  const open = async () => {
    while (!isStopped) {
      // The door may be away, as while the service restarts.
      const joined = await join(of).catch(() => undefined);
      if (joined?.socket !== undefined) return added(joined.socket);
      await sleep(100);
    }
  };
  const added = (socket: Socket) => {
    sockets.add(socket);
    replace.set(socket, () => {
      replace.delete(socket);
      void open();
    });
    socket.on('error', () => {}); // its close follows
    socket.once('close', () => {
      sockets.delete(socket);
      replace.get(socket)?.();
    });
    if (isStopped) socket.destroy();
    else server.emit('connection', socket);
  };
  for (let n = 0; n < spares; n++) void open();
  return {
    sockets,
    stop: () => {
      isStopped = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
