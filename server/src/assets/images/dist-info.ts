import type { LocalProject } from '@gantry/project/dependencies/pyproject-metadata.ts';
import { normaliseName } from '@gantry/project/requirements.ts';
import { parseLock } from '../workshop/resolve/lock.ts';

/**
 * Files for `importlib.metadata` of the project's own folders, because these are imported but never built. Each is a METADATA with name and
 * version, by its path below a folder of PYTHONPATH. A name in the lock has no such file, because other packages need the installed
 * package's metadata.
 */
export function distInfo(projects: readonly LocalProject[], lock: string): Map<string, Uint8Array> {
  const installed = new Set(parseLock(lock).map(({ name }) => normaliseName(name)));
  return new Map(
    projects
      .filter(({ name }) => !installed.has(normaliseName(name)))
      .map(({ name, version }) => [
        `${normaliseName(name).replaceAll('-', '_')}-${version}.dist-info/METADATA`,
        Buffer.from(`Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`),
      ]),
  );
}
