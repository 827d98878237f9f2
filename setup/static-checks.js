// @ts-check
import { runCommand } from './command.js';
import { cloneEnvironment, cloneFolder } from './config.js';
import { fileLengths } from './file-lengths.js';
import { uvEnvironment } from './packages/python.js';
import { print, SetupProblem, step } from './step.js';

// They share the processor with a set-up.
const tool_timeout_seconds = 300;
const ruffVersion = '0.17.6';
const ruffArguments = ['--quiet', 'wrapper', 'reader', 'examples', 'server/src/testing'];

/**
 * The static checks. Each tool is one line; a tool with findings prints them in full.
 * All tools run, also after one has found a fault.
 *
 * @param {string} uv the path of uv, which brings the Python tools
 */
export async function runStaticChecks(uv) {
  const environment = await uvEnvironment();
  const ruff = [uv, 'tool', 'run', '--quiet', `ruff@${ruffVersion}`];
  const outcomes = await Promise.allSettled([
    tool('types', ['tsc', '-p', '.']),
    tool('types of the console', ['tsc', '-p', 'console']),
    tool('lint', ['oxlint', '--type-aware', '--deny-warnings']),
    tool('format', ['oxfmt', '--list-different']),
    tool('dead code', ['knip', '--no-progress']),
    tool('python lint', [...ruff, 'check', ...ruffArguments], environment),
    tool('python format', [...ruff, 'format', '--check', ...ruffArguments], environment),
  ]);
  print(fileLengths(cloneFolder));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/**
 * @param {string} name
 * @param {string[]} argv
 * @param {Record<string, string>} environment
 */
async function tool(name, argv, environment = {}) {
  await step(name, async () => {
    const { exit_code, output } = await runCommand(argv, {
      cwd: cloneFolder,
      env: cloneEnvironment(environment),
      timeout_seconds: tool_timeout_seconds,
    });
    if (exit_code === 0) return '';
    throw new SetupProblem({
      cause: `${argv.join(' ')} ended with exit code ${exit_code}\n${output}`,
      fix: 'Fix the findings above; `npm run format` fixes the format.',
    });
  });
}
