import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pushPlaces } from './push-places.ts';

test('a received body keeps its place until it is unpacked, so no user fills the disk with waiting bodies', async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'gantry-places-'));
  const places = pushPlaces(data_dir);
  const signal = AbortSignal.timeout(20_000);
  const released = Promise.withResolvers<void>();
  let arrived = 0;
  async function* body() {
    arrived += 1;
    yield new Uint8Array(1);
  }
  const push = async (user: string) =>
    await places.push({ user, team: user }, { body: body(), signal }, async () => await released.promise);
  const pushes = Array.from({ length: 10 }, async () => await push('mallory'));
  await expect.poll(() => arrived).toBe(4);
  await delay(200);
  expect(arrived).toBe(4);
  const other = push('otto');
  await expect.poll(() => arrived).toBe(5);
  released.resolve();
  await Promise.all([...pushes, other]);
  expect(arrived).toBe(11);
  await rm(data_dir, { recursive: true });
});
