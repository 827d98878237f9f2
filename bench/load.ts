import { keptConnection, type KeptConnection } from './kept-connection.ts';
import { timed } from './sampling.ts';

export interface Load {
  /** Milliseconds of each request. */
  latencies: number[];
  /** Requests in a second. */
  rate: number;
}

/** So many clients for so long, each with one request at a time on a connection of its own. */
export async function load({
  url,
  headers,
  clients,
  duration_ms,
  send,
}: {
  url: string;
  /** Where they differ from client to client, by its number. */
  headers: Record<string, string> | ((client: number) => Record<string, string>);
  clients: number;
  duration_ms: number;
  send: (connection: KeptConnection) => Promise<void>;
}): Promise<Load> {
  const latencies: number[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      using connection = keptConnection(url, typeof headers === 'function' ? headers(client) : headers);
      while (performance.now() - began < duration_ms) latencies.push(await timed(async () => await send(connection)));
    }),
  );
  return { latencies, rate: (latencies.length * 1000) / (performance.now() - began) };
}
