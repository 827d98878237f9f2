import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The names of the tests in a file of the repository. */
export async function testNames(file: string): Promise<string[]> {
  return namesIn(await readFile(join(import.meta.dirname, '..', file), 'utf8'));
}

/** The first argument of a call of `test` or `describe`. */
function namesIn(source: string): string[] {
  // A test in Python is a function.
  const functions = [...source.matchAll(/^def (test_\w+)\(/gm)].map(([, name = '']) => name);
  const calls = source.matchAll(/\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)\s*,/g);
  return [...functions, ...[...calls].map(([, single, double, template]) => single ?? double ?? template ?? '')];
}
