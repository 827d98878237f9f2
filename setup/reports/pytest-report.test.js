// @ts-check
import { expect, test } from 'vitest';
import { failedTests, secondsOfPytest, tallyPytest, tallyTwoPytests } from './pytest-report.js';

/** @param {{ tests: number, errors?: number, failures?: number, skipped?: number }} counts */
function reportOf({ tests, errors = 0, failures = 0, skipped = 0 }) {
  const suite = `<testsuite name="pytest" errors="${errors}" failures="${failures}" skipped="${skipped}" tests="${tests}" time="1.0">`;
  return `<?xml version="1.0"?><testsuites name="pytest tests">${suite}</testsuite></testsuites>`;
}

test('a green run counts what passed', () => {
  expect(tallyPytest(reportOf({ tests: 7 }), 0)).toEqual({ passed: 7, failed: 0, complaints: [] });
});

test('failures, errors and skipped tests all count as failed', () => {
  expect(tallyPytest(reportOf({ tests: 7, failures: 1, errors: 1, skipped: 2 }), 1)).toMatchObject({
    passed: 3,
    failed: 4,
  });
});

test('its seconds are those of the report', () => {
  expect(secondsOfPytest(reportOf({ tests: 7 }))).toBe(1);
  expect(secondsOfPytest(undefined)).toBe(0);
});

test('a run that executed nothing, or wrote no report, is a failure', () => {
  expect(tallyPytest(reportOf({ tests: 0 }), 5)).toMatchObject({ passed: 0, failed: 1 });
  expect(tallyPytest(undefined, 2)).toMatchObject({ passed: 0, failed: 1 });
});

test('an exit code that says failure is believed', () => {
  expect(tallyPytest(reportOf({ tests: 3 }), 1)).toMatchObject({ passed: 3, failed: 1 });
});

test('a test that passes when it runs again counts as passed, and is named', () => {
  const failing =
    '<testcase classname="tests.a" name="test_b" time="1.0"><failure message="no">no</failure></testcase>';
  const passing = '<testcase classname="tests.a" name="test_c" time="1.0" />';
  const first = `${passing}${reportOf({ tests: 7, failures: 1 })}${failing}`;
  expect(failedTests(first)).toEqual(['tests.a: test_b']);
  expect(tallyTwoPytests({ first, second: reportOf({ tests: 1 }), exit_code: 0 })).toEqual({
    passed: 7,
    failed: 0,
    complaints: ['unsteady: tests.a: test_b'],
  });
  const second = `${reportOf({ tests: 1, failures: 1 })}${failing}`;
  expect(tallyTwoPytests({ first, second, exit_code: 1 })).toEqual({ passed: 6, failed: 1, complaints: [] });
  expect(tallyTwoPytests({ first, second: undefined, exit_code: 2 })).toMatchObject({ passed: 6, failed: 1 });
});
