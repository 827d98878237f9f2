// Two listeners of one machine: one passes requests on to the other.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../testing/servers/free-port.ts';
import { forward, type Forward } from './forward.ts';
import { send } from './answer/reply.ts';

const open: { servers: Server[]; forwards: Forward[] } = { servers: [], forwards: [] };
afterEach(async () => {
  for (const one of open.servers.splice(0)) {
    one.closeAllConnections();
    one.close();
  }
  for (const one of open.forwards.splice(0)) await one.close();
});

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  open.servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** The address that passes on to this port. */
async function passingTo(port: number, failed: (error: unknown) => void = () => {}): Promise<string> {
  const { pass, close } = forward({ port });
  open.forwards.push({ pass, close });
  const own = await listen((incoming, outgoing) => {
    const left = new AbortController();
    outgoing.once('close', () => left.abort(new Error('the client left')));
    pass(incoming, left.signal)
      .then(async (reply) => await send(incoming, outgoing, reply))
      .catch((error: unknown) => {
        failed(error);
        outgoing.destroy();
      });
  });
  return `http://127.0.0.1:${own}`;
}

test('passes method, path, headers and body on, and the answer back, as they are', async () => {
  const port = await listen((request, response) => {
    void (async () => {
      const { method, url, headers } = request;
      const { host, authorization, 'x-svc-run': run } = headers;
      const body = await text(request);
      response.writeHead(418, { 'content-type': 'application/json', 'x-own': 'kept' });
      response.end(JSON.stringify({ method, url, host, authorization, run, body }));
    })();
  });
  const base = await passingTo(port);
  const response = await fetch(`${base}/agents/x/a2a?q=%2F`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'x-svc-run': 't', connection: 'keep-alive' },
    body: 'ü'.repeat(100_000),
  });
  expect([response.status, response.headers.get('x-own')]).toEqual([418, 'kept']);
  expect(await response.json()).toEqual({
    method: 'POST',
    url: '/agents/x/a2a?q=%2F',
    host: new URL(base).host,
    authorization: 'Bearer k',
    run: 't',
    body: 'ü'.repeat(100_000),
  });
});

test('an event passes when it comes, and a client that leaves ends the request', async () => {
  const left = Promise.withResolvers<void>();
  const port = await listen((_, response) => {
    response.once('close', () => left.resolve());
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
  });
  const hangUp = new AbortController();
  const response = await fetch(await passingTo(port), { signal: hangUp.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe('data: 1\n\n');
  hangUp.abort();
  await expect(left.promise).resolves.toBeUndefined();
});

test('where nothing listens, the refusal says so', async () => {
  const refused = Promise.withResolvers<unknown>();
  await fetch(await passingTo(await freePort(), refused.resolve)).catch(() => {});
  expect(await refused.promise).toMatchObject({ code: 'starting', status: 503 });
});
