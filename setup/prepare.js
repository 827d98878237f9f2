// @ts-check
import { ensureBaseImage } from './engine/base-image.js';
import { ensureConsole } from './console.js';
import { ensureEngine } from './engine/engine.js';
import { ensurePackages } from './packages/packages.js';
import { step } from './step.js';

/**
 * The parts that an installation and its tests both need.
 *
 * @returns {Promise<string>} the base image
 */
export async function prepare() {
  await step('packages', ensurePackages);
  return await prepareEngine();
}

/**
 * The parts after the packages.
 *
 * @returns {Promise<string>} the base image
 */
export async function prepareEngine() {
  let baseImage = '';
  await step('console', ensureConsole);
  await step('engine', ensureEngine);
  await step('base image', async (say) => (baseImage = await ensureBaseImage(say)));
  return baseImage;
}
