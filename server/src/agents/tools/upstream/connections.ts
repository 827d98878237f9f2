// The open connections to MCP servers. A server can keep things for a connection, so each end caller of each agent has one of their own.
import { LRUCache } from 'lru-cache';
import type { Link } from '../../../ground/run-token.ts';
import type { ServerConnection } from './connect.ts';

/** Whose connection, and to what. */
interface ConnectionOf {
  server_id: string;
  version: string;
  /** Null: the caller itself. */
  agent_id: string | null;
  caller_id: string;
  /** The assets through which the call came: a token of ours names them. */
  through: readonly Link[];
}

export interface ServerConnections {
  /** Runs `work` on the open connection, else on a new one. A connection on which work failed is closed. */
  use<T>(
    of: ConnectionOf,
    open: () => Promise<ServerConnection>,
    work: (on: ServerConnection) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
}

const most_open = 500;
/** A secret that was changed is used after this time at the latest. */
const oldest_ms = 5 * 60_000;

export function serverConnections(onError: (error: unknown) => void): ServerConnections {
  const closing = new Set<Promise<void>>();
  const end = (opening: Promise<ServerConnection>) => {
    const ended: Promise<void> = opening
      .then(async (connection) => await connection.close())
      .catch(() => undefined) // Whoever opened it has the error.
      .finally(() => closing.delete(ended));
    closing.add(ended);
  };
  const open_ones = new LRUCache<string, Promise<ServerConnection>>({
    max: most_open,
    ttl: oldest_ms,
    ttlAutopurge: true,
    dispose: end,
  });
  return {
    use: async ({ server_id, version, agent_id, caller_id, through }, open, work) => {
      const name = [server_id, version, agent_id, caller_id, ...through.map(({ id }) => id)].join(' ');
      let opening = open_ones.get(name);
      if (opening === undefined) {
        opening = open();
        open_ones.set(name, opening);
      }
      try {
        return await work(await opening);
      } catch (error) {
        if (open_ones.peek(name) === opening) open_ones.delete(name);
        throw error;
      }
    },
    close: async () => {
      open_ones.clear();
      await Promise.all(closing).catch(onError);
    },
  };
}
