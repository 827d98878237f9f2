// A flood, in a thread of its own: each client sends its next request as soon as the last one is answered. `end` ends it, and it says how
// often it got which status.
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from 'undici';
import type { Flood } from './floods.ts';

const { url, clients, requests } = workerData as Flood & { url: string }; // bench/fairness.ts
const ending = new AbortController();
parentPort?.once('message', () => ending.abort());
const answers: Record<string, number> = {};

await Promise.all(
  Array.from({ length: clients }, async (_, n) => {
    const request = requests[n % requests.length];
    if (request === undefined) throw new Error('a flood without a request');
    const client = new Client(url, { headersTimeout: 120_000 });
    while (!ending.signal.aborted) {
      const outcome = await client
        .request({ ...request, body: request.body ?? null, signal: ending.signal })
        .then(async ({ statusCode, body }) => {
          await body.dump();
          return String(statusCode);
        })
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
      if (!ending.signal.aborted) answers[outcome] = (answers[outcome] ?? 0) + 1;
    }
    await client.destroy();
  }),
);
parentPort?.postMessage(answers);
