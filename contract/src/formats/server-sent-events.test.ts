import { expect, test } from 'vitest';
import { printServerSentEvent, readServerSentEvents } from './server-sent-events.ts';

const events = [
  { id: '7', event: 'step', data: '{"name":"büild"}\nsecond line' },
  { data: '' },
  { id: '8', data: 'after' },
];
const text = events.map(printServerSentEvent).join('');

test.each([
  ['LF', text],
  ['CR LF', text.replaceAll('\n', '\r\n')],
])('printed events are read back with %s, wherever the stream is cut into chunks', async (_, sent) => {
  const bytes = new TextEncoder().encode(sent);
  for (const size of [1, 2, 3, 5, bytes.length]) expect(await read(bytes, size)).toEqual(events);
});

test('comments are dropped, and an event that the end of the stream cuts off is not reported', async () => {
  const bytes = new TextEncoder().encode(': heartbeat\n\ndata: whole\n\ndata: cut off\n');
  expect(await read(bytes, bytes.length)).toEqual([{ data: 'whole' }]);
});

test('a reader that stops early cancels the stream', async () => {
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>();
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: more\n\n')),
    cancel: () => cancel(),
  });
  for await (const { data } of readServerSentEvents(endless)) {
    expect(data).toBe('more');
    break;
  }
  await cancelled;
});

async function read(bytes: Uint8Array<ArrayBuffer>, size: number) {
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.slice(n * size, (n + 1) * size),
  );
  return await Array.fromAsync(readServerSentEvents(ReadableStream.from(chunks)));
}
