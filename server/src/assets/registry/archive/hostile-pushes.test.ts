// Hostile pushes over HTTP: nobody else waits for them.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { projectOf, streamOf, tarOf } from '../../../testing/pushes/project-archive.ts';

let app: TestApp;
let mallory: TestUser;
let otto: TestUser;
const lines: string[] = [];
beforeAll(async () => {
  app = await testApp({ onLog: (line) => lines.push(line) });
  mallory = await app.user('mallory@example.com', { teams: { ml: 'contributor' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'contributor' } });
});
afterAll(async () => await app?.stop());

const pushOf = async (user: TestUser, name: string, body: ReadableStream<Uint8Array>, signal?: AbortSignal) =>
  await user.client.call('agents.push', { params: { name }, body }, signal === undefined ? {} : { signal });

/** Starts a push that sends one byte a second. */
const slowly = () => {
  let timer: NodeJS.Timeout;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(gzipSync('x'));
      timer = setInterval(() => controller.enqueue(new Uint8Array(1)), 1000);
    },
    cancel() {
      clearInterval(timer);
    },
  });
};

test('a sender of one byte a second is refused with 408, and meanwhile nobody waits for it', async () => {
  const slow = Array.from({ length: 4 }, async (_, n) => await pushOf(mallory, `slow-${n}`, slowly()));
  const refused = Promise.allSettled(slow);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  const first = await Promise.race([refused, pushOf(otto, 'quick', projectOf({ name: 'quick', team: 'ops' }))]);
  expect(first).toMatchObject({ ref: 'agents/quick@1.0.0' });
  for (const one of await refused)
    expect(one).toMatchObject({
      reason: { code: 'request_timeout', status: 408, detail: expect.stringContaining('bytes a second') },
    });
});

test('during the unpacking of a hostile archive, other requests are answered', async () => {
  // A header for each directory, up to the limit: seconds of one core.
  const header = tarOf([{ path: 'd', type: 'Directory' }]).subarray(0, 512);
  const many = Buffer.alloc(512 * 100_000);
  for (let at = 0; at < many.length; at += 512) header.copy(many, at);
  const noise = tarOf([{ path: 'noise', content: randomBytes(1_000_000) }]).subarray(0, -1024);
  const hostile = gzipSync(Buffer.concat([noise, many]));
  const began = performance.now();
  const pushing = pushOf(mallory, 'hostile', streamOf(hostile)).then(
    () => 'taken',
    (error: unknown) => error,
  );
  let [ended, max_ms, calls] = [false, 0, 0];
  const watched = pushing.then(() => (ended = true));
  while (!ended) {
    const asked = performance.now();
    await otto.client.call('auth.me', {});
    max_ms = Math.max(max_ms, performance.now() - asked);
    calls++;
  }
  await watched;
  expect(await pushing).toMatchObject({ code: 'archive_too_large' });
  const took_ms = performance.now() - began;
  // With a single thread, one call would wait for the whole unpacking.
  expect({ max_ms, calls, took_ms, fair: max_ms < took_ms / 2 }).toMatchObject({ fair: true });
});

test('a client that leaves during the upload or the unpacking leaves no failure in the log', async () => {
  const busy = gzipSync(tarOf([{ path: 'noise', content: randomBytes(40_000_000) }]), { level: 1 });
  for (const [body, after_ms] of [
    [slowly(), 300],
    [streamOf(busy), 250],
  ] as const) {
    const before = lines.length;
    await expect(pushOf(mallory, 'left', body, AbortSignal.timeout(after_ms))).rejects.toThrow();
    const answered = () => lines.slice(before).filter((line) => line.includes('/agents/left/versions'));
    await expect.poll(answered, { timeout: 20_000 }).toHaveLength(1);
    expect(answered()[0]).toContain('"status":408');
  }
  expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
});
