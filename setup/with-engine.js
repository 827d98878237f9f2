// @ts-check
/** `node setup/with-engine.js <program> <arguments>`: runs a program of e2e/ or bench/ with all that the tests have: packages, console, engine, base image. */
import { buildEnvironment } from './settings/build-settings.js';
import { runCommand } from './command.js';
import { cloneEnvironment, cloneFolder } from './config.js';
import { prepare } from './prepare.js';
import { PartFailed, runScript, step } from './step.js';
import { ensureTestPrograms } from './test-programs.js';

const day_seconds = 86_400;

await runScript(async () => {
  const baseImage = await prepare();
  await step('test programs', ensureTestPrograms);
  const { exit_code } = await runCommand(['node', ...process.argv.slice(2)], {
    cwd: cloneFolder,
    env: cloneEnvironment({ BASE_IMAGE: baseImage, ...(await buildEnvironment()) }),
    timeout_seconds: day_seconds,
    inherit: true,
  });
  if (exit_code !== 0) throw new PartFailed(process.argv[2] ?? '');
});
