// @ts-check

/** @typedef {{ file: string, seconds: number }} TimedFile */

/**
 * The files of a vitest run that took longest, with all that they set up and took down.
 *
 * @param {string | undefined} json vitest's JSON report
 * @param {number} count
 * @returns {TimedFile[]}
 */
export function slowestFiles(json, count) {
  /** @type {{ testResults?: { name: string, startTime: number, endTime: number }[] }} */
  const report = JSON.parse(json ?? '{}'); // vitest's own format; both times in milliseconds
  return (report.testResults ?? [])
    .map(({ name, startTime, endTime }) => ({ file: name, seconds: Math.round((endTime - startTime) / 1000) }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count);
}
