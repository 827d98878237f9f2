import { lockCommand, normaliseName } from '@gantry/project/requirements.ts';
import { packageLines } from '@gantry/project/dependencies/locked-project.ts';
import { folderOf, pathInside } from '@gantry/project/folders/path-inside.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { ExportedLock, ExportedPackage, ProjectLock } from './export-lock.ts';

/** Throws for the packages of a uv.lock that do not come from the index of the service, with their lines, all of one kind at once. */
export function refuseLocked(project: ProjectLock, { packages, gone, index }: ExportedLock): void {
  const lines = packageLines(project.files[project.lock] ?? '');
  const place = (name: string) => `${project.lock}:${lines.get(name) ?? 1}`;
  const foreign = packages.flatMap((one) => {
    const reason = reasonAgainst(one, project);
    return reason === undefined ? [] : [`${one.name} ${reason} (${place(one.name)})`];
  });
  if (foreign.length > 0) {
    throw new Problem('project_invalid', {
      detail: `Packages come from the package index only, and the lock has others: ${foreign.join(', ')}`,
      hint: 'Name a version of the package index, and lock again: uv lock',
      fields: { lines: foreign },
    });
  }
  if (gone.length > 0) throw refuseGone(gone, { packages, place, lock: project.lock });
  const others = packages.filter((one) => isOther(one, index));
  if (others.length > 0) {
    const named = others.map(({ name, version }) => `${name} ${version} (${place(name)})`);
    throw new Problem('project_invalid', {
      detail: `The package index has other files of these versions than the lock: ${named.join(', ')}`,
      hint: `Nothing else than the locked files is installed. Lock again from the index of the service: ${lockCommand(
        project.lock,
        others.map(({ name }) => name),
      )}`,
      fields: { lines: named },
    });
  }
}

function reasonAgainst(one: ExportedPackage, { lock, folders }: ProjectLock): string | undefined {
  if (one.place === 'vcs') return 'from version control';
  if (one.place === 'archive') return 'from an address or a file';
  if (one.place === 'directory') {
    const folder = one.path === null ? undefined : pathInside(folderOf(lock), one.path);
    return folder !== undefined && folders.includes(folder) ? undefined : 'from a folder outside the project';
  }
  if (one.version.includes('+')) return `${one.version}, a build of another index`;
  if (one.hashes.length === 0) return 'without a hash';
  return one.has_wheel || one.has_source ? undefined : 'without a file for this Python and platform';
}

function refuseGone(
  gone: readonly string[],
  { packages, place, lock }: { packages: readonly ExportedPackage[]; place: (name: string) => string; lock: string },
): Problem {
  const versions = new Map(packages.map(({ name, version }) => [name, version]));
  const required_by = gone.map((name) => ({ source: place(name), spec: `${name}==${versions.get(name)}` }));
  const remedy = `Lock it again: ${lockCommand(lock, gone)}`;
  return new Problem('dependency_conflict', {
    detail: `The package index has no wheel of these locked versions: ${required_by.map(({ spec, source }) => `${spec} (${source})`).join(', ')}`,
    hint: remedy,
    fields: { packages: gone, required_by, remedy },
  });
}

/** The index has the version, but not one of the locked files. */
function isOther({ name, hashes }: ExportedPackage, index: ExportedLock['index']): boolean {
  const there = index.find((one) => normaliseName(one.name) === name);
  return there !== undefined && !there.hashes.some((hash) => hashes.includes(hash));
}
