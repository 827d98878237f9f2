// @ts-check
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, tail } from '../command.js';
import { SetupProblem } from '../step.js';

const command_timeout_seconds = 60;
const pause_ms = 300;

/**
 * Runs a program that must succeed.
 *
 * @param {string[]} argv
 * @returns {Promise<string>} its output
 */
export async function execute(argv) {
  const { exit_code, output } = await runCommand(argv, { timeout_seconds: command_timeout_seconds });
  if (exit_code === 0) return output;
  throw new SetupProblem({
    cause: `${argv.join(' ')} ended with exit code ${exit_code}\n${tail(output)}`,
    fix: 'Look at the lines above; the cluster needs root and the network features of the kernel.',
  });
}

/**
 * Runs a program again until it succeeds.
 *
 * @param {string[]} argv
 * @param {{ seconds: number, explain: () => string }} o `explain` tells what went on meanwhile, for example the end of a log
 */
export async function executeUntilReady(argv, { seconds, explain }) {
  const last = performance.now() + seconds * 1000;
  for (;;) {
    const { exit_code, output } = await runCommand(argv, { timeout_seconds: command_timeout_seconds });
    if (exit_code === 0) return;
    if (performance.now() > last)
      throw new SetupProblem({
        cause: `${argv.join(' ')} did not succeed within ${seconds} s\n${tail(output, 5)}\n${explain()}`,
        fix: 'Look at the lines above; a machine under heavy load needs another try.',
      });
    await sleep(pause_ms);
  }
}
