import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUsd, parseUsd, percentOf } from './money.ts';

test.each([
  ['0', 0, '0.00'],
  ['0.000000001', 1, '0.000000001'],
  ['0.5', 500_000_000, '0.50'],
  ['12.50', 12_500_000_000, '12.50'],
  ['12.345', 12_345_000_000, '12.345'],
  ['9007199.254740991', Number.MAX_SAFE_INTEGER, '9007199.254740991'],
])('%s USD are %d nano-USD, printed as %s', (text, nano, printed) => {
  expect(parseUsd(text)).toBe(nano);
  expect(formatUsd(nano)).toBe(printed);
});

test('a negative amount prints with a minus', () => expect(formatUsd(-1_500_000_000)).toBe('-1.50'));

test.each([
  '',
  '.5',
  '1.',
  '01',
  '-1',
  '+1',
  '1e3',
  '1,50',
  '$1',
  ' 1',
  '1\n',
  '0.0000000001',
  '9007199.254740992',
  '١',
])('%j is no amount', (text) => {
  expect(() => parseUsd(text)).toThrow(RangeError);
});

test.each([0.5, Number.NaN, Infinity, 2 ** 53])('%d is no number of nano-USD', (nano) => {
  expect(() => formatUsd(nano)).toThrow(RangeError);
});

test.each([
  [0, 1, 0],
  [4_999_999_999, 10_000_000_000, 49],
  [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, 99],
  [3, 2, 150],
  [0, 0, 100],
])('%d of %d are %d percent', (nano, limit, percent) => expect(percentOf(nano, limit)).toBe(percent));

test('every amount is read back as printed', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (nano) => {
      expect(parseUsd(formatUsd(nano))).toBe(nano);
    }),
  );
});
