import { expect, test } from 'vitest';
import { bucketOf, latency_bounds_ms, newHistogram, quantile } from './latency.ts';

const histogramOf = (...times_ms: number[]) => {
  const histogram = newHistogram();
  for (const ms of times_ms) histogram[bucketOf(ms)] = (histogram[bucketOf(ms)] ?? 0) + 1;
  return histogram;
};

test('a time is in the bucket of the first bound that is not below it', () => {
  expect([0, 50, 50.1, 100, 300_000, 300_001].map((ms) => bucketOf(ms))).toEqual([0, 0, 1, 1, 10, 11]);
  expect(newHistogram()).toHaveLength(latency_bounds_ms.length + 1);
});

test('a quantile is within the bucket of its call, and without calls there is none', () => {
  expect(quantile(histogramOf(), 0.5)).toBe(null);
  const times = [10, 20, 30, 40, 200, 200, 200, 200, 200, 4000];
  expect(quantile(histogramOf(...times), 0.5)).toBeGreaterThan(100);
  expect(quantile(histogramOf(...times), 0.5)).toBeLessThanOrEqual(250);
  expect(quantile(histogramOf(...times), 0.95)).toBeGreaterThan(2500);
  expect(quantile(histogramOf(...times), 1)).toBe(5000);
  expect(quantile(histogramOf(10_000_000), 0.5)).toBe(300_000);
});
