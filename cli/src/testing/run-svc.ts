import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Ran {
  exit: number;
  stdout: string;
  stderr: string;
}

export const svcProgram = fileURLToPath(new URL('../../svc.js', import.meta.url));

/** A new home, as empty as that of a fresh account. */
export function freshHome(): string {
  return mkdtempSync(path.join(tmpdir(), 'gantry-cli-'));
}

/** The real svc as a child, without a terminal, in an environment without this machine's variables. */
export async function runSvc(
  words: readonly string[],
  where: {
    home: string;
    cwd?: string;
    env?: Record<string, string>;
    stdin?: string | Uint8Array;
    timeout_milliseconds?: number;
  },
): Promise<Ran> {
  const env = {
    HOME: where.home,
    PATH: `${path.dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
    DATA_DIR: path.join(where.home, 'data'),
    ...where.env,
  };
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [svcProgram, ...words],
      { cwd: where.cwd ?? where.home, env, timeout: where.timeout_milliseconds ?? 20_000, encoding: 'utf8' },
      (_error, stdout, stderr) => resolve({ exit: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end(where.stdin ?? '');
  });
}
