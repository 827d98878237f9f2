import { expect, test } from 'vitest';
import { forecast, type UsedLimit } from './forecast.ts';

// A Sunday at noon: 12 hours to the end of the day and the week, 8.5 days to the end of the month.
const now = '2026-11-22T12:00:00.000Z';
const month = { of: 'team:ml', window: 'month', limit: 1000, spent: 400, per_day: 100 } as const;
const week = { ...month, of: 'org', window: 'week', limit: 500 } as const;
const day = { ...month, of: 'agents/greeter', window: 'day', limit: 700 } as const;

test.each<[string, (UsedLimit & { per_day: number })[], string, string | null]>([
  ['a limit that is spent within its window', [month], 'team:ml', '2026-11-28T12:00:00.000Z'],
  ['a limit that outlasts its window', [{ ...month, limit: 1300 }], 'team:ml', null],
  ['a limit that ends with its window', [{ ...month, limit: 1250 }], 'team:ml', null],
  ['a limit that ends just before its window', [{ ...month, limit: 1249 }], 'team:ml', '2026-11-30T23:45:36.000Z'],
  ['a limit without calls', [{ ...month, per_day: 0 }], 'team:ml', null],
  ['a spent limit', [month, { ...week, spent: 500 }], 'org', now],
  ['a limit of zero', [{ ...month, limit: 0, spent: 0 }], 'team:ml', now],
  ['the earlier end of two', [month, { ...week, per_day: 300 }], 'org', '2026-11-22T20:00:00.000Z'],
  [
    'a later end before a tighter limit that lasts',
    [month, { ...week, per_day: 1 }],
    'team:ml',
    '2026-11-28T12:00:00.000Z',
  ],
  [
    'the least left when none ends',
    [
      { ...month, per_day: 1 },
      { ...day, per_day: 1 },
    ],
    'agents/greeter',
    null,
  ],
  [
    'amounts beyond exact floats',
    [{ ...month, limit: Number.MAX_SAFE_INTEGER, spent: 0, per_day: Number.MAX_SAFE_INTEGER }],
    'team:ml',
    '2026-11-23T12:00:00.000Z',
  ],
])('%s', (_, limits, of, ends_at) => {
  const found = forecast(limits, now);
  expect({ of: found?.limit.of, ends_at: found?.ends_at }).toEqual({ of, ends_at });
});

test('without limits nothing ends', () => expect(forecast([], now)).toBeUndefined());
