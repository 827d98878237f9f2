import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { readBytes } from './body.ts';

// 100 bytes in each window.
const rate = { bytes_per_second: 1000, window_ms: 100 };

/** The result of reading a body that is sent like this. */
async function readOf(send: (socket: Socket) => Promise<void>): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  const url = new URL(await answeringServer((incoming) => resolve(incoming)));
  const socket = connect(Number(url.port), url.hostname);
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n');
  const read = readBytes(await promise, 1000, rate).catch((error: unknown) => error);
  await send(socket);
  const result = await read;
  socket.destroy();
  return result;
}

test.each([
  ['nothing comes', 0],
  ['it stalls in the middle', 500],
])('a body of which %s is refused', async (_, bytes) => {
  const read = await readOf(async (socket) => void (await Promise.resolve(socket.write(Buffer.alloc(bytes)))));
  expect(read).toMatchObject({ code: 'request_timeout' });
});

test('a body that comes in pieces, each in its window, is whole', async () => {
  const read = await readOf(async (socket) => {
    for (let n = 0; n < 4; n++) {
      socket.write(Buffer.alloc(250));
      await sleep(50);
    }
  });
  expect(read).toHaveLength(1000);
});

test('reading ends also when the sender left before its start', async () => {
  const url = new URL(
    await answeringServer((incoming) => {
      incoming.once('close', () => ended.resolve(readBytes(incoming, 1000, rate).catch((error: unknown) => error)));
    }),
  );
  const ended = Promise.withResolvers<unknown>();
  const socket = connect(Number(url.port), url.hostname);
  socket.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n');
  expect(await ended.promise).toMatchObject({ code: 'request_timeout' });
});
