// @ts-check

/**
 * What a pytest run amounts to. Nothing skips: a skipped test, and one marked as expected to fail, counts as failed.
 *
 * @param {string | undefined} xml pytest's JUnit report; undefined when none was written
 * @param {number} exit_code
 * @returns {import('./vitest-report.js').Tally}
 */
export function tallyPytest(xml, exit_code) {
  const sum = (/** @type {string} */ name) => sumOfSuites(xml, name);
  const skipped = sum('skipped');
  const failed = sum('failures') + sum('errors') + skipped;
  const passed = Math.max(0, sum('tests') - failed);

  const complaints = skipped > 0 ? [`${skipped} Python tests were skipped; run pytest -rs to see which`] : [];
  if (passed + failed === 0) return { passed, failed: 1, complaints: ['pytest ran no test at all'] };
  if (failed === 0 && exit_code !== 0) {
    return { passed, failed: 1, complaints: [`pytest ended with exit code ${exit_code} though no test failed`] };
  }
  return { passed, failed, complaints };
}

/**
 * The result of a run whose failed tests ran a second time, alone. The second run counts. What failed only the first time is named as unsteady.
 *
 * @param {{ first: string | undefined, second: string | undefined, exit_code: number }} runs JUnit reports, and the exit code of the second run
 * @returns {import('./vitest-report.js').Tally}
 */
export function tallyTwoPytests({ first, second, exit_code }) {
  const { passed } = tallyPytest(first, 1);
  const again = tallyPytest(second, exit_code);
  const steady = new Set(failedTests(second));
  const unsteady = failedTests(first).filter((test) => !steady.has(test));
  return {
    passed: passed + again.passed,
    failed: again.failed,
    complaints: [...unsteady.map((test) => `unsteady: ${test}`), ...again.complaints],
  };
}

/**
 * The failed tests of a run, by name; a test whose set-up failed too.
 *
 * @param {string | undefined} xml pytest's JUnit report
 */
export function failedTests(xml) {
  const tests = [...(xml ?? '').matchAll(/<testcase\s([^>]*[^/>])>\s*<(?:failure|error)\b/g)];
  return tests.map(([, attributes = '']) => {
    const [, file = ''] = /\bclassname="([^"]*)"/.exec(attributes) ?? [];
    const [, name = ''] = /\bname="([^"]*)"/.exec(attributes) ?? [];
    return `${file}: ${name}`;
  });
}

/** @param {string | undefined} xml pytest's JUnit report */
export function secondsOfPytest(xml) {
  return sumOfSuites(xml, 'time');
}

/** @param {string | undefined} xml @param {string} name of a number */
function sumOfSuites(xml, name) {
  const suites = [...(xml ?? '').matchAll(/<testsuite\s([^>]*)>/g)].map((match) => match[1] ?? '');
  return suites.reduce(
    (total, attributes) => total + Number(new RegExp(`\\b${name}="([\\d.]+)"`).exec(attributes)?.[1] ?? 0),
    0,
  );
}
