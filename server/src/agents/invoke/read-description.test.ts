import { expect, test } from 'vitest';
import { parseDescription } from './read-description.ts';

const read = (text: string) => parseDescription('agents/a', Buffer.from(text));

test('the schema and the kind of threads come from the agent', () => {
  expect(
    read('{"input_schema": {"type": "object"}, "keeps_threads": true, "required_fields": ["x"], "more": 1}'),
  ).toEqual({
    input_schema: { type: 'object' },
    keeps_threads: true,
    required_fields: ['x'],
  });
});

test.each([
  ['no JSON', '<html>'],
  ['no schema', '{}'],
  ['a schema that is text', '{"input_schema": "x"}'],
  ['a schema nested as deep as it is long', `{"input_schema": {"x": ${'['.repeat(400_000)}${']'.repeat(400_000)}}}`],
])('%s gives null, without threads', (_, text) => {
  expect(read(text)).toEqual({ input_schema: null, keeps_threads: false, required_fields: null });
});

test('an answer that is too large is refused unread', () => {
  expect(() => read(`{"input_schema": {"x": "${'x'.repeat(1024 * 1024)}"}}`)).toThrow(
    expect.objectContaining({ code: 'agent_error' }),
  );
});
