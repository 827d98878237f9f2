import { printLine, type Requirement } from '../requirements/parse-line.ts';
import type { DeclaredRequirement } from '../requirements.ts';
import type { DeclaredDependencies } from './read-dependencies.ts';

/** One line of the resolver's input, with the place where the author wrote it: `pyproject.toml:7`. */
export interface ResolverLine {
  line: string;
  source: string;
}

/** Those that a uv.lock covers are not among them. */
export interface ResolverLines {
  requirements: ResolverLine[];
  constraints: ResolverLine[];
}

/** Printed from the parsed requirements, so that the resolver cannot interpret a line differently. */
export function resolverLines({
  unlocked,
  constraints,
  only_binary,
}: Pick<DeclaredDependencies, 'unlocked' | 'constraints' | 'only_binary'>): ResolverLines {
  return {
    requirements: [
      ...unlocked.map((one) => lineOf(one, one)),
      ...[...new Set(only_binary)].map((names) => ({ line: `--only-binary ${names}`, source: 'requirements.txt' })),
    ],
    // A constraint has no extras.
    constraints: constraints.map((one) => lineOf(one, { ...one, extras: [], hashes: [] })),
  };
}

function lineOf({ file, line }: DeclaredRequirement, printed: Requirement): ResolverLine {
  return { line: printLine(printed), source: `${file}:${line}` };
}
