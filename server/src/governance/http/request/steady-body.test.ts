import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { steadyBody } from './steady-body.ts';

// 100 bytes in each window.
const rate = { bytes_per_second: 1000, window_ms: 100 };

/** Gives so many bytes per read, after a pause. */
function source(bytes: number, times: number, wait_ms: number) {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await sleep(wait_ms);
        if (cancelled) return;
        if (times-- > 0) controller.enqueue(new Uint8Array(bytes));
        else controller.close();
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, isCancelled: () => cancelled };
}

async function sizeOf(body: ReadableStream<Uint8Array>, pause_ms = 0): Promise<number> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    await sleep(pause_ms);
  }
  return size;
}

test.each([
  ['stalls', source(1000, 1, 60_000)],
  ['arrives byte by byte', source(1, 10_000, 5)],
])('a body that %s is refused, and its rest is not read', async (_, { body, isCancelled }) => {
  await expect(sizeOf(steadyBody(body, rate))).rejects.toMatchObject({
    code: 'request_timeout',
    status: 408,
    hint: expect.stringContaining('faster line'),
  });
  await expect.poll(isCancelled).toBe(true);
});

test('a body with enough bytes a second is read completely, also with pauses, and time without a reader does not count', async () => {
  expect(await sizeOf(steadyBody(source(5000, 8, 60).body, rate))).toBe(40_000);
  expect(await sizeOf(steadyBody(source(5, 5, 1).body, rate), 150)).toBe(25);
});
