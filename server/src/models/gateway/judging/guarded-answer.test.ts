import { expect, test } from 'vitest';
import { Blocked } from '../../guardrails/guarded-call.ts';
import { blocksWord, endless, guardedCall, hidesEmail } from '../../../testing/models/plain-rules.ts';
import { guardedAnswer, guardedStream } from './guarded-answer.ts';
import { chatCompletions } from '../wires/chat-completions.ts';
import { messages } from '../wires/messages.ts';
import { responses } from '../wires/responses.ts';
import type { Json, Wire } from '../wires/wire.ts';

/** The text that a client puts together, and the events that it gets. */
async function streamed(wire: Wire, sent: readonly Json[], { done = false } = {}) {
  const guarded = guardedCall(hidesEmail, blocksWord);
  // A value that went in comes out again.
  await guarded.check('model_in', [{ text: 'write to ann@example.com', source: 'message' }]);
  const stream = guardedStream(guarded, wire, endless);
  let text = '';
  for (const event of sent)
    text += await stream.take(
      Buffer.from(
        `${wire === chatCompletions ? '' : `event: ${String(event['type'])}\n`}data: ${JSON.stringify(event)}\n\n`,
      ),
    );
  if (done) text += await stream.take(Buffer.from('data: [DONE]\n\n'));
  text += await stream.end();
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Json);
  return { text, events };
}

const joined = (deltas: readonly Json[], member: string) =>
  deltas.map((delta) => (typeof delta[member] === 'string' ? delta[member] : '')).join('');
const chunk = (delta: Json, finish_reason: string | null = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason, logprobs: { content: [{ token: 'eve@example.com' }] } }],
});
const pieces = ['Dear [EMA', 'IL_1], ask e', 've@exam', 'ple.com or ann@', 'example.com', ' again'];
const said = 'Dear ann@example.com, ask [EMAIL_2] or ann@example.com again';

test('a chat stream is released piece by piece, with the value that went in and without the other one', async () => {
  const { text, events } = await streamed(
    chatCompletions,
    [
      chunk({ role: 'assistant', content: '' }),
      ...pieces.map((content) => chunk({ content, novelty: 'eve@example.com' })),
      chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'mail', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"to": "e\\u0076e@exam' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'ple.com", "cc": "[EMAIL_1]"}' } }] }),
      chunk({}, 'stop'),
    ],
    { done: true },
  );
  const deltas = events.flatMap(({ choices }) => (choices as { delta: Json }[]).map(({ delta }) => delta));
  expect(joined(deltas, 'content')).toBe(said);
  const calls = deltas.flatMap(({ tool_calls }) => (tool_calls ?? []) as { function: { arguments: string } }[]);
  expect(JSON.parse(calls.map((call) => call.function.arguments).join(''))).toEqual({
    to: '[EMAIL_2]',
    cc: 'ann@example.com',
  });
  expect(text).not.toContain('eve@');
  expect(events.length).toBeGreaterThan(4);
  expect(text).toMatch(/: x-guardrails: pii_detection;redacted=\d+, content_filter\n\ndata: \[DONE\]\n\n$/);
});

test('a stream of responses keeps the order of its events, and its last event repeats only what went out', async () => {
  const at = { item_id: 'i', output_index: 0, content_index: 0 };
  const raw = pieces.join('');
  const { text, events } = await streamed(responses, [
    { type: 'response.created', sequence_number: 0, response: { id: 'r', output: [] } },
    ...pieces.map((delta, index) => ({
      type: 'response.output_text.delta',
      ...at,
      sequence_number: index + 1,
      delta,
      logprobs: [{ token: 'eve@example.com' }],
    })),
    { type: 'response.novelty.delta', delta: 'eve@example.com', sequence_number: 8 },
    { type: 'response.output_text.done', ...at, text: raw, sequence_number: 9 },
    { type: 'response.content_part.done', ...at, part: { type: 'output_text', text: raw }, sequence_number: 10 },
    {
      type: 'response.completed',
      sequence_number: 11,
      response: { id: 'r', output: [{ type: 'message', content: [{ type: 'output_text', text: raw }] }] },
    },
  ]);
  const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
  expect(deltas.map(({ delta }) => delta).join('')).toBe(said);
  expect(events.find(({ type }) => type === 'response.output_text.done')).toMatchObject({ text: said });
  expect(JSON.stringify(events.at(-1))).toContain(said);
  expect(text).not.toContain('eve@');
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
});

test('a stream of Anthropic ends each block with the rest of its text', async () => {
  const { text, events } = await streamed(messages, [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...pieces.map((piece) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'mail', input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"to":"eve@exa' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: 'mple.com"}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]);
  const deltas = events.filter(({ type }) => type === 'content_block_delta').map(({ delta }) => delta as Json);
  expect(joined(deltas, 'text')).toBe(said);
  expect(joined(deltas, 'partial_json')).toBe('{"to":"[EMAIL_2]"}');
  expect(text).not.toContain('eve@');
  const types = events.map(({ type }) => type);
  expect(types.indexOf('content_block_stop')).toBeGreaterThan(types.indexOf('content_block_delta'));
  expect(types.at(-1)).toBe('message_stop');
});

test('a word that comes in two pieces blocks, and neither piece goes out', async () => {
  const guarded = guardedCall(blocksWord);
  const stream = guardedStream(guarded, chatCompletions, endless);
  const take = async (content: string) =>
    await stream.take(Buffer.from(`data: ${JSON.stringify(chunk({ content }))}\n\n`));
  const passed = await take('it is forbid');
  await expect(take('den')).rejects.toThrow(Blocked);
  expect(passed).not.toContain('forbid');
  expect(guarded.done).toContainEqual({ rule: 'content_filter', place: 'model_out', outcome: 'blocked', count: 1 });
});

test('all choices of an answer are read, also its numbers in arguments', async () => {
  const arguments_ = '{"to": "eve@example.com"}';
  const answer = await guardedAnswer(guardedCall(hidesEmail), chatCompletions, {
    id: 'c',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'ask eve@example.com' },
        logprobs: { content: [{ token: 'eve@example.com' }] },
      },
      { index: 1, message: { content: null, reasoning_content: 'eve@example.com', refusal: 'eve@example.com' } },
      { index: 2, message: { tool_calls: [{ id: 't', function: { name: 'mail', arguments: arguments_ } }] } },
    ],
    usage: { prompt_tokens: 1234567 },
  });
  expect(JSON.stringify(answer)).not.toContain('eve@');
  expect(JSON.stringify(answer)).toContain(JSON.stringify('{"to":"[EMAIL_1]"}').slice(1, -1));
  expect(answer['usage']).toEqual({ prompt_tokens: 1234567 });
});
