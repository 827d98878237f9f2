// Streams whose source says nothing for a while, with a clock of the test.
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { printAnswer } from './answer.ts';
import { eventStream, eventsIn, printEvent, textOfData, wholeEvents } from './event-stream.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const streams = Object.entries<Endpoint>(endpoints).flatMap(([name, { reply }]) =>
  reply.kind === 'stream' ? [name as EndpointName] : [],
);
const never = new AbortController().signal;
const asked = { signal: never, refuse: () => expect.unreachable('nothing is refused') };

function source() {
  const said = Promise.withResolvers<string>();
  const state = { isClosed: false };
  async function* chunks() {
    try {
      yield 'data: 1\n\n';
      yield await said.promise;
    } finally {
      state.isClosed = true;
    }
  }
  return { say: said.resolve, fail: said.reject, state, chunks };
}

/** A reader of the endpoint's answer, when the handler gives this source. */
function reading(name: EndpointName, { chunks }: ReturnType<typeof source>) {
  const { body } = printAnswer(endpoints[name], eventStream(chunks()), asked);
  return (body as AsyncIterable<string>)[Symbol.asyncIterator](); // a stream
}

test('streams of agents, of orchestrations, of A2A and of models are among those', () => {
  expect(streams).toEqual(
    expect.arrayContaining(['invoke.stream', 'orchestrate.stream', 'a2a.rpc', 'a2a.stream', 'gateway.messages']),
  );
});

test.each(streams)('%s sends a comment after each 15 s without an event, and loses no event', async (name) => {
  const from = source();
  const reader = reading(name, from);
  expect((await reader.next()).value).toBe('data: 1\n\n');
  for (let n = 0; n < 3; n++) {
    const comment = reader.next();
    await vi.advanceTimersByTimeAsync(15_000);
    expect((await comment).value).toBe(': keepalive\n\n');
  }
  from.say('data: 2\n\n');
  expect([(await reader.next()).value, (await reader.next()).done]).toEqual(['data: 2\n\n', true]);
  expect(from.state.isClosed).toBe(true);
});

test('a failure of a silent stream breaks it, also after a comment', async () => {
  const from = source();
  const reader = reading('invoke.stream', from);
  await reader.next();
  const comment = reader.next();
  await vi.advanceTimersByTimeAsync(15_000);
  await comment;
  from.fail(new Error('other side closed'));
  await expect(reader.next()).rejects.toThrow('other side closed');
});

test('an answer in one piece, and a stream of another type, pass unchanged', () => {
  const whole = { status: 422, headers: { 'content-type': 'application/problem+json' }, body: '{}' };
  expect(printAnswer(endpoints['invoke.stream'], whole, asked)).toBe(whole);
  const lines = { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body: source().chunks() };
  expect(printAnswer(endpoints['invoke.stream'], lines, asked)).toBe(lines);
});

test.each(['\n', '\r\n'])(
  'an event ends with a blank line, when lines end with %j, wherever it is cut',
  async (end) => {
    const bytes = Buffer.from(`: one${end}${end}data: {"n":1}${end}data: 2${end}${end}data: 3${end}${end}data: half`);
    for (let size = 1; size <= bytes.length; size++) {
      const cut = async function* () {
        for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
      };
      const seen: string[] = [];
      for await (const events of wholeEvents(cut(), 1000))
        for (const one of eventsIn(events)) seen.push(textOfData(one));
      expect(seen).toEqual(['', '{"n":1}\n2', '3', 'half']);
    }
  },
);

test('a printed event is one event, whatever its text', () => {
  const event = { type: 'TEXT', delta: 'a\n\ndata: b\r\n' };
  const [only, ...more] = [...eventsIn(Buffer.from(printEvent(event)))];
  expect([JSON.parse(textOfData(only ?? Buffer.alloc(0))), more]).toEqual([event, []]);
});
