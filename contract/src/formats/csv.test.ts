import { expect, test } from 'vitest';
import { csv } from './csv.ts';

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-2', "'-2"],
  ['-', '-'],
])('%j is the cell %j', (value, cell) => {
  expect(csv(['name', 'calls'], [[value, 3]])).toBe(`name,calls\n${cell},3`);
});
