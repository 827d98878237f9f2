import { expect, test } from 'vitest';
import { listPrices } from './list-prices.ts';
import { monthlyCost } from './monthly-cost.ts';

const size = { cpu: 1, memory_gb: 2 };

test.each([
  // 730 × (0.04048 + 2 × 0.004445)
  ['Fargate (Linux, x86)', 'us-east-1', '36.04', '144.16'],
  // 730 × 3600 × (0.000018 + 2 × 0.000002)
  ['Cloud Run', 'europe-west1', '57.82', '231.26'],
  // 730 × 3600 × (0.000024 + 2 × 0.000003)
] as const)('a month of %s in %s is the price of its replicas for 730 hours', (service, region, idle, max) => {
  const { as_of, source } = listPrices[service];
  const cost = { currency: 'USD', idle, max, as_of, source };
  expect(monthlyCost({ service, region, size, scaling: { min: 1, max: 4 } })).toEqual({ cost, notes: [] });
  expect(monthlyCost({ service, region, size, scaling: { min: 0, max: 4 } }).cost).toMatchObject({ idle: '0.00', max });
});

test('a region without a known price has no cost, and says so', () => {
  for (const region of ['moon-1', 'toString'])
    expect(monthlyCost({ service: 'Cloud Run', region, size, scaling: { min: 1, max: 1 } })).toEqual({
      notes: [`What a month costs is not known: no price of Cloud Run in ${region} is listed here.`],
    });
});
