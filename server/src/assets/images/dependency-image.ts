import { Problem } from '@gantry/contract/problems.ts';
import { createHash } from 'node:crypto';
import { findImage } from '../docker/base-image.ts';
import { answered, ask, type Engine } from '../docker/client.ts';
import { refuseIndexFailure } from '../workshop/package-index/index-failure.ts';
import { label, labelsFor, type RunLabel } from '../docker/labels.ts';
import { parseLock, type LockedPackage } from '../workshop/resolve/lock.ts';
import { teamCache, throwAwayCache } from '../workshop/package-cache.ts';
import { runInSandbox, type SandboxResult } from '../workshop/sandbox.ts';
import type { Sandboxes } from '../workshop/sandboxes.ts';
import { uvPath } from '../workshop/uv.ts';
import { normalise, refuseNotTaken } from './normalise.ts';
import { prepareBase } from './prepared-base.ts';
import { folders, listInstalled, readInstalled, type InstalledPackage } from './installed.ts';

// The slow part of a build: the locked packages in /opt/venv, on the base image. The wrapper's own packages have another folder, so they
// never decide about a version of the user's. It is done once for all agents of a team with the same lock.
// No code of a package runs meanwhile. The first sandbox has the cache and unpacks wheels, but never starts the Python in /opt/venv.
// The second sandbox has neither cache nor network. It compiles and lists the packages with the base image's own interpreter.

export interface DependencyImageInput {
  team_id: string;
  lock: string;
  python_version: string;
  /** The wheels that the push built from source, by file name. */
  wheels: ReadonlyMap<string, Uint8Array>;
  /** The packages of the wrapper, with hashes. */
  wrapper_lock: string;
  /** An image with a purpose of its own is not pruned with those of agents. */
  purpose?: string;
  run?: RunLabel;
  onLog?: (line: string) => void;
  signal: AbortSignal;
}

export interface DependencyImage {
  /** `sha256:…` */
  id: string;
  tag: string;
  reused: boolean;
  /** The user's and the wrapper's, sorted by name. */
  installed: InstalledPackage[];
}

/** Throws `project_invalid` for an invalid lock, and `index_unreachable`, `build_failed`, `out_of_memory` or `disk_limit`. */
export async function ensureDependencyImage(
  sandboxes: Sandboxes,
  input: DependencyImageInput,
): Promise<DependencyImage> {
  const { engine } = sandboxes;
  const locked = parseLock(input.lock);
  const hash = contentHash(sandboxes, input);
  const tag = `svc-deps:${hash}`;
  const existing = await findImage(engine, tag, input.signal);
  if (existing !== undefined)
    return { id: existing.id, tag, reused: true, installed: readLabel(existing.labels[label.installed]) };

  const unpacked = await unpack(sandboxes, input);
  try {
    return { ...(await compile(sandboxes, { ...input, unpacked, hash, locked })), tag, reused: false };
  } finally {
    // A prune removes the images of killed processes.
    await removeImage(engine, unpacked);
  }
}

/** Returns the image's id. */
async function unpack(
  sandboxes: Sandboxes,
  { wheels, lock, wrapper_lock, ...input }: DependencyImageInput,
): Promise<string> {
  const { engine } = sandboxes;
  // A cache finds a locally built wheel by its path. Another agent of the team may have a different wheel with the same path.
  const cache = wheels.size === 0 ? await teamCache(sandboxes, input.team_id, input.signal) : throwAwayCache;
  const files = [...wheels].map(([file, bytes]) => [`wheels/${file}`, bytes] as const);
  const result = await sandboxes.run({
    image: await prepareBase(engine, sandboxes.base, input.signal),
    volumes: cache.volumes,
    env: { ...cache.env, LIMIT_BYTES: String(sandboxes.settings.limits.disk_bytes) },
    writable_directories: [...Object.values(folders), ...(cache.writable_directories ?? [])],
    command: ['/bin/sh', '-c', install, 'install', ...(wheels.size === 0 ? [] : ['--find-links', '/tmp/in/wheels'])],
    files: {
      'requirements.lock': lock,
      'wrapper.lock': wrapper_lock,
      'normalise.py': normalise,
      ...Object.fromEntries(files),
    },
    run: input.run,
    onLog: input.onLog,
    signal: input.signal,
    keep: () => ({ labels: labelsFor(engine, 'unpacked') }),
  });
  if (result.image !== undefined) return result.image;
  refuseNotTaken(result);
  refuseIndexFailure(result.stderr);
  throw failed('installed', result);
}

async function compile(
  { engine, settings }: Sandboxes,
  input: DependencyImageInput & { unpacked: string; hash: string; locked: LockedPackage[] },
): Promise<Pick<DependencyImage, 'id' | 'installed'>> {
  let installed: InstalledPackage[] = [];
  const result = await runInSandbox(engine, {
    image: input.unpacked,
    writable_directories: Object.values(folders),
    command: [
      '/bin/sh',
      '-c',
      compileAndList,
      'compile',
      String(Math.ceil(settings.limits.cpus)),
      String(settings.limits.disk_bytes),
    ],
    files: { 'compile.py': compileAll, 'list.py': listInstalled, 'normalise.py': normalise },
    limits: settings.limits,
    run: input.run,
    onLog: input.onLog,
    signal: input.signal,
    keep: (stdout) => {
      installed = readInstalled(stdout, { user: input.locked, wrapper: parseLock(input.wrapper_lock) });
      const labels = {
        ...labelsFor(engine, input.purpose ?? 'dependencies'),
        [label.installed]: writeLabel(installed),
      };
      return { labels, name: `svc-deps:${input.hash}` };
    },
  });
  refuseNotTaken(result);
  if (result.image === undefined) throw failed('compiled', result);
  return { id: result.image, installed };
}

async function removeImage({ docker }: Engine, id: string): Promise<void> {
  try {
    await ask(docker.getImage(id).remove());
  } catch (error) {
    // 409: the dependency image is built on it. Its removal also removes this image.
    if (!answered(error, 404) && !answered(error, 409)) throw error;
  }
}

function failed(what: 'installed' | 'compiled', { exit_code, stderr }: SandboxResult): Problem {
  return new Problem('build_failed', {
    detail: `The dependencies cannot be ${what} (exit code ${exit_code})`,
    fields: { output: stderr.trim().slice(-8000) },
  });
}

/** Prints `name==version` for each package. A locked name or version has no space and no quote. */
function writeLabel(installed: InstalledPackage[]): string {
  return installed.map(({ name, version }) => `${name}==${version}`).join(' ');
}

function readLabel(text = ''): InstalledPackage[] {
  return text.split(' ').flatMap((one) => {
    const [name, version] = one.split('==');
    return name === undefined || version === undefined ? [] : [{ name, version }];
  });
}

// Increased to stop the use of all older images.
const generation = 4;

/** Includes the team: a source distribution of one team must not reach the agents of another. Packages of the index have their hashes in the lock. */
function contentHash(
  { base, engine, settings }: Sandboxes,
  { team_id, lock, python_version, wrapper_lock, wheels }: DependencyImageInput,
): string {
  const isShared = settings.shares_images === true && wheels.size === 0;
  const owner = isShared ? ['of the engine'] : [engine.installation_id, team_id];
  const parts = [generation, ...owner, base.pin, lock, python_version, wrapper_lock];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

// After the installation, no step starts the interpreter of /opt/venv, because it would run code from the wheels (`.pth` files).
// A throw-away cache is in the committed layer, so it is deleted before the commit.
const install = `
set -e
${uvPath} venv --quiet --python python3 /opt/venv
${uvPath} pip install --python /opt/venv/bin/python --require-hashes --no-deps --only-binary :all: --no-sources -r /tmp/in/requirements.lock "$@"
${uvPath} pip install --python python3 --target ${folders.wrapper} --require-hashes --no-deps --only-binary :all: --no-sources -r /tmp/in/wrapper.lock
# The version of uv is no content.
sed -i '/^uv = /d' ${folders.user}/pyvenv.cfg
case "$UV_LINK_MODE" in copy) cache= ;; *) cache=$UV_CACHE_DIR; find "$cache" -mindepth 1 -delete ;; esac
exec python3 -I -S /tmp/in/normalise.py "$LIMIT_BYTES" ${Object.values(folders).join(' ')} $cache
`;

// Isolated, and without \`site\` for the compilation, so that Python imports only modules of the base image.
const compileAndList = `
set -e
python3 -I -S /tmp/in/compile.py "$1"
python3 -I -S /tmp/in/normalise.py "$2" ${Object.values(folders).join(' ')}
python3 -I /tmp/in/list.py
`;

/** As with pip, a file that cannot be compiled stays: many packages include templates and code for other versions. */
const compileAll = `
import compileall, sys
if __name__ == "__main__":
    site = "${folders.user}/lib/python%d.%d/site-packages" % sys.version_info[:2]
    for folder in (site, "${folders.wrapper}"):
        compileall.compile_dir(folder, quiet=2, workers=int(sys.argv[1]))
`;
