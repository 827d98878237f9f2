import { frameworks, printRequirement } from '@gantry/project/frameworks.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { RequiredPython } from '@gantry/project/dependencies/pyproject-metadata.ts';
import { z } from 'zod';
import type { Database } from '../../../ground/database/database.ts';
import { digestOf, sha256, type Dependencies } from '../content.ts';
import * as contents from '../content-store.ts';
import { chooseBaseImage } from './choose-base-image.ts';
import type { ResolveRequest, Resolver } from './resolver.ts';

export interface Locked {
  lock: string;
  python: string;
  base_image: string;
  dependencies: Dependencies;
}

type Request = Omit<ResolveRequest, 'platform_requirements' | 'python_version'> & {
  framework: AgentConfig['framework'];
  /** Adds the packages that trace the agent. */
  isTraced: boolean;
  requires_python: RequiredPython[];
  preferred_python?: string | undefined;
  notice: (sentence: string) => void;
};

/**
 * The lock of these dependencies. The same request from the same team reuses the earlier lock, because builds are per team too.
 * Throws `python_unavailable` and the refusals of the resolver.
 */
export async function lockDependencies(
  db: Database,
  resolver: Resolver,
  { framework, isTraced, requires_python, preferred_python, notice, ...request }: Request,
): Promise<Locked> {
  const base = await chooseBaseImage(resolver, {
    ...request,
    required: requires_python,
    preferred: preferred_python,
    notice,
  });
  const base_image = base.pin;
  const { requires, served_with } = frameworks[framework];
  const platform_requirements = requires.map(printRequirement);
  // Whoever locks a project says what is in it. The wrapper brings its own server.
  const serving_requirements = request.locked === undefined ? served_with.map(printRequirement) : [];
  const tracing_requirements = isTraced ? frameworks[framework].traced_with.map(printRequirement) : [];
  const inputs = digestOf({
    // A higher number invalidates earlier locks.
    schema: 4,
    team_id: request.team_id,
    locked: request.locked ?? null,
    requirements: request.requirements.map(({ line }) => line),
    constraints: request.constraints.map(({ line }) => line),
    platform_requirements,
    serving_requirements,
    tracing_requirements,
    base_image,
  });
  const before = await contents.lock(db, inputs);
  if (before !== undefined && (await holdWheels(db, before.dependencies))) {
    request.onLog('The dependencies are unchanged since an earlier push; its lock is reused.');
    return { ...before, base_image };
  }
  const { lock, python_version, packages, built_from_source, wheels, untraced } = await resolveFitting(resolver, {
    ...request,
    python_version: base.python_version,
    platform_requirements,
    serving_requirements,
    tracing_requirements,
  });
  const built = [...wheels].map(([file, bytes]) => ({ file, sha256: sha256(bytes), bytes }));
  const listed = built.length === 0 ? {} : { wheels: built.map(({ bytes: _, ...wheel }) => wheel) };
  const made = { lock, python: python_version, dependencies: { packages, built_from_source, ...listed, ...untraced } };
  await db.transaction(async (tx) => {
    await contents.stageBlobs(tx, new Map(built.map((wheel) => [wheel.sha256, wheel.bytes])));
    await contents.putLock(tx, inputs, made);
  });
  return { ...made, base_image };
}

interface Wished extends ResolveRequest {
  serving_requirements: string[];
  tracing_requirements: string[];
}

/**
 * The user's packages come first: those for tracing and those of the spec's server are left out where they do not fit. Throws the refusal
 * of the packages without both.
 */
async function resolveFitting(
  resolver: Resolver,
  { serving_requirements: serving, tracing_requirements: tracing, ...request }: Wished,
) {
  const resolve = async (more: readonly string[]) =>
    await resolver.resolve({ ...request, platform_requirements: [...request.platform_requirements, ...more] });
  const untracedBy = (refusal: Problem) => {
    const named = z.array(z.string()).safeParse(refusal.fields['packages']).data ?? [];
    const untraced = `conflict in ${named.length === 0 ? 'its packages' : named.join(', ')}`;
    request.onLog(`Not traced: ${untraced}`);
    return { untraced };
  };

  const all = await unlessRefused(resolve([...serving, ...tracing]));
  if (!(all instanceof Problem)) return { ...all, untraced: {} };
  const untraced = tracing.length === 0 ? all : await unlessRefused(resolve(serving));
  if (!(untraced instanceof Problem)) return { ...untraced, untraced: untracedBy(all) };
  if (!isConflictWith(serving, untraced)) throw untraced;
  const unserved = await resolver.resolve(request);
  request.onLog(`Left out, because they conflict with the project's packages: ${serving.join(', ')}`);
  if (tracing.length === 0) return { ...unserved, untraced: {} };
  const traced = await unlessRefused(resolve(tracing));
  return traced instanceof Problem ? { ...unserved, untraced: untracedBy(traced) } : { ...traced, untraced: {} };
}

/** The refusal names each requirement in the conflict. */
function isConflictWith(specs: readonly string[], refusal: Problem): boolean {
  const required_by = z.array(z.object({ spec: z.string() })).safeParse(refusal.fields['required_by']).data ?? [];
  return required_by.some(({ spec }) => specs.includes(spec));
}

/** A refusal that names the packages is a value, so that another choice can follow. */
async function unlessRefused<Value>(resolving: Promise<Value>): Promise<Value | Problem> {
  try {
    return await resolving;
  } catch (error) {
    if (error instanceof Problem && refusals.includes(error.code)) return error;
    throw error;
  }
}

const refusals: readonly string[] = ['dependency_conflict', 'project_invalid', 'build_failed'];

/** The sweep drops built wheels that no version uses; then a new lock is made. */
async function holdWheels(db: Database, { wheels = [] }: Dependencies): Promise<boolean> {
  const hashes = wheels.map((wheel) => wheel.sha256);
  return await db.transaction(async (tx) => await contents.touchBlobs(tx, hashes));
}
