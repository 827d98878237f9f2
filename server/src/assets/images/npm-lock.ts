// package-lock.json of a hosted server (npm, lockfile version 3). A lock that names anything but packages of the registry, by version and hash, is
// refused: it would install what nobody has approved.
import { Problem } from '@gantry/contract/problems.ts';
import { z } from 'zod';
import type { InstalledPackage } from './installed.ts';
import { jsonIn } from '../../ground/json-in.ts';

const entry = z.object({
  name: z.string().max(300).optional(),
  version: z.string().max(200),
  resolved: z.string().max(2000),
  integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/),
  optional: z.boolean().optional(),
  link: z.never().optional(),
});
const lockFile = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string().max(2000), z.unknown()) });

/** The packages by their folders below node_modules. Throws `project_invalid`. */
export function parseNpmLock(lock: string, registry: string): Map<string, InstalledPackage> {
  const { data } = lockFile.safeParse(jsonIn(lock));
  if (data === undefined) throw refused('it is no lock of npm');
  const { origin } = new URL(registry);
  const packages = new Map<string, InstalledPackage>();
  for (const [path, value] of Object.entries(data.packages)) {
    // The project itself.
    if (path === '') continue;
    const found = entry.safeParse(value);
    if (!found.success || !URL.canParse(found.data.resolved) || new URL(found.data.resolved).origin !== origin)
      throw refused(`${path} is no package of the registry with version and hash`);
    const { name, version } = found.data;
    packages.set(path, { name: name ?? nameOf(path), version });
  }
  return packages;
}

const folder = 'node_modules/';
const nameOf = (path: string) => path.slice(path.lastIndexOf(folder) + folder.length);

function refused(why: string): Problem {
  return new Problem('project_invalid', {
    detail: `The packages of npm cannot be locked: ${why}`,
    hint: 'Take a package whose dependencies all come from the registry.',
  });
}
