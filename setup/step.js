// @ts-check
import { createInterface } from 'node:readline/promises';

/**
 * The progress of a set-up: one line per part, with a tick and its time.
 * In a terminal a live line shows the running parts; elsewhere every part that takes long prints a line.
 * A failed part prints its name, the cause and the fix, once; its caller only has to stop.
 */

const slow_after_ms = 3_000;
const repeat_ms = 30_000;

/** Nothing else is drawn during a question. */
let isAsking = false;

/** The running parts, newest last: name → current activity. @type {Map<string, string>} */
const underWay = new Map();

/** A failure a person can act on. */
export class SetupProblem extends Error {
  /** @param {{ cause: string, fix: string }} problem */
  constructor({ cause, fix }) {
    super(cause);
    this.fix = fix;
  }
}

/** A part failed and has printed the reason. */
export class PartFailed extends Error {}

/**
 * Runs one part and shows it. `say` tells what it is doing now; the text it returns ends its line.
 *
 * @param {string} name
 * @param {(say: (doing: string) => void) => Promise<string>} work
 * @returns {Promise<void>}
 */
export async function step(name, work) {
  const started = performance.now();
  const elapsed = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  underWay.set(name, '');
  const stopTicking = tick(name, elapsed);
  try {
    const outcome = await work((doing) => underWay.set(name, doing));
    finish(name, `✓ ${name.padEnd(14)} ${elapsed().padStart(8)}  ${outcome}`.trimEnd());
  } catch (error) {
    finish(name, `✗ ${name.padEnd(14)} ${elapsed().padStart(8)}`, console.error);
    if (error instanceof PartFailed) throw error;
    printFailure(error);
    throw new PartFailed(name);
  } finally {
    stopTicking();
  }
}

/**
 * Runs a whole script: a failed part has printed its reason, so this only sets the exit code.
 *
 * @param {() => Promise<void>} script
 */
export async function runScript(script) {
  try {
    await script();
  } catch (error) {
    if (!(error instanceof PartFailed)) printFailure(error);
    process.exitCode = 1;
  }
}

/**
 * Asks for confirmation at a terminal. Without a terminal it continues.
 *
 * @param {string} question
 */
export async function confirm(question) {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return true;
  clearLiveLine();
  isAsking = true;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    // The end of the input, or Ctrl-C, is a no.
    const ended = new Promise((resolve) => void terminal.once('close', () => resolve('no')));
    const answer = String(await Promise.race([terminal.question(`${question} [Y/n] `), ended]));
    return /^(y|yes)?$/i.test(answer.trim());
  } finally {
    terminal.close();
    isAsking = false;
  }
}

/** @param {string} text */
export function print(text) {
  clearLiveLine();
  console.log(text);
}

/** @param {string} name @param {() => string} elapsed */
function tick(name, elapsed) {
  if (process.stdout.isTTY) {
    const timer = setInterval(() => drawLiveLine(elapsed()), 120);
    return () => clearInterval(timer);
  }
  const announce = () => print(`… ${name.padEnd(14)} ${elapsed().padStart(8)}  ${underWay.get(name) ?? ''}`.trimEnd());
  const first = setTimeout(announce, slow_after_ms);
  const later = setInterval(announce, repeat_ms);
  return () => {
    clearTimeout(first);
    clearInterval(later);
  };
}

/** @param {string} elapsed */
function drawLiveLine(elapsed) {
  if (isAsking) return;
  const names = [...underWay.keys()];
  const doing = names.length === 1 ? underWay.get(names[0] ?? '') : '';
  const line = `… ${names.join(', ').padEnd(14)} ${elapsed.padStart(8)}  ${doing ?? ''}`;
  process.stdout.write(`\r\u001b[2K${line.slice(0, (process.stdout.columns || 80) - 1)}`);
}

function clearLiveLine() {
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[2K');
}

/** @param {string} name @param {string} line @param {(line: string) => void} write */
function finish(name, line, write = console.log) {
  underWay.delete(name);
  clearLiveLine();
  write(line);
}

/** @param {unknown} error */
function printFailure(error) {
  clearLiveLine();
  if (error instanceof SetupProblem) {
    console.error(`  cause  ${indent(error.message)}\n  fix    ${indent(error.fix)}`);
    return;
  }
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(
    `  cause  ${indent(cause)}\n  fix    This is a fault of the set-up itself: please report it with the lines above.`,
  );
}

/** @param {string} text */
function indent(text) {
  return text.trimEnd().replaceAll('\n', '\n         ');
}
