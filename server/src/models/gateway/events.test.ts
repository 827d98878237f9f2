// Streams at the level of bytes, cut at any place.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholeEvents } from '../../governance/http/answer/event-stream.ts';
import { readEvents } from './events.ts';
import { chatCompletions } from './wires/chat-completions.ts';
import { messages } from './wires/messages.ts';
import { responses } from './wires/responses.ts';
import type { Json, Wire } from './wires/wire.ts';

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { type: string }) => `event: ${value.type}\n${data(value)}`;
// Texts of a model that look like the ends of events, and like counts.
const text = 'Bonjour é 🙂 \n\n data: "usage":{"prompt_tokens":9} \r\n\r\n';
const only_usage = data({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 10 } });

const streams: Record<string, { wire: Wire; sent: Json; stream: string; passed?: string; counts: Json }> = {
  'a chat whose client has not asked for usage': {
    wire: chatCompletions,
    sent: {},
    stream: `: comment\n\n${data({ choices: [{ delta: { content: text } }], usage: null })}${only_usage}data: [DONE]\n\n`,
    passed: `: comment\n\n${data({ choices: [{ delta: { content: text } }], usage: null })}data: [DONE]\n\n`,
    counts: { prompt_tokens: 20, completion_tokens: 10 },
  },
  'a chat whose client has asked for usage': {
    wire: chatCompletions,
    sent: { stream_options: { include_usage: true } },
    stream: `${data({ choices: [{ delta: { content: text } }], usage: null })}${only_usage}data: [DONE]\n\n`,
    counts: { prompt_tokens: 20, completion_tokens: 10 },
  },
  'a chat that counts as it goes on, with other line ends and without a last blank line': {
    wire: chatCompletions,
    sent: {},
    stream:
      'data: {"choices":[{"delta":{"content":"a"}}],\r\ndata: "usage":{"prompt_tokens":20,"completion_tokens":1}}\r\n\r\n' +
      'data:{"choices":[{"delta":{}}],"usage":{"prompt_tokens":20,"completion_tokens":2}}\r\n',
    counts: { prompt_tokens: 20, completion_tokens: 2 },
  },
  'a chat with data that is no JSON': {
    wire: chatCompletions,
    sent: {},
    stream: `data: {"usage": {\n\ndata: \ud83d\n\n${data({ choices: [{}], usage: { prompt_tokens: 1, completion_tokens: 1 } })}`,
    counts: { prompt_tokens: 1, completion_tokens: 1 },
  },
  'a response': {
    wire: responses,
    sent: {},
    stream:
      event({ type: 'response.created', response: { usage: null } } as { type: string }) +
      event({ type: 'response.output_text.delta', delta: text } as { type: string }) +
      event({ type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 2 } } } as {
        type: string;
      }),
    counts: { input_tokens: 3, output_tokens: 2 },
  },
  'a message, whose counts come in two events': {
    wire: messages,
    sent: {},
    stream:
      event({
        type: 'message_start',
        message: { usage: { input_tokens: 9, cache_read_input_tokens: 4, output_tokens: 1 } },
      } as { type: string }) +
      event({ type: 'content_block_delta', delta: { text } } as { type: string }) +
      event({ type: 'message_delta', usage: { output_tokens: 7, input_tokens: null } } as { type: string }) +
      event({ type: 'message_stop' }),
    counts: { input_tokens: 9, cache_read_input_tokens: 4, output_tokens: 7 },
  },
};

async function pass(wire: Wire, sent: Json, chunks: Iterable<Buffer>) {
  let counts: Json | undefined;
  const passed: Buffer[] = [];
  for await (const events of wholeEvents(inTurn(chunks), 1 << 20)) {
    const read = readEvents(events, { wire, sent, counts });
    ({ counts } = read);
    passed.push(read.bytes);
  }
  return { counts, passed: Buffer.concat(passed) };
}

async function* inTurn(chunks: Iterable<Buffer>) {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

describe.each(Object.entries(streams))('%s', (_, { wire, sent, stream, passed = stream, counts }) => {
  test('passes with every byte, apart from counts that nobody asked for, and is counted, wherever it is cut', async () => {
    const bytes = Buffer.from(stream);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat({ max: bytes.length }), { maxLength: 12 }), async (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(await pass(wire, sent, chunks)).toEqual({ counts, passed: Buffer.from(passed) });
      }),
    );
  });
});

test('bytes that are no UTF-8 pass unchanged', async () => {
  const bytes = Buffer.concat([Buffer.from('data: "'), Buffer.from([0xff, 0xc3]), Buffer.from(`"\n\n${only_usage}`)]);
  const { passed } = await pass(chatCompletions, {}, [bytes]);
  expect(passed).toEqual(bytes.subarray(0, bytes.length - only_usage.length));
});

test('an event over the limit ends the stream', async () => {
  const endless = wholeEvents(inTurn([Buffer.from('data: 1\n\n'), Buffer.alloc(100, 'x')]), 50);
  expect((await endless.next()).value).toEqual(Buffer.from('data: 1\n\n'));
  await expect(endless.next()).rejects.toThrow('exceeds the limit');
});

test('an event in many small pieces takes no more than its share of time', async () => {
  const timeOf = async (pieces: number) => {
    const chunks = [...Array.from({ length: pieces }, () => Buffer.alloc(64, 'x')), Buffer.from('\n\n')];
    const started = performance.now();
    for await (const event of wholeEvents(inTurn(chunks), 1 << 24)) expect(event.length).toBe(pieces * 64 + 2);
    return performance.now() - started;
  };
  const leastOf = async (pieces: number) => Math.min(await timeOf(pieces), await timeOf(pieces), await timeOf(pieces));
  const short = await leastOf(4000);
  expect(await leastOf(32_000)).toBeLessThan(8 * 3 * short + 5);
});
