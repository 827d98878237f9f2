// A service with scripted answers. It produces cases on demand, such as a connection that breaks during a stream.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Asked {
  method: string;
  path: string;
  /** With its question mark; empty without a query. */
  query: string;
  headers: IncomingMessage['headers'];
  body: string;
}
export type Reply = (response: ServerResponse, asked: Asked) => void;

export interface ScriptedService extends AsyncDisposable {
  url: string;
  asked: Asked[];
}

/** Routes by `METHOD /path`; any other request gets the contract's 404. */
export async function scriptService(routes: Record<string, Reply>): Promise<ScriptedService> {
  const asked: Asked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, search: query } = new URL(request.url ?? '', 'http://service.test');
    const entry = { method: request.method ?? '', path, query, headers: request.headers, body: await text(request) };
    asked.push(entry);
    const reply =
      routes[`${entry.method} ${path}`] ?? problem(404, 'not_found', 'There is nothing here that you may read');
    // As on every answer of the service.
    response.setHeader('x-request-id', 'scripted');
    reply(response, entry);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP, so the address is one
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function data(value: unknown, status = 200): Reply {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data: value }));
}

/** The only page of a list. */
export function list(items: readonly object[]): Reply {
  return (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ data: items, meta: { next_cursor: null } }));
}

export function problem(status: number, code: string, detail: string, more: object = {}): Reply {
  return (response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ status, code, detail, ...more }));
}

export const none: Reply = (response) => response.writeHead(204).end();
