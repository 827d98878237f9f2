// @ts-check
import { existsSync } from 'node:fs';
import { runCommand } from '../command.js';
import { outsideEnvironment, readConfig } from '../config.js';

/**
 * The settings of this machine for Python packages: an own index and an extra certificate authority, each with its source.
 * The environment counts first, then pip's own files; where there is neither, the public index needs no setting.
 *
 * @typedef {{ name: string, value: string }} Found
 * @returns {Promise<{ indexUrl?: Found, authorityFile?: Found }>}
 */
export async function findPackageIndex() {
  const { indexUrl, authorityFile } = readConfig();
  const authority = authorityFile ?? (await pipSetting('cert'));
  return {
    indexUrl: indexUrl ?? (await pipSetting('index-url')),
    authorityFile: authority && existsSync(authority.value) ? authority : undefined,
  };
}

/** @param {'cert' | 'index-url'} name */
async function pipSetting(name) {
  const argv = ['python3', '-m', 'pip', '--disable-pip-version-check', 'config', 'get', `global.${name}`];
  const { exit_code, output } = await runCommand(argv, { env: outsideEnvironment(), timeout_seconds: 20 });
  const value = output.trim();
  return exit_code === 0 && value !== '' ? { name: `pip's ${name}`, value } : undefined;
}
