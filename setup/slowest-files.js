// @ts-check

/**
 * @typedef {{ file: string, seconds: number }} TimedFile
 * @typedef {{ name: string, startTime: number, endTime: number }} FileTimes times in milliseconds
 */

/**
 * The slowest files of a vitest run, including their set-up and tear-down.
 *
 * @param {string | undefined} json vitest's JSON report
 * @param {number} count
 * @returns {TimedFile[]}
 */
export function slowestFiles(json, count) {
  /** @type {unknown} */
  const report = JSON.parse(json ?? '{}');
  const files = /** @type {{ testResults?: FileTimes[] }} */ (report).testResults ?? []; // vitest's own format
  return files
    .map(({ name, startTime, endTime }) => ({ file: name, seconds: Math.round((endTime - startTime) / 1000) }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count);
}
