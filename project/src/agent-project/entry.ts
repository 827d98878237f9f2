// The place of a project's agent, and its name for Python's import. The wrapper imports the entry under its own dotted name. So relative
// imports work, and no module loads twice.
import { parseEntrypoint } from '../entrypoint/entrypoint.ts';

export interface ProjectEntry {
  /** Relative to the project. */
  file: string;
  /** From agent.yaml; otherwise the name is one of the framework's. */
  name?: string;
  /** `react_agent.graph` for src/react_agent/graph.py where `src` is a source root. */
  module: string;
  /** The folders that Python searches for modules, relative to the project, in search order. */
  source_roots: string[];
}

export interface EntrySource {
  entrypoint: string | undefined;
  source_roots: readonly string[];
  /** The paths of all files of the project. */
  paths: readonly string[];
}

/** The name of a module that no import statement finds. It is loaded by its path. */
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

/** An import statement cannot name a folder with a dot, so such a folder is a search path itself. */
function rootsFor(file: string, source_roots: readonly string[]): string[] {
  const folders = file.split('/').slice(0, -1);
  const dotted = folders.findLastIndex((folder) => folder.includes('.'));
  const own = folders.slice(0, dotted + 1).join('/');
  return dotted < 0 || source_roots.includes(own) ? [...source_roots] : [own, ...source_roots];
}

/** The dotted name that imports exactly this file; the innermost root gives the shortest name. */
function moduleOf(file: string, source_roots: readonly string[], paths: readonly string[]): string {
  const inside = source_roots
    .filter((root) => root === '.' || file.startsWith(`${root}/`))
    .map((root) => (root === '.' ? file : file.slice(root.length + 1)).slice(0, -'.py'.length))
    .filter((path) => !path.includes('.'))
    .toSorted((a, b) => a.length - b.length)
    .find((path) => findModule(path, source_roots, paths) === file);
  return inside?.replace(/(?:^|\/)__init__$/, '').replaceAll('/', '.') || unnamed;
}

/** The file that Python imports for a module: in each folder a package comes before a file. */
function findModule(path: string, source_roots: readonly string[], paths: readonly string[]): string | undefined {
  for (const root of source_roots) {
    const place = root === '.' ? path : `${root}/${path}`;
    const found = paths.find((other) => other.startsWith(`${place}/`) && other.endsWith('.py'));
    if (found !== undefined) return found;
    if (paths.includes(`${place}.py`)) return `${place}.py`;
  }
  return undefined;
}
