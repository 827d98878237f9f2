// @ts-check
import { writeFileSync } from 'node:fs';

/** A vitest reporter. It writes the messages of errors outside every test to the file OUTSIDE_ERRORS: vitest's JSON report has none of them. */
// oxlint-disable-next-line import/no-default-export -- vitest loads a reporter that way
export default class OutsideErrors {
  /**
   * @param {unknown} _files
   * @param {readonly { message?: string }[]} errors
   */
  onTestRunEnd(_files, errors) {
    // oxlint-disable-next-line node/no-process-env -- a reporter named on the command line takes no options
    const path = process.env['OUTSIDE_ERRORS'];
    if (path === undefined) throw new Error('the variable OUTSIDE_ERRORS names no file');
    writeFileSync(path, JSON.stringify(errors.map(({ message }) => String(message))));
  }
}
