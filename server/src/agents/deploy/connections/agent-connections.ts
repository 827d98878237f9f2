// Connections to agents' containers. The engine gives the address of a dead container to the next one, of any agent.
// The service's record of addresses is up to one keeper's turn old. So the container first proves its identity on a new connection
// (proven-client.ts): it signs a fresh challenge with its revision's secret. Before that, the service sends no call and no secret.
// A connection ends with its container, so one proof holds for all its calls. A target whose entrance spreads the requests of a connection
// over several containers gives each container a url of its own.
import { LRUCache } from 'lru-cache';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import { isDialled, type Dialled } from '../dial-in/dialled.ts';
import { ProvenClient, type ProvenAddress } from './proven-client.ts';

export interface AgentConnections {
  /** Connections to this instance only, kept for the next call. */
  to(instance: ProvenAddress): Dispatcher;
  /** Ends every open call, but not its run. */
  destroy(): Promise<void>;
}

// A crew may work for a day. Its caller and `cancel` limit a call, the connection does not.
const max_ms = 24 * 60 * 60 * 1000;
// A container has at most 256 running and 256 waiting calls. With more connections, a health check or a cancel never queues behind them.
const max_connections = 1024;
const connect_ms = 5000;
const max_instances = 10_000;

/** `dialled`: the connections that instances without an address have opened to this process. */
export function agentConnections(dialled?: Dialled): AgentConnections {
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
      const made = new Pool(new URL(instance.url).origin, {
        connections: max_connections,
        factory: () =>
          new ProvenClient(instance, {
            headersTimeout: max_ms,
            bodyTimeout: max_ms,
            connect: connectorFor(instance, dialled),
          }),
      });
      pools.set(key, made);
      return made;
    },
    destroy: async () => void (await Promise.all([...pools.values()].map(async (pool) => await pool.destroy()))),
  };
}

function connectorFor({ instance_id, url }: ProvenAddress, dialled: Dialled | undefined): buildConnector.connector {
  if (!isDialled(url)) return buildConnector({ timeout: connect_ms });
  if (dialled !== undefined) return dialled.connectorTo(instance_id);
  return (_, done) => done(new Error('instances that dial in have no connection to this process'), null);
}
