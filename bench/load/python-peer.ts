// Compared programs of the Python index, in their newest versions. They are installed into the cache, never among the project's packages.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '../../e2e/config.ts';
import { runCommand, tail } from '../../setup/command.js';
import { outsideEnvironment, readConfig } from '../../setup/config.js';
import { findExecutable } from '../../setup/executable.js';
import { ensureUv, uvEnvironment } from '../../setup/packages/python.js';

export const install_seconds = 900;
export const peers_folder = join(readConfig().cacheFolder, 'bench');

/** Returns the folder of its programs, `python` among them. */
export async function installPython(name: string, packages: readonly string[]): Promise<string> {
  const uv = await ensureUv(() => {});
  await mkdir(peers_folder, { recursive: true });
  const at = join(peers_folder, name);
  const python = join(at, 'bin/python');
  const env = await uvEnvironment();
  if (!existsSync(python)) {
    const system = findExecutable('python3', (environment().PATH ?? '').split(':')) ?? 'python3';
    await install([uv, 'venv', '--python', system, at], env);
  }
  await install([uv, 'pip', 'install', '--quiet', '--upgrade', '--python', python, ...packages], env);
  return join(at, 'bin');
}

export async function versionOf(bin: string, name: string): Promise<string> {
  return await output([join(bin, 'python'), '-c', `import importlib.metadata as m; print(m.version('${name}'))`]);
}

export async function output(argv: string[]): Promise<string> {
  const ran = await runCommand(argv, { env: environment(), timeout_seconds: 60 });
  if (ran.exit_code !== 0) throw new Error(tail(ran.output, 1));
  return ran.output.trim();
}

export async function install(argv: string[], env: Record<string, string> = {}): Promise<void> {
  const ran = await runCommand(argv, { env: outsideEnvironment(env), timeout_seconds: install_seconds });
  if (ran.exit_code !== 0) throw new Error(`${argv[0] ?? ''} failed: ${tail(ran.output, 1)}`);
}
