import { expect, test } from 'vitest';
import { isAfter, unixTime } from './instant.ts';

test.each([
  ['2026-01-31T12:00:00.000000002Z', '2026-01-31T12:00:00.000000001Z'],
  ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.499999999Z'],
  ['2026-01-31T12:00:00.1Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:01Z', '2026-01-31T12:00:59.999999999Z'],
])('%s is after %s, to the nanosecond and for any number of digits', (later, earlier) => {
  expect([isAfter(later, earlier), isAfter(earlier, later), isAfter(later, later)]).toEqual([true, false, false]);
});

test('the engine gets every digit of an instant', () => {
  expect(unixTime('1970-01-01T00:01:01.123456789Z')).toBe('61.123456789');
  expect(unixTime('1970-01-01T00:01:01.5Z')).toBe('61.500000000');
});
