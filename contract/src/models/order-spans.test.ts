import { expect, test } from 'vitest';
import { orderSpans } from './order-spans.ts';

const drawn = (...pairs: [string, string | null][]) =>
  orderSpans(pairs.map(([span_id, parent_id]) => ({ span_id, parent_id }))).map(
    ({ span, depth }) => `${'.'.repeat(depth)}${span.span_id}`,
  );

test('each span is below its parent, in the order of the list', () => {
  expect(drawn(['a', null], ['b', 'a'], ['c', 'a'], ['d', 'b'])).toEqual(['a', '.b', '..d', '.c']);
});

test('a span with an unknown parent is at the top', () => {
  expect(drawn(['a', 'outside'], ['b', 'a'])).toEqual(['a', '.b']);
});

test('spans in a circle are all shown, and once', () => {
  expect(drawn(['a', 'b'], ['b', 'a'], ['c', 'c'])).toEqual(['a', '.b', 'c']);
});

test('a chain of thousands of spans is shown', () => {
  const chain = Array.from({ length: 20_000 }, (_, n): [string, string | null] => [
    `${n}`,
    n === 0 ? null : `${n - 1}`,
  ]);
  expect(drawn(...chain)).toHaveLength(20_000);
});
