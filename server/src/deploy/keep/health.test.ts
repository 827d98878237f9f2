import { expect, test } from 'vitest';
import { answeringServer } from '../../testing/answering-server.ts';
import { askHealth } from './health.ts';

const signal = AbortSignal.timeout(20_000);

const at = (url: string) => ({ url, headers: {} });

test('the health of an agent is read', async () => {
  const url = await answeringServer((_, response) => response.end('{"status":"ready","in_flight":2,"more":true}'));
  expect(await askHealth(at(url), signal)).toEqual({ status: 'ready', in_flight: 2 });
});

test('its measurements are read, and a wrong one does not make the agent look dead', async () => {
  const answer = async (more: string) =>
    await askHealth(
      at(await answeringServer((_, response) => response.end(`{"status":"ready","in_flight":2,${more}}`))),
      signal,
    );
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
  expect(await askHealth(at(await answeringServer((_, response) => response.end(text))), signal)).toBeUndefined();
});

test('an endless answer is read only up to a megabyte', async () => {
  let sent = 0;
  const piece = Buffer.alloc(65_536, ' ');
  const url = await answeringServer((_, response) => {
    const pour = () => {
      while (!response.destroyed && sent < 200_000_000) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', pour);
      }
      response.end('{"status":"ready","in_flight":0}');
    };
    pour();
  });
  expect(await askHealth(at(url), signal)).toBeUndefined();
  // The limit includes the buffers of the sockets.
  expect(sent).toBeLessThan(20_000_000);
});

test('an agent has five seconds for its health answer', async () => {
  const began = performance.now();
  expect(await askHealth(at(await answeringServer(() => {})), signal)).toBeUndefined();
  expect(performance.now() - began).toBeGreaterThan(4900);
  const slow = await answeringServer((_, response) =>
    setTimeout(() => response.end('{"status":"ready","in_flight":1}'), 3500),
  );
  expect(await askHealth({ url: slow, headers: {} }, signal)).toEqual({ status: 'ready', in_flight: 1 });
});
