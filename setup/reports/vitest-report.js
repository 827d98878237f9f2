// @ts-check

/** @import { FileTimesOfRun } from './file-times.js' */
/**
 * @typedef {{ passed: number, failed: number, complaints: string[] }} Tally
 * @typedef {{ name: string, status: string, assertionResults: TestResult[] }} FileResult
 * @typedef {{ status: string, fullName: string, failureMessages?: string[] }} TestResult
 */

/**
 * The result of a vitest run. Nothing skips: a test that did not run counts as failed, and so does a file that could not be loaded.
 *
 * @param {string | undefined} json vitest's JSON report; undefined when none was written
 * @param {number} exit_code
 * @returns {Tally}
 */
export function tallyVitest(json, exit_code) {
  const files = filesOf(json);
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === 'passed').length;
  const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  const broken = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(isFailed));
  const failures = tests.filter(isFailed);
  const failed = failures.length + skipped.length + broken.length;

  const complaints = [
    ...failures.map((test) => `failed: ${test.fullName}: ${firstLine(test)}`),
    ...skipped.map((test) => `was skipped: ${test.fullName}`),
    ...broken.map((file) => `could not be run as a whole: ${file.name}`),
  ];
  if (passed + failed === 0) return { passed, failed: 1, complaints: ['vitest ran no test at all'] };
  if (failed === 0 && exit_code !== 0) {
    return { passed, failed: 1, complaints: [`vitest ended with exit code ${exit_code} though no test failed`] };
  }
  return { passed, failed, complaints };
}

/**
 * The files of a run that failed. Empty when none did, and also when the run failed outside its files.
 *
 * @param {string | undefined} json vitest's JSON report
 * @returns {string[]}
 */
export function failedFiles(json) {
  return filesOf(json)
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => name);
}

/**
 * The result of a run whose failed files ran a second time, alone. The second run counts. What failed only the first time is named
 * as unsteady, with its cause.
 *
 * @param {string | undefined} first vitest's JSON report of the whole run
 * @param {string | undefined} second vitest's JSON report of the failed files
 * @param {number} exit_code of the second run
 * @returns {Tally}
 */
export function tallyTwoRuns(first, second, exit_code) {
  const again = new Map(filesOf(second).map((file) => [file.name, file]));
  const files = filesOf(first).map((file) => (file.status === 'failed' ? (again.get(file.name) ?? file) : file));
  const tally = tallyVitest(JSON.stringify({ testResults: files }), exit_code);
  const steady = new Set(files.flatMap((file) => file.assertionResults.filter(isFailed).map((test) => test.fullName)));
  const unsteady = filesOf(first)
    .flatMap((file) => file.assertionResults.filter(isFailed))
    .filter(({ fullName }) => !steady.has(fullName));
  return {
    ...tally,
    complaints: [...unsteady.map((test) => `unsteady: ${test.fullName}: ${firstLine(test)}`), ...tally.complaints],
  };
}

/**
 * The result of a run that ended without a report, as one does that is stopped at its time limit.
 *
 * @param {FileTimesOfRun} times
 * @param {number} limit_seconds
 * @returns {Tally}
 */
export function tallyStopped({ ended, running }, limit_seconds) {
  const last = running.length === 0 ? 'no file was running' : `these were running: ${running.join(', ')}`;
  const complaint = `vitest ended without a report; its limit is ${limit_seconds} s. ${ended.length} files had ended, and ${last}`;
  return { passed: 0, failed: 1, complaints: [complaint] };
}

/**
 * @param {string | undefined} json
 * @returns {FileResult[]}
 */
function filesOf(json) {
  /** @type {unknown} */
  const report = JSON.parse(json ?? '{}');
  return /** @type {{ testResults?: FileResult[] }} */ (report).testResults ?? []; // vitest's own format
}

/** Enough to tell one cause from another where only the end of the log is at hand. @param {TestResult} test */
function firstLine({ failureMessages = [] }) {
  return (failureMessages[0] ?? '').split('\n', 1)[0]?.slice(0, 300);
}

/** @param {TestResult} test */
function isFailed(test) {
  return test.status === 'failed';
}
