// Connections to agents' containers. The engine gives the address of a dead container to the next one, of any agent.
// The service's record of addresses is up to one keeper's turn old. So the container first proves its identity on a new connection:
// it signs a fresh challenge with its revision's secret. Before that, the service sends no call and no secret.
// A connection ends with its container, so one proof holds for all its calls.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import type { ServingAddress } from '../deploy/serving.ts';

export interface AgentConnections {
  /** Connections to this instance only, kept for the next call. */
  to(instance: ProvenAddress): Dispatcher;
  /** Ends every open call, but not its run. */
  destroy(): Promise<void>;
}

interface ProvenAddress extends Pick<ServingAddress, 'instance_id' | 'secret'> {
  url: string;
}

/** The server at a container's address did not prove to be that container. */
export class Unproven extends Error {}

/** No connection was made, so the instance has not got the request. */
export class NotConnected extends Error {}

// A crew may work for a day. Its caller and `cancel` limit a call, the connection does not.
const max_ms = 24 * 60 * 60 * 1000;
const connect_ms = 5000;
// A container with little processor time may prove itself slowly. A hanging one never answers.
const proof_ms = 10_000;
// A container has at most 256 running and 256 waiting calls. With more connections, a health check or a cancel never queues behind them.
const max_connections = 1024;
const max_instances = 10_000;
const max_head_bytes = 4096;

export function agentConnections(): AgentConnections {
  const pools = new LRUCache<string, Pool>({
    max: max_instances,
    // Ends with its last call.
    dispose: (pool, _, reason) => void (reason === 'evict' && pool.close()),
  });
  return {
    to(instance) {
      const key = `${instance.instance_id} ${instance.url}`;
      const known = pools.get(key);
      if (known !== undefined) return known;
      const made = provenPool(instance);
      pools.set(key, made);
      return made;
    },
    destroy: async () => void (await Promise.all([...pools.values()].map(async (pool) => await pool.destroy()))),
  };
}

function provenPool({ url, secret }: ProvenAddress): Pool {
  const connect = buildConnector({ timeout: connect_ms });
  return new Pool(new URL(url).origin, {
    headersTimeout: max_ms,
    bodyTimeout: max_ms,
    connections: max_connections,
    pipelining: 1,
    connect: (options, done) =>
      connect(options, (...[error, socket]) => {
        if (error !== null) return done(new NotConnected(error.message, { cause: error }), null);
        prove(socket, secret, (failure) => {
          if (failure === undefined) return done(null, socket);
          socket.destroy();
          done(new NotConnected(failure.message, { cause: failure }), null);
        });
      }),
  });
}

// undici does not have the connection yet. The answer has no body, so no byte stays unread.
function prove(socket: Socket, secret: string, done: (failure?: Error) => void): void {
  const challenge = randomBytes(32).toString('hex');
  let head = '';
  const take = () => socket.read() as Buffer | null; // no encoding is set
  const read = () => {
    for (let chunk = take(); chunk !== null; chunk = take()) head += chunk.toString('latin1');
    if (head.endsWith('\r\n\r\n')) end(isProof(head, secret, challenge) ? undefined : new Unproven());
    else if (head.length > max_head_bytes) end(new Unproven());
  };
  const giveUp = () => end(new Error('no answer to the challenge'));
  const timer = setTimeout(giveUp, proof_ms);
  const end = (failure?: Error) => {
    clearTimeout(timer);
    socket.off('readable', read).off('error', giveUp).off('close', giveUp);
    done(failure);
  };
  socket.on('readable', read).on('error', giveUp).on('close', giveUp);
  socket.write(`GET /identity HTTP/1.1\r\nhost: agent\r\nx-svc-challenge: ${challenge}\r\n\r\n`);
}

function isProof(head: string, secret: string, challenge: string): boolean {
  const given = /^HTTP\/1\.1 204 [^]*\r\nx-svc-proof: ([0-9a-f]{64})\r\n/i.exec(head)?.[1];
  // The prefix makes the signature useless for any other purpose.
  const expected = createHmac('sha256', secret).update(`svc-identity:${challenge}`).digest();
  return given !== undefined && timingSafeEqual(Buffer.from(given, 'hex'), expected);
}
