// @ts-check
import { writeFileSync } from 'node:fs';

/** @import { TestModule } from 'vitest/node' */
/** @typedef {{ file: string, project: string, seconds: number }} TimedFile */
/** @typedef {{ ended: TimedFile[], running: string[] }} FileTimesOfRun */

/**
 * A vitest reporter. It writes how long each file took, with its imports and hooks, and which files are running, to the file FILE_TIMES:
 * vitest's JSON report has the tests alone. It writes at each change, because a run that is stopped at its time limit has no other report.
 */
// oxlint-disable-next-line import/no-default-export -- vitest loads a reporter that way
export default class FileTimes {
  /** @type {TimedFile[]} */
  #ended = [];
  /** @type {Set<string>} */
  #running = new Set();

  /** @param {TestModule} module */
  onTestModuleStart(module) {
    this.#running.add(module.relativeModuleId);
    this.#write();
  }

  /** @param {TestModule} module */
  onTestModuleEnd(module) {
    this.#running.delete(module.relativeModuleId);
    this.#ended.push(timed(module));
    this.#write();
  }

  #write() {
    // oxlint-disable-next-line node/no-process-env -- a reporter named on the command line takes no options
    const path = process.env['FILE_TIMES'];
    if (path === undefined) throw new Error('the variable FILE_TIMES names no file');
    writeFileSync(path, JSON.stringify({ ended: this.#ended, running: [...this.#running] }));
  }
}

/**
 * @param {TestModule} module
 * @returns {TimedFile}
 */
function timed(module) {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  const milliseconds = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
  return { file: module.relativeModuleId, project: module.project.name, seconds: milliseconds / 1000 };
}
