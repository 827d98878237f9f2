// @ts-check
import { readFileSync } from 'node:fs';

/** @import { TimedFile } from './file-times.js' */

/**
 * The lines after a run: the slowest files, and the seconds of each part of the suite beside its budget.
 *
 * @param {TimedFile[]} files
 * @param {{ count: number, budgets: Record<string, number> | undefined }} o the number of files; without budgets, no parts are named
 * @returns {string[]}
 */
export function timesOfRun(files, { count, budgets }) {
  const slowest = files
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ file, seconds }) => line(seconds, file));
  if (budgets === undefined) return slowest;
  const parts = [...new Set(files.map(({ project }) => project))].map((part) => {
    const ofPart = files.filter(({ project }) => project === part);
    return partLine({ part, seconds: ofPart.reduce((total, file) => total + file.seconds, 0), budgets });
  });
  return [...slowest, ...parts];
}

/**
 * A part over its budget gets a warning, and fails nothing: seconds depend on the machine and its load.
 *
 * @param {{ part: string, seconds: number, budgets: Record<string, number> }} measured
 */
export function partLine({ part, seconds, budgets }) {
  const budget = budgets[part];
  if (budget === undefined) return line(seconds, `${part} in all; setup/test-budgets.json has no budget for it`);
  const isOver = seconds > budget;
  return line(seconds, `${part} in all, of ${budget} s${isOver ? '. Warning: this is over its budget' : ''}`);
}

/** @returns {Record<string, number>} seconds of one worker, by vitest project, and of pytest */
export function readBudgets() {
  const text = readFileSync(new URL('../test-budgets.json', import.meta.url), 'utf8');
  return /** @type {Record<string, number>} */ (JSON.parse(text)); // numbers only
}

/** @param {number} seconds @param {string} text */
function line(seconds, text) {
  return `  ${String(Math.round(seconds)).padStart(4)} s  ${text}`;
}
