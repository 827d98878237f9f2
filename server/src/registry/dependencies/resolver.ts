// What a push needs of the outside: which base image builds start from, and what a project's dependencies resolve to on it.
// engine-resolver.ts is the real one; the interface keeps the push testable without containers.
import type { ResolverLine } from '@gantry/contract/dependencies/resolver-lines.ts';
import type { Dependencies } from '../content.ts';

export interface ResolveRequest {
  team_id: string;
  /** Of the base image that was chosen. */
  python_version: string;
  requirements: ResolverLine[];
  /** They bind the versions of what is needed anyway. */
  constraints: ResolverLine[];
  platform_requirements: string[];
  run: { run_id: string; fence: number };
  onLog: (line: string) => void;
  signal: AbortSignal;
}

interface Resolved extends Omit<Dependencies, 'wheels'> {
  lock: string;
  python_version: string;
  /** What the source distributions were built to, by file name. */
  wheels: ReadonlyMap<string, Uint8Array>;
}

export interface BaseImage {
  /** Its digest, which is part of what gets approved. */
  id: string;
  /** `3.11.2` */
  python_version: string;
}

export interface Resolver {
  /** Minor versions of Python besides the usual one, in the order in which they are tried. */
  further_pythons: readonly string[];
  /** For this Python; unset: the usual one. */
  baseImage(python?: string): Promise<BaseImage>;
  resolve(request: ResolveRequest): Promise<Resolved>;
}
