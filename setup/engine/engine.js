// @ts-check
/**
 * A container engine that answers. A running one is used; an installed one is started; on Debian and Ubuntu, root
 * gets one installed. An engine from DOCKER_HOST belongs to somebody else and is never installed or started here.
 */
import { join } from 'node:path';
import { readConfig } from '../config.js';
import { installDebianPackages } from '../packages/debian.js';
import { callEngine, readText } from './engine-api.js';
import { findExecutable } from '../executable.js';
import { startEngine } from './start-engine.js';
import { SetupProblem } from '../step.js';

/** Debian 12's engine; older ones lack what the service asks of an engine. */
const oldestApi = '1.41';
const ping_timeout_seconds = 5;
const start_deadline_seconds = 60;
const ownSocket = 'unix:///var/run/docker.sock';

const installByHand = `Install Docker Engine 20.10 or newer and start it:
Fedora:      sudo dnf install -y moby-engine && sudo systemctl enable --now docker
Arch:        sudo pacman -S docker && sudo systemctl enable --now docker
openSUSE:    sudo zypper install -y docker && sudo systemctl enable --now docker
elsewhere:   https://docs.docker.com/engine/install/
Then let your user reach it, sudo usermod -aG docker "$USER", and sign in again. Or set DOCKER_HOST to another Linux engine.`;

/**
 * @param {(doing: string) => void} say
 * @returns {Promise<string>} what answers, for the progress line
 */
export async function ensureEngine(say) {
  const { dockerHost, stateFolder, searchPath } = readConfig();
  const first = await ping(dockerHost);
  if (first.api !== undefined) return describe(first.api, dockerHost);
  if (dockerHost !== ownSocket) throw unreachable(dockerHost, first.error);
  if (first.error?.code === 'EACCES') throw closedSocket();

  if (findDockerd(searchPath) === undefined) {
    await installDebianPackages({
      packages: ['docker.io'],
      reason: 'no container engine answers and none is installed',
      elsewhere: installByHand,
      say,
    });
    // On a machine with systemd the package has just started it.
    const installed = await ping(dockerHost);
    if (installed.api !== undefined) return `installed and started, ${describe(installed.api, dockerHost)}`;
  }

  const dockerd = findDockerd(searchPath);
  if (dockerd === undefined) throw new SetupProblem({ cause: 'dockerd is not on the PATH', fix: installByHand });
  if (process.getuid?.() !== 0) {
    throw new SetupProblem({
      cause: 'the container engine is installed but does not run, and only root can start it',
      fix: 'sudo systemctl start docker',
    });
  }
  say('starting the container engine');
  const logFile = join(stateFolder, 'dockerd.log');
  const answers = async () => (await ping(dockerHost)).api !== undefined;
  await startEngine({ dockerd, logFile, answers, deadline_seconds: start_deadline_seconds });
  return `started, ${describe((await ping(dockerHost)).api ?? '', dockerHost)}`;
}

/**
 * @param {string} dockerHost
 * @returns {Promise<{ api?: string, error?: NodeJS.ErrnoException }>}
 */
async function ping(dockerHost) {
  try {
    const reply = await callEngine(dockerHost, {
      method: 'GET',
      path: '/_ping',
      timeout_seconds: ping_timeout_seconds,
    });
    await readText(reply);
    if (reply.statusCode !== 200) return { error: new Error(`it answered with status ${reply.statusCode}`) };
    return { api: String(reply.headers['api-version'] ?? '0') };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** @param {string} api @param {string} oldest both as the engine writes them, `1.41` */
export function isApiNewEnough(api, oldest = oldestApi) {
  const [major = 0, minor = 0] = api.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** @param {string} api @param {string} dockerHost */
function describe(api, dockerHost) {
  if (isApiNewEnough(api)) return `API ${api} at ${dockerHost}`;
  throw new SetupProblem({
    cause: `the container engine at ${dockerHost} speaks API ${api}; ${oldestApi} (Docker 20.10) or newer is needed`,
    fix: 'Upgrade the engine, or set DOCKER_HOST to a newer one.',
  });
}

/** @param {string[]} searchPath */
function findDockerd(searchPath) {
  return findExecutable('dockerd', [...searchPath, '/usr/sbin', '/usr/local/sbin', '/usr/bin']);
}

/** @param {string} dockerHost @param {Error | undefined} error */
function unreachable(dockerHost, error) {
  return new SetupProblem({
    cause: `the container engine in DOCKER_HOST, ${dockerHost}, does not answer: ${error?.message ?? 'no reason given'}`,
    fix: 'Start it, or correct or unset DOCKER_HOST.',
  });
}

function closedSocket() {
  return new SetupProblem({
    cause: `a container engine exists, but this user may not open ${ownSocket}`,
    fix: 'sudo usermod -aG docker "$USER", then sign in again.',
  });
}
