import { keptConnection, type KeptConnection } from './kept-connection.ts';
import { timed } from './sampling.ts';

export interface Load {
  /** Milliseconds of each request. */
  latencies: number[];
  /** Requests in a second. */
  rate: number;
}

/** This number of clients for this time, each with one request at a time on its own connection. */
export async function load({
  url,
  headers,
  clients,
  duration_ms,
  send,
}: {
  url: string;
  /** By the number of the client, if they differ. */
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
