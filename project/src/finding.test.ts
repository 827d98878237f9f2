import { expect, test } from 'vitest';
import { applyEdits, inOrder, type Edit, type Finding } from './finding.ts';
import { lineFinder } from './line-finder.ts';
import { nearest } from '@gantry/contract/nearest.ts';

const finding = (line: number, edit?: Edit): Finding => ({
  code: 'wrong_type',
  severity: 'error',
  message: 'x',
  file: 'a',
  line,
  column: 1,
  pointer: '',
  ...(edit === undefined ? {} : { edit }),
});

test('edits are applied in any order, and of two that overlap only the first', () => {
  const edits = [
    { start: 6, end: 9, text: 'C' },
    { start: 0, end: 1, text: 'AA' },
    { start: 7, end: 8, text: 'lost' },
    { start: 3, end: 3, text: '+' },
  ];
  expect(
    applyEdits(
      'a bb cccc',
      edits.map((edit) => finding(1, edit)),
    ),
  ).toBe('AA b+b cC');
});

test('findings come in the order of the file', () => {
  expect(inOrder([finding(3), finding(1), finding(2)]).map(({ line }) => line)).toEqual([1, 2, 3]);
});

test.each([
  [0, 1, 1],
  [1, 1, 2],
  [2, 2, 1],
  [3, 3, 1],
  [4, 3, 2],
])('offset %i of "a\\n\\nbc" is line %i, column %i', (offset, line, column) => {
  expect(lineFinder('a\n\nbc')(offset)).toEqual({ line, column });
});

test.each([
  ['langraph', 'langgraph'],
  ['crew', undefined],
  ['crewAI', 'crewai'],
  ['lagngraph', 'langgraph'],
  ['autogen', undefined],
  ['x'.repeat(100_000), undefined],
])('%s means %s', (word, meant) => {
  expect(nearest(word, ['langgraph', 'crewai'])).toBe(meant);
});

test('two letters in the wrong order are one mistake, also in a short word', () => {
  expect(nearest('nmae', ['name'])).toBe('name');
});
