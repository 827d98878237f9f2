// @ts-check
/**
 * `npm test`: sets up all that the tests need, runs everything, and ends with one line, `N passed, N failed`.
 * A check that fails and a part that cannot be set up count as one failed each. `npm test -- <file>` runs only the
 * vitest files whose path contains that text.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureBaseImage } from './base-image.js';
import { buildEnvironment } from './build-settings.js';
import { runCommand } from './command.js';
import { cloneEnvironment, cloneFolder } from './config.js';
import { ensureConsole } from './console.js';
import { ensureEngine } from './engine.js';
import { ensurePackages } from './packages.js';
import { tallyPytest } from './pytest-report.js';
import { ensureUv, uvEnvironment } from './python.js';
import { slowestFiles } from './slowest-files.js';
import { runStaticChecks } from './static-checks.js';
import { print, PartFailed, step } from './step.js';
import { ensureTestPrograms } from './test-programs.js';
import { tallyVitest } from './vitest-report.js';

/** @import { Tally } from './vitest-report.js' */

const suite_timeout_seconds = 3600;
const max_shown_files = 10;

const filters = process.argv.slice(2);
const reports = mkdtempSync(join(tmpdir(), 'gantry-test-'));
try {
  const tallies = await runEverything();
  const passed = tallies.reduce((total, tally) => total + tally.passed, 0);
  const failed = tallies.reduce((total, tally) => total + tally.failed, 0);
  for (const complaint of tallies.flatMap((tally) => tally.complaints)) print(`  ${complaint}`);
  print(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}

/** @returns {Promise<Tally[]>} */
async function runEverything() {
  let baseImage = '';
  let uv = '';
  const prepared = await countFailure(async () => {
    await step('packages', ensurePackages);
    await step('console', ensureConsole);
    await step('engine', ensureEngine);
    await step('base image', async (say) => (baseImage = await ensureBaseImage(say)));
    await step('uv', async (say) => (uv = await ensureUv(say)));
    await step('test programs', ensureTestPrograms);
  });
  if (prepared.failed > 0) return [prepared];

  const env = cloneEnvironment({ BASE_IMAGE: baseImage, ...(await buildEnvironment()) });
  if (filters.length > 0) return [await runVitest(env)];
  const checks = await countFailure(() => runStaticChecks(uv));
  // End-to-end tests wait for containers much of the time; the Python tests fill that time.
  const [vitest, pytest] = await Promise.all([runVitest(env), runPytest(uv, { ...env, ...(await uvEnvironment()) })]);
  print(pytest.output);
  return [checks, vitest, pytest.tally];
}

/** @param {NodeJS.ProcessEnv} env */
async function runVitest(env) {
  print('');
  const path = join(reports, 'vitest.json');
  const { exit_code } = await runCommand(
    [
      'node',
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${path}`,
      ...filters,
    ],
    { cwd: cloneFolder, env, timeout_seconds: suite_timeout_seconds, inherit: true },
  );
  const report = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  for (const { file, seconds } of slowestFiles(report, max_shown_files))
    print(`  ${String(seconds).padStart(4)} s  ${relative(cloneFolder, file)}`);
  return tallyVitest(report, exit_code);
}

/** @param {string} uv @param {NodeJS.ProcessEnv} env */
async function runPytest(uv, env) {
  const path = join(reports, 'pytest.xml');
  const { exit_code, output } = await runCommand([uv, 'run', 'pytest', `--junitxml=${path}`], {
    cwd: join(cloneFolder, 'wrapper'),
    // Many tests start a process that imports a framework. Without bytecode, each would compile it.
    env: { ...env, UV_COMPILE_BYTECODE: '1' },
    timeout_seconds: suite_timeout_seconds,
  });
  return { output, tally: tallyPytest(existsSync(path) ? readFileSync(path, 'utf8') : undefined, exit_code) };
}

/**
 * @param {() => Promise<void>} work
 * @returns {Promise<Tally>}
 */
async function countFailure(work) {
  try {
    await work();
    return { passed: 0, failed: 0, complaints: [] };
  } catch (error) {
    if (!(error instanceof PartFailed)) console.error(error);
    return { passed: 0, failed: 1, complaints: [] };
  }
}
