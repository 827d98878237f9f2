import { Problem } from '@gantry/contract/problems.ts';
import type { ResolverLine } from '@gantry/project/dependencies/resolver-lines.ts';
import { buildWheels, compileAndBuild, readBuiltWheels, refuseNotBuilt, type BuiltWheels } from './build-wheels.ts';
import { dependencyConflict } from './dependency-conflict.ts';
import type { RunLabel } from '../../docker/labels.ts';
import { parseLock } from './lock.ts';
import { teamCache, throwAwayCache } from '../package-cache.ts';
import type { SandboxResult } from '../sandbox.ts';
import type { Sandboxes } from '../sandboxes.ts';
import { refuseIndexFailure } from '../package-index/index-failure.ts';
import { uvPath } from '../uv.ts';

// One pass of uv on the base image makes one lock of the user's and the platform's requirements. So a conflict shows here, and not in a
// running agent. The first try uses only wheels. A source distribution runs its author's code, so the second try has a throw-away cache and
// builds it once. The settings for uv in a package are ignored, because they could name other hosts.

export interface ResolveInput {
  team_id: string;
  requirements: readonly ResolverLine[];
  /** Bind the versions of needed packages, and add none. */
  constraints?: readonly ResolverLine[];
  /** Lines such as `uvicorn[standard]>=0.27.0`. They apply together with the user's, also to packages that the user names. */
  platform_requirements: string[];
  run?: RunLabel;
  onLog?: (line: string) => void;
  signal: AbortSignal;
}

export interface ResolvedDependencies extends BuiltWheels {
  /** requirements.lock, with hashes, for the base image's interpreter and platform. */
  lock: string;
  python_version: string;
  packages: { name: string; version: string }[];
  /** Packages without a wheel for the base image in the index. */
  built_from_source: string[];
}

/** Throws `dependency_conflict`, `index_unreachable`, `project_invalid`, `build_failed`, `out_of_memory` or `disk_limit`. */
export async function resolveRequirements(sandboxes: Sandboxes, input: ResolveInput): Promise<ResolvedDependencies> {
  const wheels = await compile(sandboxes, input, { sources: false });
  if (wheels.exit_code === 0)
    return resolved(sandboxes, { lock: wheels.stdout, built_from_source: [], wheels: new Map() });
  if (!/no usable wheels|building from source is disabled/.test(wheels.stderr)) throw refusal(input, wheels);
  const without = withoutWheel(wheels.stderr);
  refuseSources(sandboxes, without);

  input.onLog?.(`The package index has no wheel of ${without}; resolving again with source distributions`);
  const sources = await compile(sandboxes, input, { sources: true });
  if (sources.exit_code !== 0) throw refusal(input, sources);
  return resolved(sandboxes, readBuiltWheels(sources.stdout));
}

function resolved({ facts }: Sandboxes, built: BuiltWheels): ResolvedDependencies {
  const packages = parseLock(built.lock).map(({ name, version }) => ({ name, version }));
  return { ...built, python_version: facts.python_version, packages };
}

async function compile(
  sandboxes: Sandboxes,
  input: ResolveInput,
  { sources }: { sources: boolean },
): Promise<SandboxResult> {
  const { requirements, constraints = [], platform_requirements, run, onLog, signal } = input;
  const cache = sources ? throwAwayCache : await teamCache(sandboxes, input.team_id, signal);
  const uv = [
    uvPath,
    'pip',
    'compile',
    '--generate-hashes',
    '--no-header',
    '--no-annotate',
    '--no-sources',
    '/tmp/in/project.in',
    '/tmp/in/platform.in',
    ...(constraints.length === 0 ? [] : ['--constraints', '/tmp/in/constraints.in']),
  ];
  return sandboxes.run({
    ...cache,
    command: sources ? ['/bin/sh', '-c', compileAndBuild, 'compile', ...uv] : [...uv, '--only-binary', ':all:'],
    files: {
      'project.in': textOf(requirements),
      'constraints.in': textOf(constraints),
      'platform.in': `${platform_requirements.join('\n')}\n`,
      'build-wheels.py': buildWheels,
    },
    run,
    onLog,
    signal,
  });
}

const textOf = (lines: readonly ResolverLine[]) => lines.map(({ line }) => `${line}\n`).join('');

/** The names in uv's text, such as `docopt`. */
function withoutWheel(resolverText: string): string {
  const named = [
    ...resolverText.matchAll(/Wheels are required for `([^`]+)`/g),
    ...resolverText.matchAll(/(?<!\S)([^\s=]+)(?:==\S+)? has no usable wheels/g),
  ];
  const names = new Set(named.map(([, name]) => name));
  return names.size === 0 ? 'a package' : [...names].join(', ');
}

/** Throws `project_invalid` with these names where the service builds no packages from source. */
export function refuseSources({ settings }: Sandboxes, names: string): void {
  if (settings.source_distributions === 'allow') return;
  throw new Problem('project_invalid', {
    detail: `The package index has no wheel of ${names}, and this service builds no packages from source`,
    hint: `Choose a version of ${names} that has a wheel, or ask an administrator to set BUILD_SOURCE_DISTRIBUTIONS=allow.`,
  });
}

function refusal(input: ResolveInput, { exit_code, stderr }: SandboxResult): Problem {
  refuseIndexFailure(stderr);
  refuseNotBuilt({ exit_code, stderr });
  const resolver_text = stderr.replaceAll('`in/', '`').replaceAll('/tmp/in/', '');
  if (/No solution found/.test(stderr))
    return dependencyConflict({
      ...input,
      resolver_text: resolver_text.slice(resolver_text.indexOf('No solution found')),
    });
  if (/parse|Invalid|invalid/.test(stderr)) {
    return new Problem('project_invalid', {
      detail: 'The dependency file cannot be read',
      fields: { resolver: resolver_text },
    });
  }
  return new Problem('build_failed', {
    detail: `The dependencies cannot be resolved (uv exited with ${exit_code})`,
    fields: { resolver: resolver_text },
  });
}
