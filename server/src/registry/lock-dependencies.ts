import { frameworks, printRequirement } from '@gantry/contract/frameworks.ts';
import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import type { RequiredPython } from '@gantry/contract/dependencies/pyproject-metadata.ts';
import type { Database } from '../database/database.ts';
import { digestOf, type Dependencies } from './content.ts';
import * as contents from './content-store.ts';
import { requirePython } from './require-python.ts';
import type { ResolveRequest, Resolver } from './resolver.ts';

export interface Locked {
  lock: string;
  python: string;
  base_image: string;
  dependencies: Dependencies;
}

type Request = Omit<ResolveRequest, 'platform_requirements'> & {
  framework: AgentConfig['framework'];
  requires_python: RequiredPython[];
};

/**
 * The lock of these dependencies: the one that was made when exactly the same was asked before, else a new one. Per team, as builds are.
 * Raises `python_unavailable` and what the resolver raises.
 */
export async function lockDependencies(
  db: Database,
  resolver: Resolver,
  { framework, requires_python, ...request }: Request,
): Promise<Locked> {
  const { id: base_image, ...base } = await resolver.baseImage(request.signal);
  requirePython(base.python_version, requires_python);
  const platform_requirements = frameworks[framework].requires.map(printRequirement);
  const inputs = digestOf({
    schema: 2,
    team_id: request.team_id,
    requirements: request.requirements.map(({ line }) => line),
    constraints: request.constraints.map(({ line }) => line),
    platform_requirements,
    base_image,
  });
  const before = await contents.lock(db, inputs);
  if (before !== undefined) {
    request.onLog('The dependencies are those of an earlier push; their lock is reused.');
    return { ...before, base_image };
  }
  const { lock, python_version, packages, built_from_source } = await resolver.resolve({
    ...request,
    platform_requirements,
  });
  const made = { lock, python: python_version, dependencies: { packages, built_from_source } };
  await contents.insertLock(db, inputs, made);
  return { ...made, base_image };
}
