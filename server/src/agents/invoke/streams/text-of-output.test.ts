import { expect, test } from 'vitest';
import { textOfOutput } from './text-of-output.ts';

test.each([
  ['a text', 'hello', 'hello'],
  ['a crew', { raw: 'done', tasks: [{ raw: 'first' }], token_usage: {} }, 'done'],
  [
    'messages',
    {
      messages: [
        { role: 'assistant', content: 'first' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'se' },
            { type: 'text', text: 'cond' },
          ],
        },
        { role: 'tool', content: 'result' },
      ],
    },
    'second',
  ],
  ['one text beside numbers', { answer: 'yes', score: 1 }, 'yes'],
  ['two texts', { a: 'x', b: 'y' }, '{"a":"x","b":"y"}'],
  ['a list', [1, 2], '[1,2]'],
  ['nothing', undefined, ''],
])('%s', (_, output, text) => {
  expect(textOfOutput(output)).toBe(text);
});
