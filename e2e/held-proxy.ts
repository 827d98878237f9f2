// A proxy before a server of a test. It holds chosen answers back: the server has done its work, and the service does not know it yet.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface HeldProxy {
  url: string;
  host: string;
  /** The bodies of all requests that the server has answered. */
  answered: string[];
  /** The places whose answers wait. */
  held(): string[];
  /** Holds each request with one of these texts in its first line or its body. */
  hold(texts: readonly string[]): void;
  open(): void;
  stop(): Promise<void>;
}

export async function heldProxy(target: string): Promise<HeldProxy> {
  const answered: string[] = [];
  const waiting = new Set<string>();
  let texts: readonly string[] = [];
  let gate = Promise.withResolvers<void>();

  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const { method = 'GET', url = '/', headers } = request;
    const { host: _, connection: __, 'content-length': ___, 'accept-encoding': ____, ...kept } = headers;
    const answer = await fetch(new URL(url, target), {
      method,
      headers: kept as Record<string, string>, // no header of a client of ours comes twice
      ...(body.length > 0 && { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    answered.push(body.toString());
    const seen = `${url}\n${body.toString()}`;
    const place = texts.find((text) => seen.includes(text));
    if (place !== undefined) {
      waiting.add(place);
      await Promise.race([gate.promise, once(response, 'close')]);
      waiting.delete(place);
    }
    const { 'content-encoding': _____, 'transfer-encoding': ______, ...told } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, told).end(bytes);
  };

  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return {
    url: `http://${host}`,
    host,
    answered,
    held: () => [...waiting],
    hold: (all) => (texts = all),
    open: () => {
      texts = [];
      gate.resolve();
      gate = Promise.withResolvers();
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
