import { expect, test } from 'vitest';
import { bodyPace } from './body-pace.ts';

const never = new AbortController().signal;

test('large bodies of a caller follow each other at the rate, those of others do not wait for them, and a long wait is refused', async () => {
  let now = 1000;
  const waits: number[] = [];
  const pace = bodyPace({
    bytes_per_second: 1000,
    longest_wait_ms: 3000,
    now: () => now,
    wait: async (ms) => void (await Promise.resolve(waits.push(ms))),
  });
  await pace('a', 2000, never);
  await pace('a', 500, never);
  await pace('b', 1000, never);
  await pace('a', 1000, never);
  expect(waits).toEqual([2000, 2500]);
  const refusal = { code: 'too_many_requests', retry_after_seconds: 4 };
  await expect(pace('a', 1, never)).rejects.toMatchObject(refusal);
  now += 3500;
  await pace('a', 1, never);
  expect(waits).toHaveLength(2);
});

test('a caller who leaves waits no longer', async () => {
  const pace = bodyPace({ bytes_per_second: 1, longest_wait_ms: 100_000 });
  await pace('a', 10, never);
  const gone = new AbortController();
  const waiting = pace('a', 10, gone.signal);
  gone.abort(new Error('the client left'));
  await expect(waiting).rejects.toThrow('the client left');
});
