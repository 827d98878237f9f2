import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { askHealth } from './health.ts';

async function agent(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

const signal = AbortSignal.timeout(20_000);

test('what an agent says of itself is read', async () => {
  const url = await agent((_, response) => response.end('{"status":"ready","in_flight":2,"more":true}'));
  expect(await askHealth(url, signal)).toEqual({ status: 'ready', in_flight: 2 });
});

test.each(['not JSON', '[]', 'null', '{"status":"fine"}'])('%s is no health', async (text) => {
  expect(await askHealth(await agent((_, response) => response.end(text)), signal)).toBeUndefined();
});

test('an answer without end is not read any further than a megabyte', async () => {
  let sent = 0;
  const piece = Buffer.alloc(65_536, ' ');
  const url = await agent((_, response) => {
    const pour = () => {
      while (!response.destroyed && sent < 200_000_000) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', pour);
      }
      response.end('{"status":"ready","in_flight":0}');
    };
    pour();
  });
  expect(await askHealth(url, signal)).toBeUndefined();
  // What the sockets hold is on its way as well.
  expect(sent).toBeLessThan(20_000_000);
});
