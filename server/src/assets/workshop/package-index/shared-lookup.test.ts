import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sharedLookup } from './shared-lookup.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('fifty connections look up a host once, and once more after half a minute', async () => {
  const ask = vi.fn<(host: string) => Promise<{ address: string }>>(
    async (host) => await Promise.resolve({ address: `address of ${host}` }),
  );
  const find = sharedLookup(ask);
  const found = await Promise.all(Array.from({ length: 50 }, async () => await find('files.example.com')));
  expect(new Set(found)).toEqual(new Set(['address of files.example.com']));
  expect(await find('index.example.com')).toBe('address of index.example.com');
  expect(ask).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(30_000);
  await find('files.example.com');
  expect(ask).toHaveBeenCalledTimes(3);
});

test('all waiting callers get a failure, and a later caller does not', async () => {
  const ask = vi
    .fn<(host: string) => Promise<{ address: string }>>()
    .mockRejectedValueOnce(new Error('no answer'))
    .mockResolvedValue({ address: '192.0.2.1' });
  const find = sharedLookup(ask);
  const both = await Promise.allSettled([find('example.com'), find('example.com')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find('example.com')).toBe('192.0.2.1');
});
