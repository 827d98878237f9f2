// @ts-check
/** `npm run image [-- linux/arm64]`: writes the image of the control plane to dist/, with its packages and the console of this clone. */
import { join } from 'node:path';
import { runCommand } from './command.js';
import { cloneEnvironment, cloneFolder } from './config.js';
import { ensureConsole } from './console.js';
import { ensurePackages } from './packages/packages.js';
import { PartFailed, runScript, step } from './step.js';

const timeout_seconds = 1800;

await runScript(async () => {
  await step('packages', ensurePackages);
  await step('console', ensureConsole);
  const { exit_code } = await runCommand(['node', join('packaging', 'image', 'main.ts'), ...process.argv.slice(2)], {
    cwd: cloneFolder,
    env: cloneEnvironment(),
    timeout_seconds,
    inherit: true,
  });
  if (exit_code !== 0) throw new PartFailed('image');
});
