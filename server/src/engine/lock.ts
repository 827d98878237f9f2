import { Problem } from '@gantry/contract/problems.ts';

export interface LockedPackage {
  name: string;
  version: string;
  /** The environments that it is for; absent for every one. */
  marker?: string;
  /** `sha256:…`, of every file the index offers for this version. */
  hashes: string[];
}

/**
 * Reads a requirements.lock as uv writes it: `name==version`, each followed by its hashes on continued lines. Nothing else can be a line of
 * it: an address, a folder, an option or a package without a hash would install what nobody approved. Throws `project_invalid`.
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
    detail: `The lock holds what is no package of the index with a version and hashes: ${lines.join(', ')}`,
    hint: 'Require packages by name and version. They come from the package index alone.',
    fields: { lines },
  });
}

/** The form in which uv writes a lock, which `parseLock` reads. */
export function printLock(packages: LockedPackage[]): string {
  return packages
    .map(({ name, version, marker, hashes }) => {
      const condition = marker === undefined ? '' : ` ; ${marker}`;
      return `${[`${name}==${version}${condition}`, ...hashes.map((one) => `    --hash=${one}`)].join(' \\\n')}\n`;
    })
    .join('');
}
