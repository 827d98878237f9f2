import { packageLines } from '@gantry/project/dependencies/locked-project.ts';
import { normaliseName } from '@gantry/project/requirements.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { buildLocked, buildWheels, readBuiltWheels, refuseNotBuilt } from './build-wheels.ts';
import { exportLock, type ExportedPackage, type ProjectLock } from './export-lock.ts';
import { parseLock, printLock, type LockedPackage } from './lock.ts';
import { throwAwayCache } from '../package-cache.ts';
import { refuseLocked } from './refuse-locked.ts';
import { refuseSources, resolveRequirements, type ResolvedDependencies, type ResolveInput } from './resolve.ts';
import type { Sandboxes } from '../sandboxes.ts';

export interface ResolveLockedInput extends ResolveInput {
  locked: ProjectLock;
}

/**
 * The lock of a project with a uv.lock: exactly its versions and hashes. Only packages that it misses are resolved, and its versions
 * bind that choice. Throws the refusals of `resolveRequirements`.
 */
export async function resolveLocked(
  sandboxes: Sandboxes,
  { locked: project, ...input }: ResolveLockedInput,
): Promise<ResolvedDependencies> {
  const { team_id, run, onLog, signal } = input;
  const found = await exportLock(sandboxes, { project, team_id, run, onLog, signal });
  refuseLocked(project, found);
  // What is left besides is a folder of the project.
  const exported = found.packages.filter(({ place }) => place === null);
  const more = await resolveMissing(sandboxes, { ...input, project, exported });
  const isBuilt = ({ name }: ExportedPackage) => more.built_from_source.some((one) => normaliseName(one) === name);
  const sources = exported.filter((one) => !one.has_wheel && !isBuilt(one));
  const built = sources.length === 0 ? undefined : await buildSources(sandboxes, { ...input, sources });
  const named = new Map<string, LockedPackage>();
  for (const one of [...exported.map(asLocked), ...parseLock(built?.lock ?? '')]) named.set(one.name, one);
  // The same versions, because the lock binds them. A package that was built here has one hash more.
  for (const one of parseLock(more.lock)) {
    const name = normaliseName(one.name);
    if (!named.has(name) || more.built_from_source.some((other) => normaliseName(other) === name)) named.set(name, one);
  }
  const all = [...named].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  return {
    lock: printLock(all),
    python_version: sandboxes.facts.python_version,
    packages: all.map(({ name, version }) => ({ name, version })),
    built_from_source: [...more.built_from_source, ...(built?.built_from_source ?? [])],
    wheels: new Map([...more.wheels, ...(built?.wheels ?? [])]),
  };
}

const asLocked = ({ name, version, hashes }: ExportedPackage): LockedPackage => ({ name, version, hashes });

async function resolveMissing(
  sandboxes: Sandboxes,
  { project, exported, ...input }: ResolveInput & { project: ProjectLock; exported: ExportedPackage[] },
): Promise<Pick<ResolvedDependencies, 'lock' | 'built_from_source' | 'wheels'>> {
  const names = new Set(exported.map(({ name }) => name));
  const platform_requirements = input.platform_requirements.filter((spec) => !names.has(nameOf(spec)));
  if (platform_requirements.length === 0 && input.requirements.length === 0)
    return { lock: '', built_from_source: [], wheels: new Map() };
  const lines = packageLines(project.files[project.lock] ?? '');
  const pins = exported.map(({ name, version }) => ({
    line: `${name}==${version}`,
    source: `${project.lock}:${lines.get(name) ?? 1}`,
  }));
  try {
    const constraints = [...(input.constraints ?? []), ...pins];
    return await resolveRequirements(sandboxes, { ...input, platform_requirements, constraints });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'dependency_conflict' || input.requirements.length > 0)
      throw error;
    const specs = platform_requirements.map((spec) => `"${spec}"`).join(', ');
    const remedy = `Add ${specs} to the dependencies in pyproject.toml, and lock again: uv lock`;
    const detail = `The lock misses packages that the agent needs, and its versions do not allow them. ${error.detail}`;
    throw new Problem('dependency_conflict', { detail, hint: remedy, fields: { ...error.fields, remedy } });
  }
}

const nameOf = (spec: string): string => normaliseName(/^[A-Za-z0-9._-]+/.exec(spec)?.[0] ?? '');

/** Package code gets only a throw-away cache. */
async function buildSources(
  sandboxes: Sandboxes,
  { sources, run, onLog, signal }: ResolveInput & { sources: ExportedPackage[] },
) {
  refuseSources(sandboxes, sources.map(({ name }) => name).join(', '));
  const result = await sandboxes.run({
    ...throwAwayCache,
    command: ['/bin/sh', '-c', buildLocked],
    files: {
      'requirements.lock': printLock(sources.map(asLocked)),
      'sources.toml': sources.map(({ name }) => `[[packages]]\nname = ${JSON.stringify(name)}\n`).join(''),
      'build-wheels.py': buildWheels,
    },
    run,
    onLog,
    signal,
  });
  refuseNotBuilt(result);
  if (result.exit_code === 0) return readBuiltWheels(result.stdout);
  throw new Problem('build_failed', {
    detail: 'The source distributions of the lock cannot be built',
    fields: { output: result.stderr.trim().slice(-8000) },
  });
}
