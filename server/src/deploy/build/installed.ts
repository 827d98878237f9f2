import { normaliseName } from '@gantry/contract/requirements.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { LockedPackage } from '../../engine/lock.ts';

// What an image holds is asked of the image: the metadata that lies beside each installed package. The interpreter of the base image reads
// it, so that nothing of a package runs.

export interface InstalledPackage {
  /** Normalised (PEP 503). */
  name: string;
  version: string;
}

/** Prints what is installed in /opt/venv as JSON, `[[name, version], …]`. Everything it imports comes with Python and pip. */
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

/** Reads what `listInstalled` printed. Throws `build_failed`, naming each package that is not as it is locked. */
export function readInstalled(printed: string, locked: LockedPackage[]): InstalledPackage[] {
  // Printed by the script above.
  const found = JSON.parse(printed) as [string, string][];
  const installed = found.map(([name, version]) => ({ name: normaliseName(name), version }));
  const differences = [...unlike(installed, locked), ...missing(installed, locked)];
  if (differences.length === 0) return installed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  throw new Problem('build_failed', {
    detail: `What is installed is not what was locked: ${differences.join('; ')}`,
    hint: 'A package brought or changed another one. Require versions of these packages that do not, and push again.',
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
    if (expected === undefined) return [`${name} ${version} is installed and not locked`];
    if (expected !== version) return [`${name} ${version} is installed and ${expected} is locked`];
    return twice ? [`${name} ${version} is installed twice`] : [];
  });
}

function missing(installed: InstalledPackage[], locked: LockedPackage[]): string[] {
  const there = new Set(installed.map(({ name }) => name));
  return locked
    .filter(({ name, marker }) => marker === undefined && !there.has(normaliseName(name)))
    .map(({ name, version }) => `${name} ${version} is locked and not installed`);
}
