// A stand-in for a vendor of embeddings in OpenAI's format. It knows some words of a few topics: texts about one topic are near, whichever of its words
// they have. It keeps a journal.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EmbeddingUpstream {
  host: string;
  base_url: string;
  /** What was asked, oldest first. */
  asked: { model: string; input: string[] }[];
  /** The status of the next answers. */
  status: number;
  stop(): Promise<void>;
}

const topics = [
  ['tea', 'coffee', 'beverage', 'thirsty'],
  ['train', 'flight', 'journey', 'station'],
  ['peanuts', 'mushrooms', 'allergic', 'dangerous'],
];

export async function embeddingUpstream(): Promise<EmbeddingUpstream> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as EmbeddingUpstream['asked'][number];
      upstream.asked.push(asked);
      const data = asked.input.map((text, index) => ({ index, embedding: vectorOf(text, asked.model) }));
      const body = upstream.status < 300 ? { data, usage: { prompt_tokens: 10 } } : { error: { message: 'not now' } };
      response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  const upstream: EmbeddingUpstream = {
    host,
    base_url: `http://${host}/v1`,
    asked: [],
    status: 200,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}

/** Another model has its own dimensions, and means other things by them. */
function vectorOf(text: string, model: string): number[] {
  const words = text.toLowerCase().split(/\W+/);
  const counts = topics.map((topic) => words.filter((word) => topic.includes(word)).length);
  const vector = [...counts, 0.1];
  return model === 'newer' ? [0.2, ...vector.toReversed()] : vector;
}
