import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runCommand, tail } from '../../setup/command.js';
import { outsideEnvironment } from '../../setup/config.js';

/**
 * The last commit whose wrapper drains only by a signal: the next one gives it the route /drain. Its service asks containers without a
 * proof of their identity, has no placements (migration 183), and gives containers two addresses of the service.
 */
const commit = '3ad1a58715238aed39d48ae189ccc7d6784d0afb';

const clone = resolve(import.meta.dirname, '../..');
const install_seconds = 900;

export interface Release {
  directory: string;
  remove(): Promise<void>;
}

/** The release before, in a folder of its own, with the packages of its own lock file. */
export async function installReleaseBefore(): Promise<Release> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-release-'));
  const remove = async () => await rm(directory, { recursive: true, force: true });
  try {
    await requireCommit();
    const archive = join(directory, 'release.tar');
    await must(['git', 'archive', '--output', archive, commit], { cwd: clone });
    await must(['tar', '-xf', archive], { cwd: directory });
    await must(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: directory, env: outsideEnvironment() });
    return { directory, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function requireCommit(): Promise<void> {
  const { exit_code } = await runCommand(['git', 'cat-file', '-e', `${commit}^{commit}`], {
    cwd: clone,
    timeout_seconds: 60,
  });
  if (exit_code !== 0)
    throw new Error(
      `This clone does not have the commit ${commit}, the release before. Run: git fetch --unshallow (in a clone with the whole history: git fetch origin ${commit})`,
    );
}

async function must(argv: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<void> {
  const { exit_code, output } = await runCommand(argv, { ...options, timeout_seconds: install_seconds });
  if (exit_code !== 0) throw new Error(`${argv.join(' ')} ended with ${exit_code}:\n${tail(output)}`);
}
