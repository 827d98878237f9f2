// The outside part of a push: it chooses a base image and resolves a project's dependencies on it. engine-resolver.ts implements it. The
// interface keeps the push testable without containers.
import type { ResolverLine } from '@gantry/project/dependencies/resolver-lines.ts';
import type { ProjectLock } from '../../workshop/resolve/export-lock.ts';
import type { Dependencies } from '../content.ts';

export interface ResolveRequest {
  team_id: string;
  /** The Python version of the chosen base image. */
  python_version: string;
  /** Undefined for a project without a uv.lock. */
  locked?: ProjectLock | undefined;
  /** Those that such a lock does not cover. */
  requirements: ResolverLine[];
  /** They limit the versions of packages that are needed anyway. */
  constraints: ResolverLine[];
  platform_requirements: string[];
  run: { run_id: string; fence: number };
  onLog: (line: string) => void;
  signal: AbortSignal;
}

interface Resolved extends Omit<Dependencies, 'wheels'> {
  lock: string;
  python_version: string;
  /** The wheels built from source distributions, by file name. */
  wheels: ReadonlyMap<string, Uint8Array>;
}

export interface BaseImage {
  /** The same on every engine. The approval covers it. */
  pin: string;
  /** `3.11.2` */
  python_version: string;
}

export interface Resolver {
  /** Further minor versions of Python, in the order in which they are tried. */
  further_pythons: readonly string[];
  /** Minor versions that the service may obtain. */
  obtainable_pythons: readonly string[];
  /** For this version of Python; the usual one when unset. */
  baseImage(python?: string): Promise<BaseImage>;
  /** For this obtainable version, which is obtained first if necessary. Throws `python_unavailable`, whose detail is the reason. */
  obtainBaseImage(python: string, request: Pick<ResolveRequest, 'onLog' | 'signal'>): Promise<BaseImage>;
  resolve(request: ResolveRequest): Promise<Resolved>;
}
