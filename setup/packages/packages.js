// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, tail } from '../command.js';
import { cloneFolder, outsideEnvironment, packagePrograms } from '../config.js';
import { isRelease } from '../npm-package/release.js';
import { SetupProblem } from '../step.js';

const install_timeout_seconds = 900;

/**
 * Installs the packages when they are missing or not those of the lock file, and checks that Node 24 is among them.
 *
 * @param {(doing: string) => void} say
 */
export async function ensurePackages(say) {
  const locked = readLock(join(cloneFolder, 'package-lock.json'));
  const installed = readLock(join(cloneFolder, 'node_modules', '.package-lock.json'));
  const isFresh = isInstalled(locked, installed, { withoutTools: isRelease });
  if (isFresh && (await nodeVersion()).startsWith('v24.')) return `up to date, Node ${await nodeVersion()}`;

  await install(locked === undefined ? 'install' : 'ci', say);
  const version = await nodeVersion();
  if (!version.startsWith('v24.')) {
    throw new SetupProblem({
      cause: `the package "node" should install Node 24; ${join(packagePrograms, 'node')} answers "${version}"`,
      fix: 'Its install script has to run. Look at `npm config get ignore-scripts` (must be false), then run `npm ci` again.',
    });
  }
  return `installed, Node ${version}`;
}

/**
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lock
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, dev?: boolean }} LockedPackage
 */

/**
 * Does npm's own record of what it installed last (`node_modules/.package-lock.json`) hold everything the lock file asks for?
 * Optional packages may be absent: they belong to other platforms.
 *
 * @param {Lock | undefined} locked
 * @param {Lock | undefined} installed
 * @param {{ withoutTools?: boolean }} [of] of the packages that only work on the clone needs
 */
export function isInstalled(locked, installed, { withoutTools = false } = {}) {
  if (!locked?.packages || !installed?.packages) return false;
  const present = installed.packages;
  return Object.entries(locked.packages)
    .filter(([path]) => path.startsWith('node_modules/'))
    .every(([path, wanted]) => {
      const found = present[path];
      if (!found) return wanted.optional === true || (withoutTools && wanted.dev === true);
      return found.version === wanted.version && found.integrity === wanted.integrity;
    });
}

/** @param {'ci' | 'install'} verb @param {(doing: string) => void} say */
async function install(verb, say) {
  say(`npm ${verb}`);
  const { exit_code, output } = await runCommand(
    ['npm', verb, '--no-audit', '--no-fund', ...(isRelease ? ['--omit=dev'] : [])],
    {
      cwd: cloneFolder,
      env: outsideEnvironment(),
      timeout_seconds: install_timeout_seconds,
      onLine: (line) => say(`npm ${verb}: ${line}`),
    },
  );
  if (exit_code === 0) return;
  throw new SetupProblem({
    cause: `npm ${verb} ended with exit code ${exit_code}\n${tail(output)}`,
    fix: `Look at the lines above; most often the registry of \`npm config get registry\` is unreachable. Then run \`npm ${verb}\` by hand.`,
  });
}

async function nodeVersion() {
  const program = join(packagePrograms, 'node');
  if (!existsSync(program)) return 'nothing';
  const { output } = await runCommand([program, '--version'], { timeout_seconds: 20 });
  return output.trim();
}

/**
 * @param {string} path
 * @returns {Lock | undefined}
 */
function readLock(path) {
  if (!existsSync(path)) return undefined;
  /** @type {unknown} */
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  return /** @type {Lock} */ (lock); // npm writes both files and checks them itself
}
