import { title_length } from '@gantry/contract/agents/threads.ts';
import { expect, test } from 'vitest';
import { titleOf } from './titles.ts';

const said = (content: unknown) =>
  titleOf([
    [
      'messages',
      [
        { role: 'system', content: 'be kind' },
        { role: 'user', content },
      ],
    ],
  ]);

test('a title is what the user said first, in one line', () => {
  expect(said('What is\nan agent?')).toBe('What is an agent?');
  expect(said([{ type: 'text', text: 'Look:' }, { type: 'image_url' }, { type: 'text', text: 'what is it?' }])).toBe(
    'Look: what is it?',
  );
});

test('an agent without messages has the plain values of its input as the title', () => {
  expect(
    titleOf([
      ['order', '12'],
      ['amount', 80],
      ['items', [1, 2]],
      ['branch:to:pay', 'x'],
    ]),
  ).toBe('amount 80, order 12');
});

test('a title has at most its length, and no half of a character', () => {
  const title = said(`${'x'.repeat(title_length - 2)}😀😀`) ?? '';
  expect(title.length).toBeLessThanOrEqual(title_length);
  expect(title.isWellFormed()).toBe(true);
  expect(title.endsWith('…')).toBe(true);
});

test('what has no words has no title, and no control character reaches a list', () => {
  expect(titleOf([['items', []]])).toBeUndefined();
  expect(said(' \u202e\u0007 ')).toBeUndefined();
  expect(said('a\u202eb\u0000c')).toBe('a b c');
});
