import { expect, test } from 'vitest';
import { readyNotices } from './ready-notices.ts';

test("an agent's notices are shown without terminal codes", () => {
  expect(readyNotices({ notices: ['threads end with the container', 'a\u001b[2Jb'] })).toEqual([
    'threads end with the container',
    'a [2Jb',
  ]);
});

test.each([
  {},
  { notices: 'no list' },
  { notices: [1] },
  { notices: ['x'.repeat(1001)] },
  { notices: Array(21).fill('x') },
])('a value that is not a list of a few short texts is not shown: %j', (ready) => {
  expect(readyNotices(ready)).toEqual([]);
});
