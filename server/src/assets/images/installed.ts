import { normaliseName } from '@gantry/project/requirements.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { LockedPackage } from '../workshop/resolve/lock.ts';

// The image itself gives its packages: the metadata beside each installed package. The interpreter of the base image reads it,
// so that no package code runs.

/** The places of packages in an image. The wrapper appends its own to the end of the search path, so the user's versions win. */
export const folders = { user: '/opt/venv', wrapper: '/opt/svc-packages' } as const;

export interface InstalledPackage {
  /** Normalised (PEP 503). */
  name: string;
  version: string;
}

/** Prints the packages of each folder as JSON, `{"user": [[name, version], …], …}`. It imports only modules of Python and pip. */
export const listInstalled = `
import json, sys
from importlib.metadata import distributions
from pip._vendor.packaging.version import InvalidVersion, Version
site = "${folders.user}/lib/python%d.%d/site-packages" % sys.version_info[:2]
def canonical(version):
    try:
        return str(Version(version))
    except (InvalidVersion, TypeError):
        return str(version)
def listed(folder):
    return [[str(one.metadata["Name"]), canonical(one.metadata["Version"])] for one in distributions(path=[folder])]
print(json.dumps({"user": listed(site), "wrapper": listed("${folders.wrapper}")}))
`;

type Folder = keyof typeof folders;

/**
 * Reads the output of `listInstalled`. Throws `build_failed` with the name of each package that differs from its lock. A package that both
 * folders have in one version is listed once.
 */
export function readInstalled(printed: string, locked: Record<Folder, LockedPackage[]>): InstalledPackage[] {
  // The script above printed it.
  const found = JSON.parse(printed) as Record<Folder, [string, string][]>;
  const [user, wrapper] = (['user', 'wrapper'] as const).map((folder) => ({
    installed: found[folder].map(([name, version]) => ({ name: normaliseName(name), version })),
    locked: locked[folder],
  })) as [Compared, Compared]; // One for each folder.
  const differences = [user, wrapper].flatMap((one) => [...unlike(one), ...missing(one)]);
  if (differences.length === 0) {
    const has = ({ name, version }: InstalledPackage) =>
      user.installed.some((one) => one.name === name && one.version === version);
    const all = [...user.installed, ...wrapper.installed.filter((one) => !has(one))];
    return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }
  throw new Problem('build_failed', {
    detail: `The installed packages differ from the lock: ${differences.join('; ')}`,
    hint: 'A package added or changed another one. Require other versions of these packages, and push again.',
    fields: { differences },
  });
}

interface Compared {
  installed: InstalledPackage[];
  locked: LockedPackage[];
}

function unlike({ installed, locked }: Compared): string[] {
  const versions = new Map(locked.map(({ name, version }) => [normaliseName(name), version]));
  const seen = new Set<string>();
  return installed.flatMap(({ name, version }) => {
    const expected = versions.get(name);
    const twice = seen.has(name);
    seen.add(name);
    if (expected === undefined) return [`${name} ${version} is installed but not locked`];
    if (expected !== version) return [`${name} ${version} is installed but ${expected} is locked`];
    return twice ? [`${name} ${version} is installed twice`] : [];
  });
}

function missing({ installed, locked }: Compared): string[] {
  const there = new Set(installed.map(({ name }) => name));
  return locked
    .filter(({ name, marker }) => marker === undefined && !there.has(normaliseName(name)))
    .map(({ name, version }) => `${name} ${version} is locked but not installed`);
}
