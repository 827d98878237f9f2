import { expect, test } from 'vitest';
import { readInputSchema } from './read-input-schema.ts';

const read = (text: string) => readInputSchema('agents/a', Buffer.from(text));

test('the schema comes from the agent', () => {
  expect(read('{"input_schema": {"type": "object"}, "more": 1}')).toEqual({ type: 'object' });
});

test.each([
  ['no JSON', '<html>'],
  ['no schema', '{}'],
  ['a schema that is text', '{"input_schema": "x"}'],
  ['a schema nested as deep as it is long', `{"input_schema": {"x": ${'['.repeat(400_000)}${']'.repeat(400_000)}}}`],
])('%s gives null', (_, text) => {
  expect(read(text)).toBeNull();
});

test('an answer that is too large is refused unread', () => {
  expect(() => read(`{"input_schema": {"x": "${'x'.repeat(1024 * 1024)}"}}`)).toThrow(
    expect.objectContaining({ code: 'agent_error' }),
  );
});
