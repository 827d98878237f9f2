// @ts-check
import { dirname, join } from 'node:path';
import { runCommand, tail } from '../command.js';
import { outsideEnvironment, readConfig } from '../config.js';
import { installDebianPackages } from './debian.js';
import { findExecutable } from '../executable.js';
import { findPackageIndex } from './package-index.js';
import { SetupProblem } from '../step.js';

/** The wrapper's own floor; Debian 12 has 3.11. */
const oldestPython = [3, 10];
const command_timeout_seconds = 300;

/**
 * The path of `uv`: the one on the PATH, else one in a virtual environment below the cache folder.
 *
 * @param {(doing: string) => void} say
 * @returns {Promise<string>}
 */
export async function ensureUv(say) {
  const { searchPath, cacheFolder } = readConfig();
  const folder = join(cacheFolder, 'uv');
  const own = join(folder, 'bin', 'uv');
  const found = findExecutable('uv', [...searchPath, dirname(own)]);
  if (found !== undefined && (await run([found, '--version'])).exit_code === 0) return found;

  const python = await ensurePython(say);
  say('making a virtual environment for uv');
  await runOrExplain(
    [python, '-m', 'venv', '--clear', folder],
    'Look at the lines above and at the space below your home folder.',
  );
  say('pip install uv');
  await runOrExplain(
    [join(folder, 'bin', 'python'), '-m', 'pip', 'install', '--quiet', 'uv'],
    'Look at the lines above; most often the package index of `pip config list` is unreachable.',
  );
  return own;
}

/**
 * The settings with which uv reaches the package index pip reaches on this machine; uv reads neither pip's files nor its variables.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function uvEnvironment() {
  const { indexUrl, authorityFile } = await findPackageIndex();
  return {
    ...(indexUrl && { UV_DEFAULT_INDEX: indexUrl.value }),
    // NODE_EXTRA_CA_CERTS adds to the public authorities; this variable replaces them.
    ...(authorityFile && authorityFile.name !== 'NODE_EXTRA_CA_CERTS' && { SSL_CERT_FILE: authorityFile.value }),
  };
}

/** @param {string} version for example `3.11` */
export function isPythonNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestPython;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** @param {(doing: string) => void} say */
async function ensurePython(say) {
  const found = await findPython();
  if (found !== undefined) return found;
  const version = oldestPython.join('.');
  const elsewhere = `Install Python ${version} or newer with its modules venv and ensurepip.`;
  const reason = `no Python ${version} or newer with the module venv is on the PATH`;
  await installDebianPackages({ packages: ['python3', 'python3-venv', 'python3-pip'], reason, elsewhere, say });
  const installed = await findPython();
  if (installed !== undefined) return installed;
  throw new SetupProblem({ cause: `${reason}; this system's own is older`, fix: elsewhere });
}

/** The first Python on the PATH that is new enough and can make virtual environments. */
async function findPython() {
  const names = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
  const question = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])';
  for (const name of names) {
    const { exit_code, output } = await run([name, '-c', question]);
    if (exit_code === 0 && isPythonNewEnough(output.trim())) return name;
  }
  return undefined;
}

/** @param {string[]} argv @param {string} fix */
async function runOrExplain(argv, fix) {
  const { exit_code, output } = await run(argv);
  if (exit_code !== 0) throw new SetupProblem({ cause: `${argv.join(' ')} failed\n${tail(output)}`, fix });
}

/** @param {string[]} argv */
function run(argv) {
  return runCommand(argv, { env: outsideEnvironment(), timeout_seconds: command_timeout_seconds });
}
