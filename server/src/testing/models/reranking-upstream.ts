// A vendor of reranking in the form of Cohere that answers as a test says: hostile, late, or talked into something. It keeps a journal.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

interface Asked {
  model: string;
  query: string;
  documents: string[];
}

export interface RerankingUpstream {
  host: string;
  base_url: string;
  /** What was asked, oldest first. */
  asked: Asked[];
  /** The body of the next answers: text is sent as it is. */
  answer: (asked: Asked) => unknown;
  /** The status of the next answers. */
  status: number;
  /** Before the next answers begin. */
  wait_ms: number;
  stop(): Promise<void>;
}

export async function rerankingUpstream(): Promise<RerankingUpstream> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
      upstream.asked.push(asked);
      const said = upstream.answer(asked);
      const body = typeof said === 'string' ? said : JSON.stringify(said);
      void delay(upstream.wait_ms).then(() =>
        response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(body),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  const upstream: RerankingUpstream = {
    host,
    base_url: `http://${host}/v1`,
    asked: [],
    answer: () => ({ results: [] }),
    status: 200,
    wait_ms: 0,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}
