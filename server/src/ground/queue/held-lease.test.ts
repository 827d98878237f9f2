import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdLeases, type HeldLeases } from './held-lease.ts';

type Row = { id: string };
let leases: HeldLeases<Row> | undefined;

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  const stopped = leases?.stop();
  await vi.runAllTimersAsync();
  await stopped;
  vi.useRealTimers();
});

function hold(
  renew: (rows: readonly Row[]) => Promise<readonly string[]>,
  onError: (error: unknown) => void = () => {},
) {
  leases = holdLeases<Row>({ lease_ms: 6000, renew, reason: ({ id }) => new Error(`lost ${id}`), onError });
  return leases.hold({ id: 'one' }, performance.now());
}

test('a holder whose database does not answer stops one second before the end of its lease', async () => {
  const answer = Promise.withResolvers<string[]>();
  const { lost } = hold(async () => await answer.promise);
  await vi.advanceTimersByTimeAsync(4999);
  expect(lost.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(lost.signal.reason).toMatchObject({ message: 'lost one' });
  answer.resolve([]);
});

test('a lease counts from before its request, and a renewal that comes too late helps nobody', async () => {
  const answer = Promise.withResolvers<string[]>();
  const asked: (readonly Row[])[] = [];
  const { lost } = hold(async (rows) => {
    asked.push(rows);
    return await (asked.length === 1 ? Promise.resolve(['one']) : answer.promise);
  });
  // The first renewal prolonged the lease at 1.5 s. The second one is under way.
  await vi.advanceTimersByTimeAsync(6499);
  expect([asked.length, lost.signal.aborted]).toEqual([2, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(lost.signal.aborted).toBe(true);
  answer.resolve(['one']);
  await vi.advanceTimersByTimeAsync(6000);
  expect(asked).toHaveLength(2);
});

test('a renewal that fails is repeated, and a lease that another process has is lost at once', async () => {
  const errors: unknown[] = [];
  const answers = [new Error('away'), ['one'], ['another']];
  const { lost } = hold(
    async () => {
      const answer = answers.shift() ?? [];
      if (answer instanceof Error) throw answer;
      return await Promise.resolve(answer);
    },
    (error) => errors.push(error),
  );
  await vi.advanceTimersByTimeAsync(3300);
  expect([answers.length, lost.signal.aborted]).toEqual([1, false]);
  await vi.advanceTimersByTimeAsync(100);
  expect(lost.signal.aborted).toBe(true);
  expect(errors).toMatchObject([{ message: 'away' }]);
});

test('a released lease is neither renewed nor lost, even during a renewal', async () => {
  const answer = Promise.withResolvers<string[]>();
  let asked = 0;
  const { lost, release } = hold(async () => {
    asked++;
    return await answer.promise;
  });
  await vi.advanceTimersByTimeAsync(1500);
  release();
  answer.resolve([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([asked, lost.signal.aborted]).toEqual([1, false]);
});
