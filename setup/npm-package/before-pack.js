// @ts-check
/** `npm pack` runs it first. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloneFolder } from '../config.js';
import { ensureConsole } from '../console.js';
import { ensurePackages } from '../packages/packages.js';
import { runScript, step } from '../step.js';
import { packed_lock } from './release.js';

await runScript(async () => {
  await step('packages', ensurePackages);
  await step('console', ensureConsole);
  copyFileSync(join(cloneFolder, 'package-lock.json'), join(cloneFolder, packed_lock));
});
