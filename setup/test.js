// @ts-check
/**
 * `npm test`: sets up all that the tests need, runs everything, and ends with one line, `N passed, N failed`.
 * A check that fails and a part that cannot be set up count as one failed each. `npm test -- <file>` runs only the
 * vitest files whose path contains that text. `npm test -- --all` also runs the tests that need a cluster or a cloud's emulator, as CI does,
 * and leaves out those for which no time is left.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEnvironment } from './settings/build-settings.js';
import { runCommand } from './command.js';
import { cloneEnvironment, cloneFolder } from './config.js';
import { ensurePackages } from './packages/packages.js';
import { prepareEngine } from './prepare.js';
import { failedTests, secondsOfPytest, tallyPytest, tallyTwoPytests } from './reports/pytest-report.js';
import { ensureUv, uvEnvironment } from './packages/python.js';
import { partLine, readBudgets, timesOfRun } from './reports/slowest-files.js';
import { runStaticChecks } from './static-checks.js';
import { print, PartFailed, step } from './step.js';
import { everyday, heavy, most_seconds, neededSeconds } from './test-projects.js';
import { ensureTestPrograms } from './test-programs.js';
import { failedFiles, tallyStopped, tallyTwoRuns, tallyVitest } from './reports/vitest-report.js';

/** @import { FileTimesOfRun } from './reports/file-times.js' */
/** @import { Tally } from './reports/vitest-report.js' */

// Below the limit of CI, so that a run that hangs still says what has failed.
const suite_timeout_seconds = 4800;
const max_shown_files = 10;
/** More failures than that are no accident of timing. */
const max_files_again = 5;

const filters = process.argv.slice(2);
const isAll = filters.length === 1 && filters[0] === '--all';
const isWhole = filters.length === 0 || isAll;
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

  // They need no engine. So they use the processor while a set-up waits for the disk and the network.
  const checking = isWhole ? countFailure(() => runStaticChecks(uv)) : nothing;

  let baseImage = '';
  const prepared = await countFailure(async () => {
    baseImage = await prepareEngine();
    await step('test programs', ensureTestPrograms);
  });
  const checks = await checking;
  // Before the other tests: a third process on two cores makes those unsteady that wait for containers.
  const python = isWhole ? await runPytest(uv) : await nothing;
  if (prepared.failed > 0) return [checks, python, prepared];
  // By their names: vitest runs a project that one of several exclusions lets through.
  const whole = everyday.map((name) => `--project=${name}`);
  const run = isWhole ? { name: 'rest', selection: whole } : { name: 'chosen', selection: filters };
  const began = performance.now();
  const tallies = [checks, python, await runVitest(baseImage, run)];
  return isAll ? [...tallies, ...(await runHeavy(baseImage, secondsSince(began)))] : tallies;
}

/** @param {number} since */
function secondsSince(since) {
  return (performance.now() - since) / 1000;
}

/**
 * @param {string} baseImage
 * @param {number} everyday_seconds
 * @returns {Promise<Tally[]>}
 */
async function runHeavy(baseImage, everyday_seconds) {
  const tallies = [];
  for (const name of heavy) {
    const left = most_seconds - secondsSince(0);
    const needed = neededSeconds(name, everyday_seconds);
    if (needed > left)
      print(
        `\n! left out: npm run test:${name}. It needs ${needed} s here, and ${Math.max(0, Math.round(left))} s are left.`,
      );
    else
      tallies.push(
        await runVitest(baseImage, { name, selection: [`--project=${name}`], limit_seconds: Math.round(left) }),
      );
  }
  return tallies;
}

/**
 * A run of vitest, named in its reports. `selection` is parts of paths, and options.
 *
 * @typedef {{ name: string, selection: string[], limit_seconds?: number }} Run
 */

/**
 * The files that failed in a whole run get a second run, alone (docs/decisions/0059). A run of chosen files gets none.
 *
 * @param {string} baseImage
 * @param {Run} run
 */
async function runVitest(baseImage, run) {
  const first = await vitest(baseImage, run);
  for (const line of timesOfRun(first.times.ended, {
    budgets: isWhole ? readBudgets() : undefined,
    count: max_shown_files,
  }))
    print(line);
  if (first.report === undefined) return tallyStopped(first.times, run.limit_seconds ?? suite_timeout_seconds);
  const failed = failedFiles(first.report);
  if (!isWhole || first.isIncomplete || failed.length === 0 || failed.length > max_files_again)
    return tallyVitest(first.report, first.exit_code);
  print(`\n  ${failed.length} of the files failed. They run again, alone.`);
  const again = { ...run, name: `${run.name}-again`, selection: ['--maxWorkers=1', ...failed] };
  const second = await vitest(baseImage, again);
  return tallyTwoRuns(first.report, second.report, second.exit_code);
}

/**
 * @param {string} baseImage
 * @param {Run} run
 * @returns {Promise<{ report: string | undefined, exit_code: number, times: FileTimesOfRun, isIncomplete: boolean }>} `isIncomplete`: the report does not say all
 *   that went wrong, for example an error outside every test
 */
async function vitest(baseImage, { name, selection, limit_seconds = suite_timeout_seconds }) {
  print('');
  const path = join(reports, `${name}.json`);
  const outside = join(reports, `${name}-outside.json`);
  const times = join(reports, `${name}-times.json`);
  const { exit_code } = await runCommand(
    [
      'node',
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      '--reporter=./setup/reports/outside-errors.js',
      '--reporter=./setup/reports/file-times.js',
      `--outputFile.json=${path}`,
      ...selection,
    ],
    {
      cwd: cloneFolder,
      env: cloneEnvironment({
        BASE_IMAGE: baseImage,
        OUTSIDE_ERRORS: outside,
        FILE_TIMES: times,
        ...(await buildEnvironment()),
      }),
      timeout_seconds: limit_seconds,
      inherit: true,
    },
  );
  return {
    report: existsSync(path) ? readFileSync(path, 'utf8') : undefined,
    exit_code,
    times: /** @type {FileTimesOfRun} */ (
      JSON.parse(existsSync(times) ? readFileSync(times, 'utf8') : '{ "ended": [], "running": [] }') // file-times.js writes it
    ),
    isIncomplete: !existsSync(outside) || readFileSync(outside, 'utf8') !== '[]',
  };
}

/**
 * Failed tests get a second run, alone, as the files of vitest do.
 *
 * @param {string} uv
 * @returns {Promise<Tally>}
 */
async function runPytest(uv) {
  // Two workers, as with vitest. The tests of a file share processes, so they stay together.
  const { xml: first, exit_code } = await pytest(uv, 'first', ['-n2', '--dist=loadfile']);
  print(partLine({ part: 'pytest', seconds: secondsOfPytest(first), budgets: readBudgets() }));
  const failed = failedTests(first).length;
  const tally = tallyPytest(first, exit_code);
  if (failed === 0 || failed > max_files_again || failed !== tally.failed) return tally;
  print(`\n  ${failed} of the Python tests failed. They run again, alone.`);
  const { xml: second, exit_code: again } = await pytest(uv, 'second', ['--last-failed']);
  return tallyTwoPytests({ first, second, exit_code: again });
}

/**
 * @param {string} uv
 * @param {string} name of the report
 * @param {string[]} options
 */
async function pytest(uv, name, options) {
  const path = join(reports, `pytest-${name}.xml`);
  const { exit_code, output } = await runCommand([uv, 'run', 'pytest', ...options, `--junitxml=${path}`], {
    cwd: join(cloneFolder, 'wrapper'),
    // Many tests start a process that imports a framework. Without bytecode, each would compile it.
    env: cloneEnvironment({ ...(await uvEnvironment()), UV_COMPILE_BYTECODE: '1' }),
    timeout_seconds: suite_timeout_seconds,
  });
  print(output);
  return { xml: existsSync(path) ? readFileSync(path, 'utf8') : undefined, exit_code };
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
