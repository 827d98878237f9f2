import { frameworks, printRequirement } from '@gantry/contract/frameworks.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import type { RequiredPython } from '@gantry/contract/dependencies/pyproject-metadata.ts';
import { z } from 'zod';
import type { Database } from '../../database/database.ts';
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
  const platform_requirements = frameworks[framework].requires.map(printRequirement);
  const tracing_requirements = isTraced ? frameworks[framework].traced_with.map(printRequirement) : [];
  const inputs = digestOf({
    // A higher number invalidates earlier locks.
    schema: 3,
    team_id: request.team_id,
    requirements: request.requirements.map(({ line }) => line),
    constraints: request.constraints.map(({ line }) => line),
    platform_requirements,
    tracing_requirements,
    base_image,
  });
  const before = await contents.lock(db, inputs);
  if (before !== undefined && (await holdWheels(db, before.dependencies))) {
    request.onLog('The dependencies are unchanged since an earlier push; its lock is reused.');
    return { ...before, base_image };
  }
  const { lock, python_version, packages, built_from_source, wheels, untraced } = await resolveTraced(resolver, {
    ...request,
    python_version: base.python_version,
    platform_requirements,
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

/** An agent that the packages for tracing do not fit is deployed without them. Throws the refusal of its own packages. */
async function resolveTraced(
  resolver: Resolver,
  { tracing_requirements, ...request }: ResolveRequest & { tracing_requirements: string[] },
) {
  const { platform_requirements } = request;
  try {
    const all = [...platform_requirements, ...tracing_requirements];
    return { ...(await resolver.resolve({ ...request, platform_requirements: all })), untraced: {} };
  } catch (error) {
    const isOfPackages = error instanceof Problem && refusals.includes(error.code);
    if (!isOfPackages || tracing_requirements.length === 0) throw error;
    const resolved = await resolver.resolve(request);
    const named = z.array(z.string()).safeParse(error.fields['packages']).data ?? [];
    const untraced = `conflict in ${named.length === 0 ? 'its packages' : named.join(', ')}`;
    request.onLog(`Not traced: ${untraced}`);
    return { ...resolved, untraced: { untraced } };
  }
}

const refusals: readonly string[] = ['dependency_conflict', 'project_invalid', 'build_failed'];

/** The sweep drops built wheels that no version uses; then a new lock is made. */
async function holdWheels(db: Database, { wheels = [] }: Dependencies): Promise<boolean> {
  const hashes = wheels.map((wheel) => wheel.sha256);
  return await db.transaction(async (tx) => await contents.touchBlobs(tx, hashes));
}
