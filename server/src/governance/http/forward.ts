// Requests of agents to a role that another process serves. Agents have one address, so the process at its port passes them on, as they are, to
// the port of that process: on the same network, or at a host that is named. That process authenticates the sender and decides.
import { Problem } from '@gantry/contract/problems.ts';
import type { IncomingMessage } from 'node:http';
import { Agent } from 'undici';
import type { Reply } from './answer/reply.ts';

export interface Forward {
  pass: (incoming: IncomingMessage, signal: AbortSignal) => Promise<Reply>;
  close: () => Promise<void>;
}

// Headers of the connection, not of the request (RFC 9110, section 7.6.1).
const of_connection = new Set(
  'connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect proxy-authorization'.split(' '),
);

const connect_ms = 5000;

interface Elsewhere {
  port: number;
  /** Absent: the address of this machine at which the agent has called. */
  host?: string | undefined;
  /** Absent: it speaks HTTP. */
  tls?: { ca: string; servername: string } | undefined;
}

export function forward({ port, host, tls }: Elsewhere): Forward {
  // A call takes as long as its agent needs. Each request has its own connection: a kept one could end while a request is sent on it.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 0,
    connect: { timeout: connect_ms, ...tls },
  });
  return {
    pass: async (incoming, signal) => {
      const { headers, method = 'GET', url: path = '/' } = incoming;
      const passed = Object.entries(headers).filter(([name]) => !of_connection.has(name));
      const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
      const origin = `${tls === undefined ? 'http' : 'https'}://${host ?? hostOf(incoming)}:${port}`;
      const asked = { origin, path, method, headers: passed.flat() as string[], signal } as const; // no header is repeated
      const answered = await agent.request({ ...asked, body: hasBody ? incoming : null }).catch(() => {
        signal.throwIfAborted();
        throw new Problem('starting', { detail: 'The part of the service for calls of agents is not running.' });
      });
      const kept = Object.entries(answered.headers).flatMap(([name, value]) =>
        value === undefined || of_connection.has(name) ? [] : [[name, String(value)] as const],
      );
      return { status: answered.statusCode, headers: Object.fromEntries(kept), body: answered.body };
    },
    close: async () => await agent.close(),
  };
}

/** The address of this machine at which the agent has called. */
function hostOf({ socket: { localAddress = '127.0.0.1' } }: IncomingMessage): string {
  return localAddress.includes(':') ? `[${localAddress}]` : localAddress;
}
