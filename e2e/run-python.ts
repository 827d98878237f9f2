import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cloneEnvironment } from '../setup/config.js';
import { ensureUv, uvEnvironment } from '../setup/packages/python.js';

export const crewai = 'crewai[a2a]==1.15.30';

/** Runs a script of e2e/agents with these packages, outside any container. Returns the JSON that it prints. */
export async function runPython(
  packages: readonly string[],
  script: string,
  words: readonly string[],
): Promise<Record<string, never>> {
  const uv = await ensureUv(() => {});
  const env = cloneEnvironment(await uvEnvironment());
  const needed = ['--python', '>=3.10,<3.14', ...packages.flatMap((name) => ['--with', name])];
  const file = join(import.meta.dirname, 'agents', script);
  const command = ['run', '--no-project', '--quiet', ...needed, 'python', file, ...words];
  const child = spawn(uv, command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit_code] = (await ended) as unknown[];
  if (exit_code !== 0) throw new Error(`${script} ended with ${String(exit_code)}: ${complaint}`);
  return JSON.parse(printed) as Record<string, never>; // printed by the script
}
