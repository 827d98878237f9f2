// @ts-check
import { spawn } from 'node:child_process';

/** Enough to find the cause of a failure, and small in memory. */
const max_kept_characters = 200_000;

/**
 * Runs a program to its end and keeps what it printed. A program that cannot be started ends with exit code 127.
 *
 * @param {string[]} argv
 * @param {{
 *   env?: NodeJS.ProcessEnv, cwd?: string, timeout_seconds: number,
 *   onLine?: (line: string) => void, inherit?: boolean,
 * }} options `inherit` gives the program the terminal; its output is then not kept
 * @returns {Promise<{ exit_code: number, output: string }>}
 */
export function runCommand(argv, options) {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: options.inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(options.timeout_seconds * 1000),
  });

  let output = '';
  const keep = (/** @type {string} */ text) => {
    output = (output + text).slice(-max_kept_characters);
    const line = lastLine(text);
    if (line !== undefined) options.onLine?.(line);
  };
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);

  return new Promise((resolve) => {
    child.on('error', (error) => {
      if (error.name === 'AbortError') keep(`\n${program} was stopped after ${options.timeout_seconds} s\n`);
      else if (child.pid === undefined) resolve({ exit_code: 127, output: error.message });
    });
    child.on('close', (exit_code) => resolve({ exit_code: exit_code ?? 1, output }));
  });
}

/**
 * The end of an output, which usually has the cause.
 *
 * @param {string} output
 * @param {number} lines
 */
export function tail(output, lines = 20) {
  return output.trimEnd().split('\n').slice(-lines).join('\n');
}

/** @param {string} text */
function lastLine(text) {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .findLast((line) => line !== '');
}
