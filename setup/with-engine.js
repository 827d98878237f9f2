// @ts-check
/** `node setup/with-engine.js <program> <arguments>`: runs a program of e2e/ or bench/ with all that the tests have: packages, console, engine, base image. */
import { ensureBaseImage } from './base-image.js';
import { buildEnvironment } from './build-settings.js';
import { runCommand } from './command.js';
import { cloneEnvironment, cloneFolder } from './config.js';
import { ensureConsole } from './console.js';
import { ensureEngine } from './engine.js';
import { ensurePackages } from './packages.js';
import { PartFailed, runScript, step } from './step.js';
import { ensureTestPrograms } from './test-programs.js';

const day_seconds = 86_400;

await runScript(async () => {
  let baseImage = '';
  await step('packages', ensurePackages);
  await step('console', ensureConsole);
  await step('engine', ensureEngine);
  await step('base image', async (say) => (baseImage = await ensureBaseImage(say)));
  await step('test programs', ensureTestPrograms);
  const { exit_code } = await runCommand(['node', ...process.argv.slice(2)], {
    cwd: cloneFolder,
    env: cloneEnvironment({ BASE_IMAGE: baseImage, ...(await buildEnvironment()) }),
    timeout_seconds: day_seconds,
    inherit: true,
  });
  if (exit_code !== 0) throw new PartFailed(process.argv[2] ?? '');
});
