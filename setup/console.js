// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, tail } from './command.js';
import { cloneEnvironment, cloneFolder } from './config.js';
import { isRelease } from './npm-package/release.js';
import { SetupProblem } from './step.js';

const build_timeout_seconds = 120;
const mark = join(cloneFolder, 'console', 'dist', '.built-from');

/**
 * Builds the web console when its sources have changed since the last build.
 *
 * @returns {Promise<string>}
 */
export async function ensureConsole() {
  if (isRelease) return 'came with the package';
  const digest = digestOfSources();
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return 'up to date';
  const { exit_code, output } = await runCommand(['vite', 'build', '--logLevel', 'warn'], {
    cwd: join(cloneFolder, 'console'),
    env: cloneEnvironment(),
    timeout_seconds: build_timeout_seconds,
  });
  if (exit_code !== 0) {
    throw new SetupProblem({
      cause: `vite build ended with exit code ${exit_code}\n${tail(output)}`,
      fix: 'Run `npm run build -w console` to see all of it.',
    });
  }
  writeFileSync(mark, digest);
  return 'built';
}

// The contract is a source too: its endpoints, names and refusals are in the console. So are the examples and the verifier.
const sources = ['console', 'contract', 'project', 'examples', 'verifier'];
const made = /(^|[/\\])(node_modules|dist|\.venv|__pycache__)([/\\]|$)/;

function digestOfSources() {
  const files = sources.flatMap((folder) =>
    readdirSync(join(cloneFolder, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name)),
  );
  const hash = createHash('sha256');
  for (const file of [...files, join(cloneFolder, 'package-lock.json')].filter((path) => !made.test(path)).toSorted())
    hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest('hex');
}
