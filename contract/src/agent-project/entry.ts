// Where a project's agent is and how Python imports it. The wrapper imports the entry under its own dotted name, so that the
// relative imports of its package work and no module is loaded twice.
import { parseEntrypoint } from '../entrypoint.ts';

export interface ProjectEntry {
  /** Relative to the project. */
  file: string;
  /** Where agent.yaml names it; else the name is one of the framework's. */
  name?: string;
  /** `react_agent.graph` for src/react_agent/graph.py where `src` is a source root. */
  module: string;
  /** Folders that Python searches for modules, relative to the project, first the one that is searched first. */
  source_roots: string[];
}

export interface EntrySource {
  entrypoint: string | undefined;
  source_roots: readonly string[];
  /** Of all files of the project. */
  paths: readonly string[];
}

/** The name of a module that is loaded by its path, because no import statement could find it. */
const unnamed = '_svc_entry';

export function projectEntry({ entrypoint, source_roots, paths }: EntrySource): ProjectEntry {
  const named = entrypoint === undefined ? undefined : parseEntrypoint(entrypoint);
  const file = named?.file ?? 'agent.py';
  const roots = rootsFor(file, source_roots);
  return {
    file,
    ...(named === undefined ? {} : { name: named.name }),
    module: moduleOf(file, roots, paths),
    source_roots: roots,
  };
}

/** No import statement reaches below a folder with a dot in its name, so such a folder is searched itself. */
function rootsFor(file: string, source_roots: readonly string[]): string[] {
  const folders = file.split('/').slice(0, -1);
  const dotted = folders.findLastIndex((folder) => folder.includes('.'));
  const own = folders.slice(0, dotted + 1).join('/');
  return dotted < 0 || source_roots.includes(own) ? [...source_roots] : [own, ...source_roots];
}

function moduleOf(file: string, source_roots: readonly string[], paths: readonly string[]): string {
  const path = file.slice(0, -'.py'.length);
  // A package of the same name is what `import` finds.
  if (paths.some((other) => other.startsWith(`${path}/`) && other.endsWith('.py'))) return unnamed;
  const below = source_roots
    .map((root) => (root === '.' ? path : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined))
    .filter((inside) => inside !== undefined && !inside.includes('.'))
    // The innermost root: `react_agent.graph`, not `src.react_agent.graph`.
    .toSorted((a, b) => (a?.length ?? 0) - (b?.length ?? 0));
  const [shortest] = below;
  return shortest === undefined ? unnamed : shortest.replace(/(^|\/)__init__$/, '').replaceAll('/', '.') || unnamed;
}
