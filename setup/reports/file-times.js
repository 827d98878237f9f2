// @ts-check
import { writeFileSync } from 'node:fs';

/** @import { TestModule } from 'vitest/node' */
/** @typedef {{ file: string, project: string, seconds: number }} TimedFile */

/**
 * A vitest reporter. It writes how long each file took, with its imports and hooks, to the file FILE_TIMES: vitest's JSON report has the
 * tests alone.
 */
// oxlint-disable-next-line import/no-default-export -- vitest loads a reporter that way
export default class FileTimes {
  /** @param {readonly TestModule[]} modules */
  onTestRunEnd(modules) {
    // oxlint-disable-next-line node/no-process-env -- a reporter named on the command line takes no options
    const path = process.env['FILE_TIMES'];
    if (path === undefined) throw new Error('the variable FILE_TIMES names no file');
    writeFileSync(path, JSON.stringify(modules.map(timed)));
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
