import { expect, test } from 'vitest';
import { NestedEvents } from './nested-events.ts';
import { runReaders } from './run-readers.ts';

const call = { path: '1:bob', call_id: 'c' };
const attributed = { subagentRunId: 'c', metadata: { path: '1:bob' } };

test('ids and step names get the call before them, and the state and the end of the member stay away', () => {
  const nested = new NestedEvents(call);
  const told = [
    { type: 'RUN_STARTED', runId: 'c', threadId: 't' },
    { type: 'STEP_STARTED', stepName: 'work' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'hi' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm' },
    { type: 'TOOL_CALL_START', toolCallId: 't', toolCallName: 'look', parentMessageId: 'm' },
    { type: 'STATE_SNAPSHOT', snapshot: { a: 1 } },
    { type: 'CUSTOM', name: 'custom', value: 1 },
    { type: 'RUN_FINISHED', runId: 'c', threadId: 't', result: 1 },
  ].flatMap((event) => nested.of(event));
  expect(told).toEqual([
    { type: 'STEP_STARTED', stepName: '1:bob/work', ...attributed },
    { type: 'TEXT_MESSAGE_START', messageId: 'c/m', role: 'assistant', ...attributed },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'c/m', delta: 'hi', ...attributed },
    { type: 'TEXT_MESSAGE_END', messageId: 'c/m', ...attributed },
    { type: 'TOOL_CALL_START', toolCallId: 'c/t', toolCallName: 'look', parentMessageId: 'c/m', ...attributed },
    { type: 'CUSTOM', name: 'custom', value: 1, ...attributed },
  ]);
  expect(nested.close()).toEqual([
    { type: 'STEP_FINISHED', stepName: '1:bob/work', ...attributed },
    { type: 'TOOL_CALL_END', toolCallId: 'c/t', ...attributed },
  ]);
});

test('a piece of a text that never began is left out', () => {
  const nested = new NestedEvents(call);
  expect(nested.of({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'hi' })).toEqual([]);
  expect(nested.of({ type: 'TEXT_MESSAGE_END', messageId: 'm' })).toEqual([]);
});

test('a reader that does not read gets no more than it can hold, then a notice and the ends', async () => {
  const reader = runReaders().open('run');
  const listener = reader.listener(call.path, call.call_id);
  listener.begin();
  reader.start(call.path);
  listener.hear({ type: 'TEXT_MESSAGE_START', messageId: 'm' });
  const piece = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'x'.repeat(1000) };
  let heard = 0;
  while (listener.hear(piece)) heard++;
  expect(heard).toBeLessThan(1100);
  listener.end();
  await reader.ended(call.path);
  reader.finish(call.path);
  const told = reader.told.take();
  expect(told.filter((event) => event.includes('"notice"'))).toHaveLength(1);
  expect(told.slice(-2).join('')).toMatch(/"name":"notice".*"TEXT_MESSAGE_END"/s);
  // The next call of a reader who has caught up is told again.
  const next = reader.listener('2:bob', 'd');
  next.begin();
  expect(next.hear({ type: 'CUSTOM', name: 'custom', value: 1 })).toBe(true);
});

test('what a call says before its step begins in the stream comes after that beginning', () => {
  const reader = runReaders().open('run');
  const listener = reader.listener(call.path, call.call_id);
  listener.begin();
  listener.hear({ type: 'CUSTOM', name: 'custom', value: 1 });
  expect(reader.told.take()).toEqual([]);
  reader.start(call.path);
  expect(reader.told.take()).toHaveLength(1);
});

test('after its end a step says nothing more, and what it has begun is ended', () => {
  const reader = runReaders().open('run');
  const listener = reader.listener(call.path, call.call_id);
  listener.begin();
  reader.start(call.path);
  listener.hear({ type: 'TEXT_MESSAGE_START', messageId: 'm' });
  reader.finish(call.path);
  expect(listener.hear({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'late' })).toBe(false);
  listener.end();
  const types = reader.told.take().map((text) => (JSON.parse(text.slice(6)) as { type: string }).type);
  expect(types).toEqual(['TEXT_MESSAGE_START', 'TEXT_MESSAGE_END']);
});

test('a reader who leaves ends the listening of its calls, and later calls find no reader', () => {
  const readers = runReaders();
  const { signal } = readers.open('run').listener(call.path, call.call_id);
  expect(signal.aborted).toBe(false);
  readers.of('run')?.close();
  expect([signal.aborted, readers.of('run')]).toEqual([true, undefined]);
});
