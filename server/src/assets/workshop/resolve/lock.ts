import { Problem } from '@gantry/contract/problems.ts';

export interface LockedPackage {
  name: string;
  version: string;
  /** The package's environments. Absent for all environments. */
  marker?: string;
  /** `sha256:…` of every file of this version in the index. */
  hashes: string[];
}

/**
 * Reads a requirements.lock in uv's form: `name==version`, each followed by its hashes on continued lines. Throws `project_invalid` for
 * every other line. An address, a folder, an option or a package without a hash would install unapproved content.
 */
export function parseLock(lock: string): LockedPackage[] {
  const lines = lock.replaceAll(/\\\n/g, ' ').split('\n');
  const packages: LockedPackage[] = [];
  const unreadable: string[] = [];
  for (const line of lines) {
    if (line.trim() === '') continue;
    const found = parseLine(line);
    if (found === undefined) unreadable.push(withoutHashes(line));
    else packages.push(found);
  }
  if (unreadable.length > 0) throw refused(unreadable);
  return packages;
}

const requirement =
  /^([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)==([a-z0-9][a-z0-9.!+_-]*)(?: ; ([^\\#]+?))?((?:\s+--hash=\S+)+)\s*$/i;
const hash = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;

function parseLine(line: string): LockedPackage | undefined {
  const [, name, version, marker, options] = requirement.exec(line) ?? [];
  if (name === undefined || version === undefined || options === undefined) return undefined;
  const hashes = options
    .trim()
    .split(/\s+/)
    .map((option) => option.slice('--hash='.length));
  if (!hashes.every((one) => hash.test(one))) return undefined;
  return { name, version, ...(marker === undefined ? {} : { marker }), hashes };
}

function withoutHashes(line: string): string {
  const words = line.split(/\s+/).filter((word) => !word.startsWith('--hash='));
  return words.join(' ').trim();
}

function refused(lines: string[]): Problem {
  return new Problem('project_invalid', {
    detail: `The lock has entries that are not packages of the index with version and hashes: ${lines.join(', ')}`,
    hint: 'Require packages by name and version. They come only from the package index.',
    fields: { lines },
  });
}

/** Prints a lock in uv's form, which `parseLock` reads. */
export function printLock(packages: LockedPackage[]): string {
  return packages
    .map(({ name, version, marker, hashes }) => {
      const condition = marker === undefined ? '' : ` ; ${marker}`;
      return `${[`${name}==${version}${condition}`, ...hashes.map((one) => `    --hash=${one}`)].join(' \\\n')}\n`;
    })
    .join('');
}
