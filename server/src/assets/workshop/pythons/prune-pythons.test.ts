import { afterAll, expect, test } from 'vitest';
import { testConfig } from '../../../testing/config.ts';
import { removeLeftovers } from '../../../testing/engine-leftovers.ts';
import { findBaseImage, findImage } from '../../docker/base-image.ts';
import { nameImage, pythonImage } from './obtain-python.ts';
import { prunePythons } from './prune-pythons.ts';
import { testInstallation } from '../test-installation.ts';

const { engine, settings } = testInstallation(testConfig());
const { engine: others } = testInstallation(testConfig());
afterAll(async () => {
  await removeLeftovers(engine);
  await removeLeftovers(others);
});

test('an obtained Python leaves a day after its last push when no content names it, and one of another installation stays', async () => {
  const { id, pin } = await findBaseImage(engine, settings.base_image);
  for (const owner of [engine, others]) await nameImage(owner, '3.13', id);
  const isThere = async (owner = engine) => (await findImage(owner, pythonImage(owner, '3.13'))) !== undefined;
  const prune = async (pins: string[], older_than_seconds: number) =>
    await prunePythons(engine, new Set(pins), { older_than_seconds, signal: AbortSignal.timeout(10_000) });
  const now = Date.now() / 1000 + 1;

  await prune([], now - 24 * 60 * 60);
  expect(await isThere()).toBe(true);
  await prune([pin], now);
  expect(await isThere()).toBe(true);
  await prune([], now);
  expect(await isThere()).toBe(false);
  expect(await isThere(others)).toBe(true);
  expect((await findImage(engine, settings.base_image))?.id).toBe(id);
});
