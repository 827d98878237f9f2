// @ts-check
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { everyday } from '../test-projects.js';
import { partLine, readBudgets, timesOfRun } from './slowest-files.js';

const timed = (/** @type {number} */ seconds, project = 'server') => ({ file: `${seconds}.test.ts`, project, seconds });

test('the files that took longest come first, and no more than asked for', () => {
  expect(timesOfRun([timed(1), timed(30), timed(7)], { count: 2, budgets: { server: 40 } })).toEqual([
    '    30 s  30.test.ts',
    '     7 s  7.test.ts',
    '    38 s  server in all, of 40 s',
  ]);
  expect(timesOfRun([timed(1)], { count: 2, budgets: undefined })).toEqual(['     1 s  1.test.ts']);
  expect(timesOfRun([], { count: 2, budgets: {} })).toEqual([]);
});

test('a part over its budget is named', () => {
  const files = [timed(8, 'e2e'), timed(9, 'e2e'), timed(3, 'parts')];
  expect(timesOfRun(files, { count: 0, budgets: { e2e: 16.5, parts: 3 } })).toEqual([
    '    17 s  e2e in all, of 16.5 s. Warning: this is over its budget',
    '     3 s  parts in all, of 3 s',
  ]);
  expect(partLine({ part: 'new', seconds: 1, budgets: {} })).toContain('no budget');
});

test('each part of the suite has a budget, and all together fit into 15 minutes on two cores', () => {
  const projects = (config.test?.projects ?? []).map(
    (project) => /** @type {{ test: { name: string } }} */ (project).test.name,
  ); // each is written out in the file
  const budgets = readBudgets();
  expect(Object.keys(budgets).toSorted()).toEqual([...projects, 'pytest'].toSorted());
  // Each of vitest and pytest has two workers. A file has the seconds of one of them; pytest says how long the run took.
  const { pytest = 0, ...ofVitest } = budgets;
  const total = everyday.reduce((sum, name) => sum + (ofVitest[name] ?? 0), 2 * pytest);
  expect(total).toBeLessThanOrEqual(2 * 15 * 60);
});
