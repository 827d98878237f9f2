import { normaliseName } from '@gantry/contract/requirements.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { LockedPackage } from '../../engine/lock.ts';

// The image itself gives its packages: the metadata beside each installed package. The interpreter of the base image reads it,
// so that no package code runs.

export interface InstalledPackage {
  /** Normalised (PEP 503). */
  name: string;
  version: string;
}

/** Prints the packages in /opt/venv as JSON, `[[name, version], …]`. It imports only modules of Python and pip. */
export const listInstalled = `
import json, sys
from importlib.metadata import distributions
from pip._vendor.packaging.version import InvalidVersion, Version
site = "/opt/venv/lib/python%d.%d/site-packages" % sys.version_info[:2]
def canonical(version):
    try:
        return str(Version(version))
    except (InvalidVersion, TypeError):
        return str(version)
found = distributions(path=[site])
print(json.dumps([[str(one.metadata["Name"]), canonical(one.metadata["Version"])] for one in found]))
`;

/** Reads the output of `listInstalled`. Throws `build_failed` with the name of each package that differs from the lock. */
export function readInstalled(printed: string, locked: LockedPackage[]): InstalledPackage[] {
  // The script above printed it.
  const found = JSON.parse(printed) as [string, string][];
  const installed = found.map(([name, version]) => ({ name: normaliseName(name), version }));
  const differences = [...unlike(installed, locked), ...missing(installed, locked)];
  if (differences.length === 0) return installed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  throw new Problem('build_failed', {
    detail: `The installed packages differ from the lock: ${differences.join('; ')}`,
    hint: 'A package added or changed another one. Require other versions of these packages, and push again.',
    fields: { differences },
  });
}

function unlike(installed: InstalledPackage[], locked: LockedPackage[]): string[] {
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

function missing(installed: InstalledPackage[], locked: LockedPackage[]): string[] {
  const there = new Set(installed.map(({ name }) => name));
  return locked
    .filter(({ name, marker }) => marker === undefined && !there.has(normaliseName(name)))
    .map(({ name, version }) => `${name} ${version} is locked but not installed`);
}
