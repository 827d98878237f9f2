// Upstreams of models that fail in a requested way, behind one address. The journal has every request that arrived, with its cost.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface FaultyUpstream {
  /** As `host:port`, for OUTBOUND_PRIVATE_HOSTS. */
  host: string;
  /** The upstream of this name. It answers well until told otherwise. */
  at(name: string): string;
  behave(name: string, how: Behaviour): void;
  journal: { upstream: string; model: string; credential: string | undefined; path: string; sent: object }[];
  stop(): Promise<void>;
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

export const answer = {
  id: 'chat-1',
  object: 'chat.completion',
  created: 1,
  model: 'any',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Paris.', refusal: null } }],
  usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
};

export const well: Behaviour = (response) => json(response, 200, answer);

export const refuses =
  (status: number, message = 'no', headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    json(response, status, { error: { message } }, headers);

export const hangs: Behaviour = () => {};
export const resets: Behaviour = (response) => response.destroy();

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export async function faultyUpstream(): Promise<FaultyUpstream> {
  const behaviours = new Map<string, Behaviour>();
  const journal: FaultyUpstream['journal'] = [];
  const behave = async (request: IncomingMessage, response: ServerResponse) => {
    const [, upstream = '', ...path] = (request.url ?? '').split('/');
    const body = await text(request);
    const sent = (body === '' ? {} : JSON.parse(body)) as { model?: string };
    const { model = '' } = sent;
    const credential = request.headers.authorization ?? request.headers['api-key']?.toString();
    journal.push({ upstream, model, credential, path: `/${path.join('/')}`, sent });
    (behaviours.get(upstream) ?? well)(response, request);
  };
  const server = createServer((request, response) => void behave(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return {
    host,
    at: (name) => `http://${host}/${name}`,
    behave: (name, how) => void behaviours.set(name, how),
    journal,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
