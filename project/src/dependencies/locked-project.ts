// A uv.lock beside its pyproject.toml is installed as it is. uv itself exports it during the push, so overrides, groups and workspaces
// mean what they mean to uv. This finds the parts of the project that the lock covers, and where it no longer fits its pyproject.toml.
import type { Finding } from '../finding.ts';
import { folderOf, pathInside } from '../folders/path-inside.ts';
import { isOutside } from '../requirements/version-range.ts';
import { lockCommand, normaliseName, type DeclaredRequirement } from '../requirements.ts';
import { printSpec } from '../requirements/parse-line.ts';
import { fault } from './fault.ts';
import { readPython } from './python-version.ts';
import type { RequiredPython } from './pyproject-metadata.ts';
import type { FolderDependencies } from './read-folder.ts';
import { isTable, tableAt, textAt, type TomlFile, type TomlTable } from './read-toml.ts';

export interface LockedProject {
  /** The path of uv.lock. */
  lock: string;
  /** The folders whose packages are in the lock. */
  folders: string[];
  /** The members of the workspace whose packages are installed; empty for the project beside the lock, or a whole workspace. */
  packages: string[];
}

export interface ReadLockedProject {
  locked: LockedProject;
  requires_python: RequiredPython[];
  findings: Finding[];
}

/** `folders`: the project's, of which langgraph.json names `named`. */
export function readLockedProject(
  toml: TomlFile,
  { folders, named }: { folders: readonly FolderDependencies[]; named: readonly string[] },
): ReadLockedProject {
  const own = folderOf(toml.file);
  const packages = packagesOf(toml);
  const places = new Set([own, ...packages.flatMap((one) => placeOf(one, own) ?? [])]);
  const covered = folders.filter(({ folder, decides }) => decides === 'pyproject.toml' && places.has(folder));
  const membersOfLock = new Set(textsOf(tableAt(toml.value, 'manifest')?.['members']));
  const chosen = covered.filter(({ folder }) => folder === own || named.includes(folder));
  const names = chosen.flatMap(({ metadata }) => metadata?.project?.name ?? []).map(normaliseName);
  const asked = names.filter((name) => membersOfLock.has(name));
  return {
    locked: {
      lock: toml.file,
      folders: covered.map(({ folder }) => folder),
      packages: chosen.length > 1 ? asked : [],
    },
    requires_python: requiredPython(toml),
    findings: staleFindings(toml, covered),
  };
}

const packagesOf = ({ value }: TomlFile): TomlTable[] => tablesOf(value['package']);

const tablesOf = (value: unknown): TomlTable[] => (Array.isArray(value) ? value : []).filter(isTable);

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).filter((one) => typeof one === 'string');

/** The folder of a project that the lock names as a folder. Undefined for a package of the index. */
function placeOf(one: TomlTable, own: string): string | undefined {
  const source = tableAt(one, 'source');
  const path = textAt(source, 'editable') ?? textAt(source, 'virtual') ?? textAt(source, 'directory');
  return path === undefined ? undefined : pathInside(own, path);
}

function requiredPython(toml: TomlFile): RequiredPython[] {
  const specifier = textAt(toml.value, 'requires-python');
  if (specifier === undefined || specifier.length > 500 || readPython(specifier) === undefined) return [];
  return [{ specifier, file: toml.file, line: 1 }];
}

/** Faults of requirements that the lock surely does not meet. uv overrides and excludes also requirements of the project itself. */
function staleFindings(toml: TomlFile, covered: readonly FolderDependencies[]): Finding[] {
  const versions = Map.groupBy(packagesOf(toml), (one) => normaliseName(textAt(one, 'name') ?? ''));
  const manifest = tableAt(toml.value, 'manifest');
  const freed = new Set([
    ...tablesOf(manifest?.['overrides']).map((one) => textAt(one, 'name') ?? ''),
    ...textsOf(manifest?.['excludes']),
  ]);
  const suggestion = `Lock it again: ${lockCommand(toml.file, [])}`;
  return covered
    .flatMap(({ requirements }) => requirements)
    .filter(({ name, marker }) => marker === undefined && !freed.has(name))
    .flatMap((requirement) => {
      const { file, line } = requirement;
      const message = staleness(requirement, { lock: toml.file, found: versions.get(requirement.name) });
      return message === undefined ? [] : [fault({ file, line }, 'dependency_conflict', message, { suggestion })];
    });
}

function staleness(
  { name, extras, specifiers }: DeclaredRequirement,
  { lock, found }: { lock: string; found: TomlTable[] | undefined },
): string | undefined {
  const spec = `\`${printSpec({ name, extras, specifiers })}\``;
  if (found === undefined) return `${spec} is not in ${lock}`;
  const written = found.map((one) => textAt(one, 'version'));
  const isUnmet = written.every((version) => version !== undefined && isOutside(specifiers, version));
  return isUnmet ? `${spec} does not allow ${name} ${written.join(' and ')} of ${lock}` : undefined;
}

/** The lines of `[[package]]` by normalised name, the first of several. */
export function packageLines(lock: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const lines = lock.split('\n');
  for (const [index, line] of lines.entries()) {
    const name = /^\s*name\s*=\s*"([^"]{1,200})"/.exec(lines[index + 1] ?? '')?.[1];
    if (name === undefined || !/^\s*\[\[\s*package\s*\]\]/.test(line)) continue;
    if (!found.has(normaliseName(name))) found.set(normaliseName(name), index + 1);
  }
  return found;
}

/** The covered folder's groups that uv installs without being asked, besides the one of developers. */
export function hasDefaultGroups({ value }: TomlFile): boolean {
  const groups = tableAt(value, 'tool', 'uv')?.['default-groups'];
  return groups === 'all' || textsOf(groups).some((name) => name !== 'dev');
}
