// @ts-check
/** npm runs it before `npm pack`. A package never has the file package-lock.json, so the lock travels under another name. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloneFolder } from './config.js';
import { ensureConsole } from './console.js';
import { ensurePackages } from './packages/packages.js';
import { runScript, step } from './step.js';

await runScript(async () => {
  await step('packages', ensurePackages);
  await step('console', ensureConsole);
  copyFileSync(join(cloneFolder, 'package-lock.json'), join(cloneFolder, 'setup', 'packages', 'release-lock.json'));
});
