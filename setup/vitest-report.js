// @ts-check

/**
 * @typedef {{ passed: number, failed: number, complaints: string[] }} Tally
 * @typedef {{ name: string, status: string, assertionResults: { status: string, fullName: string }[] }} FileResult
 */

/**
 * What a vitest run amounts to. Nothing skips: a test that did not run counts as failed, and so does a file that could not be loaded.
 *
 * @param {string | undefined} json vitest's JSON report; undefined when none was written
 * @param {number} exit_code
 * @returns {Tally}
 */
export function tallyVitest(json, exit_code) {
  /** @type {unknown} */
  const report = JSON.parse(json ?? '{}');
  const files = /** @type {{ testResults?: FileResult[] }} */ (report).testResults ?? []; // vitest's own format
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === 'passed').length;
  const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  const broken = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(isFailed));
  const failed = tests.filter(isFailed).length + skipped.length + broken.length;

  const complaints = [
    ...skipped.map((test) => `was skipped: ${test.fullName}`),
    ...broken.map((file) => `could not be run as a whole: ${file.name}`),
  ];
  if (passed + failed === 0) return { passed, failed: 1, complaints: ['vitest ran no test at all'] };
  if (failed === 0 && exit_code !== 0) {
    return { passed, failed: 1, complaints: [`vitest ended with exit code ${exit_code} though no test failed`] };
  }
  return { passed, failed, complaints };
}

/** @param {{ status: string }} test */
function isFailed(test) {
  return test.status === 'failed';
}
