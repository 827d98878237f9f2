// @ts-check
/**
 * `npm test`: sets up all that the tests need, runs everything, and ends with one line, `N passed, N failed`.
 * A check that fails and a part that cannot be set up count as one failed each. `npm test -- <file>` runs only the
 * vitest files whose path contains that text.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { buildEnvironment } from './build-settings.js';
import { runCommand } from './command.js';
import { cloneEnvironment, cloneFolder } from './config.js';
import { ensurePackages } from './packages.js';
import { prepareEngine } from './prepare.js';
import { tallyPytest } from './pytest-report.js';
import { ensureUv, uvEnvironment } from './python.js';
import { slowestFiles } from './slowest-files.js';
import { runStaticChecks } from './static-checks.js';
import { print, PartFailed, step } from './step.js';
import { ensureTestPrograms } from './test-programs.js';
import { failedFiles, tallyTwoRuns, tallyVitest } from './vitest-report.js';

/** @import { Tally } from './vitest-report.js' */

// Below the limit of CI, so that a run that hangs still says what has failed.
const suite_timeout_seconds = 4500;
const max_shown_files = 10;
/** More failures than that are no accident of timing. */
const max_files_again = 5;

const filters = process.argv.slice(2);
const isWhole = filters.length === 0;
/** @type {Promise<Tally>} */
const nothing = Promise.resolve({ passed: 0, failed: 0, complaints: [] });
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
  let uv = '';
  const tools = await countFailure(async () => {
    await step('packages', ensurePackages);
    await step('uv', async (say) => (uv = await ensureUv(say)));
  });
  if (tools.failed > 0) return [tools];

  // They need no engine. So they use the processor while a set-up waits for the disk and the network, and tests for containers.
  const checking = isWhole ? countFailure(() => runStaticChecks(uv)) : nothing;
  const testingPython = checking.then(async () => (isWhole ? await runPytest(uv) : undefined));

  let baseImage = '';
  const prepared = await countFailure(async () => {
    baseImage = await prepareEngine();
    await step('test programs', ensureTestPrograms);
  });
  const checks = await checking;
  const files = prepared.failed > 0 ? prepared : await runVitest(baseImage);
  const pytest = await testingPython;
  if (pytest === undefined) return [files];
  print(pytest.output);
  return [checks, files, pytest.tally];
}

/**
 * The files that failed in a whole run get a second run, alone (docs/decisions/0059). A run of chosen files gets none.
 *
 * @param {string} baseImage
 */
async function runVitest(baseImage) {
  const first = await vitest(baseImage, 'first', filters);
  for (const { file, seconds } of slowestFiles(first.report, max_shown_files))
    print(`  ${String(seconds).padStart(4)} s  ${relative(cloneFolder, file)}`);
  const failed = failedFiles(first.report);
  if (!isWhole || first.isIncomplete || failed.length === 0 || failed.length > max_files_again)
    return tallyVitest(first.report, first.exit_code);
  print(`\n  ${failed.length} of the files failed. They run again, alone.`);
  const second = await vitest(baseImage, 'second', ['--maxWorkers=1', ...failed]);
  return tallyTwoRuns(first.report, second.report, second.exit_code);
}

/**
 * @param {string} baseImage
 * @param {string} name of the report
 * @param {string[]} files parts of paths, and options; empty for all
 * @returns {Promise<{ report: string | undefined, exit_code: number, isIncomplete: boolean }>} `isIncomplete`: the report does not say all
 *   that went wrong, for example an error outside every test
 */
async function vitest(baseImage, name, files) {
  print('');
  const path = join(reports, `${name}.json`);
  const outside = join(reports, `${name}-outside.json`);
  const { exit_code } = await runCommand(
    [
      'node',
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      '--reporter=./setup/outside-errors.js',
      `--outputFile.json=${path}`,
      ...files,
    ],
    {
      cwd: cloneFolder,
      env: cloneEnvironment({ BASE_IMAGE: baseImage, OUTSIDE_ERRORS: outside, ...(await buildEnvironment()) }),
      timeout_seconds: suite_timeout_seconds,
      inherit: true,
    },
  );
  return {
    report: existsSync(path) ? readFileSync(path, 'utf8') : undefined,
    exit_code,
    isIncomplete: !existsSync(outside) || readFileSync(outside, 'utf8') !== '[]',
  };
}

/** @param {string} uv */
async function runPytest(uv) {
  const path = join(reports, 'pytest.xml');
  const { exit_code, output } = await runCommand([uv, 'run', 'pytest', `--junitxml=${path}`], {
    cwd: join(cloneFolder, 'wrapper'),
    // Many tests start a process that imports a framework. Without bytecode, each would compile it.
    env: cloneEnvironment({ ...(await uvEnvironment()), UV_COMPILE_BYTECODE: '1' }),
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
