import { endpoints } from '@gantry/contract/endpoints.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { printAnswer } from '../../../governance/http/answer/answer.ts';
import { eventStream } from '../../../governance/http/answer/event-stream.ts';
import { blocksWord, endless, guardedCall, hidesEmail } from '../../../testing/models/plain-rules.ts';
import { guardedEvents, guardedInput, guardedOutput } from './guarded-invocation.ts';

const guard = () => guardedCall(hidesEmail, blocksWord);
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const answer = (value: unknown) => ({ status: 200, content_type: 'application/json', body: bytes(value) });

test('a value that the caller gave comes out again, another one does not', async () => {
  const guarded = guard();
  const input = bytes({ input: { messages: [{ role: 'user', content: 'I am ann@example.com' }] } });
  expect(await guardedInput(guarded, input)).toBe(input);
  const { body } = await guardedOutput(
    guarded,
    answer({ run_id: 'r', output: { text: 'Ann@example.com or eve@example.com' } }),
  );
  expect(JSON.parse(body.toString())).toEqual({ run_id: 'r', output: { text: 'Ann@example.com or [EMAIL_1]' } });
});

test('an input with a forbidden word is blocked, and the reason has no text of it', async () => {
  const input = bytes({ input: { deep: [{ 'a forbidden name': 1 }] } });
  await expect(guardedInput(guard(), input)).rejects.toMatchObject({
    code: 'guardrail_blocked',
    detail: 'content_filter blocked the input: a word of its list.',
    fields: { guardrail: 'content_filter' },
  });
});

test('the detail of a failed run is an answer too', async () => {
  const failed = {
    status: 500,
    content_type: 'application/problem+json',
    body: bytes({ type: 'about:blank', detail: 'no user eve@example.com' }),
  };
  expect((await guardedOutput(guard(), failed)).body.toString()).toContain('no user [EMAIL_1]');
});

test('an answer that no rule changes keeps its bytes', async () => {
  const body = Buffer.from('{"output": 1.0,  "big": 12345678901234567890}');
  const given = { status: 200, content_type: 'application/json', body };
  expect((await guardedOutput(guard(), given)).body).toBe(body);
});

async function streamed(events: readonly object[]) {
  async function* chunks() {
    for (const event of events) yield Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
  }
  const all: string[] = [];
  for await (const text of guardedEvents(guard(), chunks(), endless)) all.push(text);
  return all.map((text) => JSON.parse(text.slice('data: '.length)) as Record<string, unknown>);
}

const text = (delta: string) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta });

test('a streamed answer hides a value in pieces, in its result, in its state and in events of the agent', async () => {
  const events = await streamed([
    { type: 'RUN_STARTED', runId: 'r', threadId: 't' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
    text('ask eve@ex'),
    text('ample.com now'),
    { type: 'TEXT_MESSAGE_END', messageId: 'm' },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'mail' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"to": "eve@' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: 'example.com"}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    { type: 'CUSTOM', name: 'progress', value: 'eve@exam' },
    { type: 'CUSTOM', name: 'progress', value: 'ple.com' },
    { type: 'STATE_SNAPSHOT', snapshot: { 'eve@example.com': true } },
    { type: 'RUN_FINISHED', runId: 'r', threadId: 't', result: { text: 'ask eve@example.com now' } },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/eve@|ple\.com/);
  const said = events.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT').map(({ delta }) => delta);
  expect(said.join('')).toBe('ask [EMAIL_1] now');
  expect(events.map(({ type }) => type).slice(-2)).toEqual(['CUSTOM', 'RUN_FINISHED']);
  expect(events.at(-2)).toMatchObject({
    name: 'guardrails',
    value: { summary: expect.stringMatching(/^pii_detection;redacted=\d+/) },
  });
});

test('a blocked stream ends with RUN_ERROR, and nothing that was held goes out', async () => {
  const events = await streamed([text('it is forbid'), text('den'), { type: 'RUN_FINISHED', runId: 'r' }]);
  expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'guardrail_blocked' });
  expect(JSON.stringify(events.slice(0, -2))).not.toContain('forbid');
});

afterEach(() => void vi.useRealTimers());

test('a stream whose agent only sends keepalives, or whose text is held, sends comments', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
  const ended = Promise.withResolvers<void>();
  async function* chunks() {
    yield Buffer.from(`data: ${JSON.stringify(text('it is forbid'))}\n\n`);
    yield Buffer.from(': keepalive\n\n');
    await ended.promise;
    yield Buffer.from(`data: ${JSON.stringify({ type: 'RUN_FINISHED', runId: 'r' })}\n\n`);
  }
  const events = guardedEvents(guard(), chunks(), endless);
  const refuse = () => expect.unreachable('nothing is refused');
  const { body } = printAnswer(endpoints['invoke.stream'], eventStream(events), { signal: endless, refuse });
  const said: string[] = [];
  const reading = (async () => {
    for await (const one of body as AsyncIterable<string>) said.push(one); // a stream
  })();
  // The timer of the comments starts when the guard has looked at the text, which takes time of its own.
  const comments = async () => {
    await vi.advanceTimersByTimeAsync(15_000);
    return said.filter((one) => one === ': keepalive\n\n').length;
  };
  await expect.poll(comments).toBeGreaterThanOrEqual(2);
  expect(said.join('')).not.toContain('forbid');
  ended.resolve();
  await reading;
  expect(said.at(-1)).toContain('RUN_FINISHED');
});
