import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const output_bytes = 64 * 1024 ** 2;

/** Runs a program to its end and returns what it printed. Throws with its complaint when it fails. */
export async function run(program: string, args: readonly string[], cwd?: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd, maxBuffer: output_bytes });
  return stdout;
}
