import { execFile } from 'node:child_process';
import path from 'node:path';
import { svcProgram, type Ran } from './run-svc.ts';

/**
 * The real svc at a terminal of 80 columns of `script`: its screen is returned, without colour. No keys are pressed.
 */
export async function runAtTerminal(
  words: readonly string[],
  where: { home: string; env?: Record<string, string>; columns?: number },
): Promise<Pick<Ran, 'exit'> & { screen: string }> {
  const quoted = [process.execPath, svcProgram, ...words].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  const command = `stty cols ${where.columns ?? 80} rows 40; exec ${quoted.join(' ')}`;
  const env = {
    HOME: where.home,
    PATH: `${path.dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
    DATA_DIR: path.join(where.home, 'data'),
    TERM: 'xterm',
    NO_COLOR: '1',
    ...where.env,
  };
  return await new Promise((resolve) => {
    const child = execFile(
      'script',
      ['--quiet', '--return', '--flush', '--command', command, '/dev/null'],
      { cwd: where.home, env, timeout: 20_000, encoding: 'utf8' },
      (_error, stdout) => resolve({ exit: child.exitCode ?? -1, screen: stdout.replaceAll('\r\n', '\n') }),
    );
    child.stdin?.end();
  });
}
