// @ts-check
/**
 * `npm run bench`: prepares the programs, as `npm test` does, and measures a real installation.
 * `npm run bench -- redeploy invoke` runs only those measures.
 */
import { ensureBaseImage } from './base-image.js';
import { runCommand } from './command.js';
import { buildEnvironment } from './build-settings.js';
import { cloneEnvironment, cloneFolder } from './config.js';
import { ensureEngine } from './engine.js';
import { ensurePackages } from './packages.js';
import { PartFailed, runScript, step } from './step.js';

const bench_timeout_seconds = 1800;

await runScript(async () => {
  let baseImage = '';
  await step('packages', ensurePackages);
  await step('engine', ensureEngine);
  await step('base image', async (say) => (baseImage = await ensureBaseImage(say)));
  const { exit_code } = await runCommand(['node', 'bench/main.ts', ...process.argv.slice(2)], {
    cwd: cloneFolder,
    env: cloneEnvironment({ BASE_IMAGE: baseImage, ...(await buildEnvironment()) }),
    timeout_seconds: bench_timeout_seconds,
    inherit: true,
  });
  if (exit_code !== 0) throw new PartFailed('bench'); // it has printed the reason
});
