import { expect, test } from 'vitest';
import { idleness } from './idleness.ts';

const health = (calls: number | undefined, in_flight = 0) => ({ status: 'ready' as const, in_flight, calls });

test('an instance is idle since the end of its last call, also of one between two looks', () => {
  const idle = idleness();
  expect(idle.idleMs(['a'], 0)).toBe(0);
  idle.note('a', health(0), 1000);
  idle.note('a', health(0), 5000);
  expect(idle.idleMs(['a'], 5000)).toBe(4000);
  idle.note('a', health(1), 6000);
  expect(idle.idleMs(['a'], 7000)).toBe(1000);
  idle.note('a', health(2, 1), 8000);
  idle.note('a', health(2, 1), 9000);
  idle.note('a', health(2), 10_000);
  idle.note('a', undefined, 11_000);
  expect(idle.idleMs(['a'], 12_000)).toBe(3000);
});

test('several instances are as idle as the busiest one, and one that counts no calls never is', () => {
  const idle = idleness();
  idle.note('a', health(0), 0);
  idle.note('b', health(0), 500);
  expect(idle.idleMs(['a', 'b'], 1000)).toBe(500);
  expect(idle.idleMs(['a', 'unseen'], 1000)).toBe(0);
  idle.note('old', health(undefined), 0);
  idle.note('old', health(undefined), 1000);
  expect(idle.idleMs(['old'], 1000)).toBe(0);
  idle.keepOnly(new Set(['b']));
  expect(idle.idleMs(['a'], 1000)).toBe(0);
});
