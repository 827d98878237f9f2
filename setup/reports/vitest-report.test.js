// @ts-check
import { expect, test } from 'vitest';
import { failedFiles, tallyStopped, tallyTwoRuns, tallyVitest } from './vitest-report.js';

/** @param {string[]} statuses @param {string} status */
function reportOf(statuses, status = 'passed') {
  const assertionResults = statuses.map((each, at) => ({
    status: each,
    fullName: `test ${at}`,
    failureMessages: each === 'failed' ? ['Error: no\n    at line 1'] : [],
  }));
  return JSON.stringify({ testResults: [{ name: 'some.test.ts', status, assertionResults }] });
}

test('a green run counts what passed', () => {
  expect(tallyVitest(reportOf(['passed', 'passed']), 0)).toEqual({ passed: 2, failed: 0, complaints: [] });
});

test('a skipped or unfinished test counts as failed and is named', () => {
  const tally = tallyVitest(reportOf(['passed', 'skipped', 'todo', 'pending']), 0);
  expect(tally).toMatchObject({ passed: 1, failed: 3 });
  expect(tally.complaints).toContain('was skipped: test 1');
});

test('a file that cannot be loaded counts as failed', () => {
  expect(tallyVitest(reportOf([], 'failed'), 1)).toMatchObject({ passed: 0, failed: 1 });
});

test('a file with a failed test counts its failed tests only, and the end names them with their cause', () => {
  expect(tallyVitest(reportOf(['passed', 'failed'], 'failed'), 1)).toMatchObject({
    passed: 1,
    failed: 1,
    complaints: ['failed: test 1: Error: no'],
  });
});

test('a run that executed nothing, or wrote no report, is a failure', () => {
  expect(tallyVitest(reportOf([]), 0)).toMatchObject({ passed: 0, failed: 1 });
  expect(tallyVitest(undefined, 0)).toMatchObject({ passed: 0, failed: 1 });
});

test('an error outside every test fails the run', () => {
  expect(tallyVitest(reportOf(['passed']), 1)).toMatchObject({ passed: 1, failed: 1 });
});

test('a file that passes when it runs again counts as passed, and its first failure is named', () => {
  const first = reportOf(['passed', 'failed'], 'failed');
  expect(failedFiles(first)).toEqual(['some.test.ts']);
  expect(tallyTwoRuns(first, reportOf(['passed', 'passed']), 0)).toEqual({
    passed: 2,
    failed: 0,
    complaints: ['unsteady: test 1: Error: no'],
  });
});

test('a test that fails again counts as failed, and so does a second run without a report', () => {
  const first = reportOf(['passed', 'failed'], 'failed');
  const failed = { passed: 1, failed: 1, complaints: ['failed: test 1: Error: no'] };
  expect(tallyTwoRuns(first, first, 1)).toEqual(failed);
  expect(tallyTwoRuns(first, undefined, 1)).toEqual(failed);
});

test('a test that another one spoils in the second run counts as failed', () => {
  const first = reportOf(['passed', 'failed'], 'failed');
  expect(tallyTwoRuns(first, reportOf(['failed', 'passed'], 'failed'), 1)).toEqual({
    passed: 1,
    failed: 1,
    complaints: ['unsteady: test 1: Error: no', 'failed: test 0: Error: no'],
  });
});

test('a run that was stopped names the files that were running', () => {
  const ended = [{ file: 'a.test.ts', project: 'server', seconds: 1 }];
  expect(tallyStopped({ ended, running: ['b.test.ts'] }, 60)).toEqual({
    passed: 0,
    failed: 1,
    complaints: [
      'vitest ended without a report; its limit is 60 s. 1 files had ended, and these were running: b.test.ts',
    ],
  });
});
