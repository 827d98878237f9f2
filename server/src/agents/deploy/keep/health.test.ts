import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { prove } from '../../../testing/agents/agent-stand-in.ts';
import { agentConnections } from '../connections/agent-connections.ts';
import type { ProvenAddress } from '../connections/proven-client.ts';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { askHealth, askToDrain } from './health.ts';

const signal = AbortSignal.timeout(20_000);

const connections = agentConnections();
const secret = 'of the revision';

/** An instance behind a server that proves itself and otherwise answers so. */
async function instance(answer: RequestListener): Promise<ProvenAddress> {
  const url = await answeringServer((request, response) =>
    request.url === '/identity' ? prove(secret, request, response) : answer(request, response),
  );
  return { instance_id: randomUUID(), url, secret, reach: async () => ({ url, headers: {} }) };
}
const ask = async (answer: RequestListener) => await askHealth(connections, await instance(answer), signal);

test('the health of an agent is read', async () => {
  const said = '{"status":"ready","in_flight":2,"more":true}';
  expect(await ask((_, response) => response.end(said))).toEqual({ status: 'ready', in_flight: 2 });
});

test('its measurements are read, and a wrong one does not make the agent look dead', async () => {
  const answer = async (more: string) =>
    await ask((_, response) => response.end(`{"status":"ready","in_flight":2,${more}}`));
  const is = { status: 'ready', in_flight: 2 };
  expect(await answer('"concurrency":64,"cpu_seconds":1.5')).toEqual({ ...is, concurrency: 64, cpu_seconds: 1.5 });
  expect(await answer('"concurrency":0,"cpu_seconds":"much"')).toEqual(is);
  expect(await answer('"concurrency":1e300,"cpu_seconds":1e999')).toEqual(is);
});

test.each([
  'not JSON',
  '[]',
  'null',
  '{"status":"fine"}',
  // Beyond its column, where it would fail the rows of other agents.
  '{"status":"ready","in_flight":3000000000}',
])('%s is not a health answer', async (text) => {
  expect(await ask((_, response) => response.end(text))).toBeUndefined();
});

test('an endless answer is read only up to a megabyte', async () => {
  let sent = 0;
  const piece = Buffer.alloc(65_536, ' ');
  const found = await ask((_, response) => {
    const pour = () => {
      while (!response.destroyed && sent < 200_000_000) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', pour);
      }
      response.end('{"status":"ready","in_flight":0}');
    };
    pour();
  });
  expect(found).toBeUndefined();
  // The limit includes the buffers of the sockets.
  expect(sent).toBeLessThan(20_000_000);
});

test('an agent has five seconds for its health answer', async () => {
  const began = performance.now();
  expect(await ask(() => {})).toBeUndefined();
  expect(performance.now() - began).toBeGreaterThan(4900);
  const slow: RequestListener = (_, response) =>
    setTimeout(() => response.end('{"status":"ready","in_flight":1}'), 3500);
  expect(await ask(slow)).toEqual({ status: 'ready', in_flight: 1 });
});

test('a server that does not prove to be the instance gets no secret, and its answer does not count', async () => {
  const seen: (string | undefined)[] = [];
  const url = await answeringServer((request, response) => {
    seen.push(request.url);
    response.end('{"status":"ready","in_flight":0}');
  });
  const stranger = { instance_id: randomUUID(), url, secret, reach: async () => ({ url, headers: {} }) };
  expect(await askHealth(connections, stranger, signal)).toBeUndefined();
  expect(new Set(seen)).toEqual(new Set(['/identity']));
});

test('a container is asked to drain, and one with a wrapper from before gets the signal', async () => {
  const asked: string[] = [];
  const drain = async (status: number) => {
    const drained = await instance(({ method, url, headers }, response) => {
      asked.push(`${method} ${url} ${String(headers['x-svc-ingress-secret'])}`);
      response.writeHead(status).end('{}');
    });
    await askToDrain(connections, drained, { bySignal: async () => void asked.push('signal'), signal });
  };
  await drain(202);
  expect(asked).toEqual([`POST /drain ${secret}`]);
  await drain(404);
  expect(asked.slice(1)).toEqual([`POST /drain ${secret}`, 'signal']);
});
