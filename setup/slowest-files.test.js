// @ts-check
import { expect, test } from 'vitest';
import { slowestFiles } from './slowest-files.js';

test('the files that took longest come first, and no more than asked for', () => {
  const testResults = [1, 30, 7].map((seconds) => ({
    name: `${seconds}.test.ts`,
    startTime: 5000,
    endTime: 5000 + seconds * 1000,
  }));
  expect(slowestFiles(JSON.stringify({ testResults }), 2)).toEqual([
    { file: '30.test.ts', seconds: 30 },
    { file: '7.test.ts', seconds: 7 },
  ]);
  expect(slowestFiles(undefined, 2)).toEqual([]);
});
