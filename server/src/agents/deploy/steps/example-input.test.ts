import { expect, test } from 'vitest';
import { exampleInput } from './example-input.ts';

const schema = (properties: object, required?: string[]) => ({
  input_schema: { type: 'object', properties, required },
});
const text = { type: 'string' };

test.each([
  ['a state with a message', schema({ message: text, answer: text }, ['message', 'answer']), { message: 'hi' }],
  ['the variables of a crew', schema({ topic: { title: 'topic' } }, ['topic']), { topic: 'hi' }],
  ['several variables', schema({ city: text, days: { type: 'integer' } }, ['city', 'days']), { city: 'hi', days: 1 }],
  ['a conversation', schema({ messages: {} }), { messages: [{ role: 'user', content: 'hi' }] }],
  ['no required field', schema({ question: text, more: text }), { question: 'hi' }],
])('of %s', (_, ready, expected) => {
  expect(exampleInput(ready)).toEqual(expected);
});

test.each([
  ['nothing', {}],
  ['no fields', schema({})],
  ['fields with names that are unsafe in a shell', schema({ "'; rm -rf /": text })],
  [
    'too many fields for typing',
    schema(Object.fromEntries(Array.from('abcdef').map((name) => [name, text])), Array.from('abcdef')),
  ],
  ['a schema that is text', { input_schema: 'a string' }],
])('an agent with %s gives no example', (_, ready) => {
  expect(exampleInput(ready)).toBeNull();
});
