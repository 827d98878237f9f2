import { expect, test } from 'vitest';
import { processorUse } from './processor-use.ts';

const health = (cpu_seconds?: number) => ({ status: 'ready', in_flight: 0, cpu_seconds }) as const;

test('the use is the mean of the instances over the last 30 s, in percent of their limit', () => {
  const use = processorUse();
  use.note('one', health(0), 0);
  use.note('one', health(100), 60_000);
  use.note('one', health(105), 80_000);
  expect(use.percentOf(['one'], 1)).toBe(25);
  expect(use.percentOf(['one'], 0.5)).toBe(50);
  use.note('two', health(0), 60_000);
  expect(use.percentOf(['one', 'two'], 1)).toBeUndefined();
  use.note('two', health(15), 80_000);
  expect(use.percentOf(['one', 'two'], 1)).toBe(50);
});

test('a restarted container, a short time and an absent measurement give no figure', () => {
  const use = processorUse();
  use.note('one', health(50), 0);
  use.note('one', health(51), 9_999);
  expect(use.percentOf(['one'], 1)).toBeUndefined();
  use.note('one', health(1), 20_000);
  expect(use.percentOf(['one'], 1)).toBeUndefined();
  use.note('one', health(undefined), 40_000);
  use.note('one', health(4), 50_000);
  expect(use.percentOf(['one'], 1)).toBe(10);
  use.keepOnly(new Set());
  expect(use.percentOf(['one'], 1)).toBeUndefined();
});
