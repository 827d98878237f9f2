// @ts-check
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { runCommand, tail } from '../command.js';
import { outsideEnvironment, readConfig } from '../config.js';
import { installDebianPackages } from '../packages/debian.js';
import { callEngine, readText } from './engine-api.js';
import { findExecutable } from '../executable.js';
import { SetupProblem } from '../step.js';

const packages = ['python3', 'python3-venv', 'python3-pip', 'ca-certificates'];
const bootstrap_timeout_seconds = 900;
const import_timeout_seconds = 300;

/** The image that is made here of a release of Debian, without a registry. @param {string} suite */
export const madeImage = (suite) => `gantry-base:${suite}`;

/** Left out of the image: device nodes (the engine brings its own) and files that the package manager can fetch again. */
const leftOut = [
  './dev/*',
  './proc/*',
  './sys/*',
  './var/cache/apt/archives/*.deb',
  './var/cache/apt/*.bin',
  './var/lib/apt/lists/*',
];

/**
 * Makes a small Debian with Python from Debian's packages and hands it to the engine under the given name.
 *
 * @param {string} dockerHost
 * @param {string} suite the release of Debian, `bookworm`, which is also the tag: `gantry-base:bookworm`
 * @param {(doing: string) => void} say
 * @returns {Promise<string>} the reference of the image
 */
export async function makeBaseImage(dockerHost, suite, say) {
  const reference = madeImage(suite);
  await ensureDebootstrap(say);
  // Not the usual temporary folder: debootstrap needs one that allows device nodes and programs.
  const root = mkdtempSync('/var/tmp/gantry-base-');
  try {
    await bootstrap(suite, root, say);
    say(`handing ${reference} to the engine`);
    await importFolder(dockerHost, reference, root);
    return reference;
  } finally {
    removeRoot(root);
  }
}

/** @param {(doing: string) => void} say */
async function ensureDebootstrap(say) {
  const elsewhere =
    'Without a registry a base image can only be created on Debian or Ubuntu, as root. Let the engine reach a registry, or docker load -i an ' +
    'archive of a slim Python image and name it in BASE_IMAGE.';
  if (process.getuid?.() !== 0)
    throw new SetupProblem({ cause: 'only root can create a base image with debootstrap', fix: elsewhere });
  if (findExecutable('debootstrap', [...readConfig().searchPath, '/usr/sbin']) !== undefined) return;
  // The keyring lets an Ubuntu machine verify Debian's packages.
  const needed = ['debootstrap', 'debian-archive-keyring'];
  await installDebianPackages({
    packages: needed,
    reason: 'a base image must be created, and debootstrap is missing',
    elsewhere,
    say,
  });
}

/** @param {string} suite @param {string} root @param {(doing: string) => void} say */
async function bootstrap(suite, root, say) {
  const mirror = await debianMirror();
  const argv = ['debootstrap', '--variant=minbase', `--include=${packages.join(',')}`, suite, root];
  if (mirror !== undefined) argv.push(mirror);
  const environment = outsideEnvironment();
  const { exit_code, output } = await runCommand(argv, {
    env: { ...environment, PATH: `${environment['PATH'] ?? ''}:/usr/sbin:/sbin` },
    timeout_seconds: bootstrap_timeout_seconds,
    onLine: (line) => say(`debootstrap: ${line}`),
  });
  if (exit_code === 0) return;
  throw new SetupProblem({
    cause: `${argv.join(' ')} ended with exit code ${exit_code}\n${tail(output)}`,
    fix: `Look at the lines above; most often the package mirror ${mirror ?? 'of debootstrap'} is unreachable.`,
  });
}

/** The mirror apt uses for Debian itself on this machine, so that a company's mirror is used here too; else debootstrap's own. */
async function debianMirror() {
  const { output } = await runCommand(['apt-cache', 'policy'], { env: outsideEnvironment(), timeout_seconds: 30 });
  return mirrorIn(output);
}

/** @param {string} policy what `apt-cache policy` prints */
export function mirrorIn(policy) {
  const lines = policy.split('\n');
  const release = lines.findIndex((line) => line.includes('o=Debian,') && line.includes('l=Debian,'));
  return /\bhttps?:\/\/\S+/.exec(lines[release - 1] ?? '')?.[0];
}

/** @param {string} dockerHost @param {string} reference @param {string} root */
async function importFolder(dockerHost, reference, root) {
  const tar = spawn(
    'tar',
    ['--create', '--numeric-owner', ...leftOut.map((path) => `--exclude=${path}`), '--directory', root, '.'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.timeout(import_timeout_seconds * 1000),
    },
  );
  let complaints = '';
  tar.stderr.setEncoding('utf8').on('data', (text) => (complaints += String(text)));
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve, reject) => tar.on('error', reject).on('close', resolve));

  const reply = await callEngine(dockerHost, {
    method: 'POST',
    path: importPath(reference),
    timeout_seconds: import_timeout_seconds,
    body: tar.stdout,
  });
  const answer = await readText(reply);
  const exit_code = await ended;
  if (exit_code !== 0)
    throw new SetupProblem({ cause: `tar failed: ${complaints}`, fix: 'Look for space below /var/tmp.' });
  if (reply.statusCode === 200 && !answer.includes('"error"')) return;
  throw new SetupProblem({
    cause: `the engine did not take the image: ${answer}`,
    fix: 'Look at the engine log and at its disk space.',
  });
}

/** @param {string} reference */
export function importPath(reference) {
  const [repo = '', tag = 'latest'] = reference.split(':');
  const query = new URLSearchParams({ fromSrc: '-', repo, tag });
  query.append('changes', 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin');
  query.append('changes', 'CMD ["python3"]');
  return `/images/create?${query.toString()}`;
}

/**
 * Removes the folder, unless something is still mounted in it: debootstrap mounts /proc and /sys while it works, and removing
 * through a mount that a killed run left behind would reach into the machine.
 *
 * @param {string} root
 */
function removeRoot(root) {
  const mounted = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.split(' ')[1]?.startsWith(`${root}/`));
  if (mounted.length > 0) {
    throw new SetupProblem({
      cause: `file systems are still mounted below ${root}`,
      fix: `umount them, then rm -r ${root}`,
    });
  }
  rmSync(root, { recursive: true, force: true });
}
