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
  /** By the number of the client, if there are several. */
  url: string | readonly string[];
  /** By the number of the client, if they differ. */
  headers: Record<string, string> | ((client: number) => Record<string, string>);
  clients: number;
  duration_ms: number;
  send: (connection: KeptConnection) => Promise<void>;
}): Promise<Load> {
  const latencies: number[] = [];
  const urls = [url].flat();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const mine = typeof headers === 'function' ? headers(client) : headers;
      await using connection = keptConnection(urls[client % urls.length] ?? '', mine);
      while (performance.now() - began < duration_ms) latencies.push(await timed(async () => await send(connection)));
    }),
  );
  return { latencies, rate: (latencies.length * 1000) / (performance.now() - began) };
}
