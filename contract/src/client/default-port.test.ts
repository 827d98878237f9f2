import { expect, test } from 'vitest';
import { defaultPort } from './default-port.ts';

test('the default installation has the default port; one with its own folder always has one other port', () => {
  expect(defaultPort(undefined)).toBe(4480);
  expect(defaultPort('/srv/second')).toBe(defaultPort('/srv/second'));
  expect(new Set(['/srv/second', '/srv/third', '/srv/fourth'].map(defaultPort)).size).toBe(3);
  const ports = Array.from({ length: 2000 }, (_, n) => defaultPort(`/srv/${n}`));
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(14_480);
  expect(Math.max(...ports)).toBeLessThan(15_480);
});
