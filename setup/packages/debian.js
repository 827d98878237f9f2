// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { runCommand, tail } from '../command.js';
import { outsideEnvironment } from '../config.js';
import { confirm, print, SetupProblem } from '../step.js';

const install_timeout_seconds = 900;

/**
 * Installs Debian packages, on Debian or Ubuntu as root; elsewhere it prints the manual steps. It announces the installation,
 * and asks first at a terminal.
 *
 * @param {{ packages: string[], reason: string, elsewhere: string, say: (doing: string) => void }} order
 *   `elsewhere` tells how to get the same thing on another system
 */
export async function installDebianPackages({ packages, reason, elsewhere, say }) {
  const names = packages.join(' ');
  if (!isDebianLike(readOsRelease())) throw new SetupProblem({ cause: reason, fix: elsewhere });
  if (process.getuid?.() !== 0) {
    throw new SetupProblem({
      cause: `${reason}, and only root can install it`,
      fix: `sudo apt-get update && sudo apt-get install -y ${names}`,
    });
  }
  print(`  ${reason}: installing ${names} with apt-get`);
  if (!(await confirm(`  Install ${names} now?`))) {
    throw new SetupProblem({
      cause: `${reason}, and you declined`,
      fix: `apt-get install -y ${names}, then run this again.`,
    });
  }
  await apt(['update'], say);
  await apt(['install', '-y', ...packages], say);
}

/**
 * @param {string} osRelease the text of /etc/os-release
 */
export function isDebianLike(osRelease) {
  return /^(ID|ID_LIKE)=.*\b(debian|ubuntu)\b/m.test(osRelease);
}

function readOsRelease() {
  return existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
}

/** @param {string[]} args @param {(doing: string) => void} say */
async function apt(args, say) {
  const argv = ['apt-get', '-q', ...args];
  const { exit_code, output } = await runCommand(argv, {
    env: outsideEnvironment({ DEBIAN_FRONTEND: 'noninteractive' }),
    timeout_seconds: install_timeout_seconds,
    onLine: (line) => say(`apt-get ${args[0]}: ${line}`),
  });
  if (exit_code === 0) return;
  throw new SetupProblem({
    cause: `${argv.join(' ')} ended with exit code ${exit_code}\n${tail(output)}`,
    fix: 'Look at the lines above; most often a package mirror of /etc/apt is unreachable, or another apt-get holds the lock.',
  });
}
