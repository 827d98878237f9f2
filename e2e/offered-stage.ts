// One stage for all files of a vitest project. The project's set-up opens it; the files, in other processes, ask for it.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A busy machine takes many minutes. `fetch` waits five at most. */
const opening_ms = 900_000;

export interface Offer {
  url: string;
  close(): Promise<void>;
}

/** At once, while the stage opens. `valuesOf` picks what the files get, as JSON. */
export async function offerStage<Stage extends { stop(): Promise<void> }>(
  opening: Promise<Stage>,
  valuesOf: (stage: Stage) => object,
): Promise<Offer> {
  opening.catch(() => {}); // each file that asks reports it
  const server = createServer((_, response) => {
    void opening.then(
      (stage) => response.end(JSON.stringify(valuesOf(stage))),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on TCP
    close: async () => {
      server.close();
      server.closeAllConnections();
      const stage = await opening.catch(() => undefined);
      await stage?.stop();
    },
  };
}

/** Waits until the stage is open. */
export async function offeredStage<Values>(url: string): Promise<Values> {
  const [response] = (await once(get(url, { signal: AbortSignal.timeout(opening_ms) }), 'response')) as [
    IncomingMessage,
  ];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(answer);
  return JSON.parse(answer) as Values; // offerStage writes it
}
