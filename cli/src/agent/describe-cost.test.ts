import type { CostForecast } from '@gantry/contract/models/costs.ts';
import { expect, test } from 'vitest';
import { describeCost, describeForecast } from './describe-cost.ts';

const cap = { of: 'team:x', window: 'month', limit_usd: '5.00', spent_usd: '3.10', percent: 62 } as const;

test('the cost of an agent has its day, its month and the tightest budget', () => {
  const cost = { today_usd: '0.42', month_usd: '3.10', cap };
  expect(describeCost(cost)).toBe("$0.42 today · $3.10 this month · 62 % of team:x's month ($5.00)");
  expect(describeCost({ ...cost, cap: null })).toBe('$0.42 today · $3.10 this month · no budget');
  expect(describeCost(null)).toBeUndefined();
});

const average = { per_day_usd: '0.44', days: 7, cap, cap_ends_at: '2026-11-28T10:00:00.000Z' } as const;
test.each<[Partial<CostForecast>, string]>([
  [{}, "$0.44 a day over the last 7 days; at this rate the month's $5.00 of team:x ends on 28 Nov"],
  [
    { cap_ends_at: null, days: 1 },
    "$0.44 a day over the last day; at this rate the month's $5.00 of team:x lasts to the end of the month",
  ],
  [
    { cap: { ...cap, window: 'day' } },
    "$0.44 a day over the last 7 days; at this rate the day's $5.00 of team:x ends at 10:00 UTC",
  ],
  [{ cap: { ...cap, percent: 100 } }, "$0.44 a day over the last 7 days; the month's $5.00 of team:x is spent"],
  [{ cap: null, cap_ends_at: null }, '$0.44 a day over the last 7 days; no budget limits it'],
  [{ per_day_usd: null, cap: null, cap_ends_at: null }, 'no calls in the last 7 days; no budget limits it'],
])('a forecast %j in words: %s', (more, words) => {
  expect(describeForecast({ ...average, ...more })).toBe(words);
});
