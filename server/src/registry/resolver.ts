// What a push needs of the outside: which base image builds start from, and what a project's dependencies resolve to on it.
// engine-resolver.ts is the real one; the interface keeps the push testable without containers.
import type { Dependencies } from './content.ts';

export interface ResolveRequest {
  team_id: string;
  project: { kind: 'requirements' | 'pyproject'; text: string } | { kind: 'none' };
  platform_requirements: string[];
  run: { run_id: string; fence: number };
  onLog: (line: string) => void;
  signal: AbortSignal;
}

export interface Resolved extends Omit<Dependencies, 'wheels'> {
  lock: string;
  python_version: string;
  /** What the source distributions were built to, by file name. */
  wheels: ReadonlyMap<string, Uint8Array>;
}

export interface Resolver {
  /** The digest of the base image, which is part of what gets approved. */
  baseImage(signal: AbortSignal): Promise<string>;
  resolve(request: ResolveRequest): Promise<Resolved>;
}
