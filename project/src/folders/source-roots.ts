// The folders from which the project's own code is imported. The project is never built, so no build backend sets them. They follow from
// its layout: `src/` with modules in it, the folders in langgraph.json, and the needed members of a uv workspace.
import type { ProjectFiles } from '../agent-project/files.ts';
import { projectReader } from '../dependencies/project-reader.ts';
import { readFolders } from '../dependencies/read-folders.ts';
import type { LanggraphJson } from '../langgraph-json.ts';
import { folderOf, joined } from './path-inside.ts';

/** In the order of sys.path. `.`, the project itself, is always one of them. */
export function sourceRoots(files: ProjectFiles, langgraphJson?: Pick<LanggraphJson, 'dependencies'>): string[] {
  const paths = new Set(files.list().map(({ path }) => path));
  const folders = (langgraphJson?.dependencies ?? []).flatMap((dependency) =>
    'folder' in dependency ? [dependency.folder] : [],
  );
  const named = folders.map((folder) => ({ folder, line: 1 }));
  const read = readFolders(projectReader(files), named).folders.map(({ folder }) => folder);
  const roots = ['.', ...folders, ...read].flatMap((folder) => rootsOf(paths, folder));
  return [...new Set(roots)];
}

function rootsOf(paths: ReadonlySet<string>, folder: string): string[] {
  const has = (name: string) => paths.has(joined(folder, name));
  // As in langgraph: a folder without metadata that is itself a package is imported by its own name.
  if (folder !== '.' && has('__init__.py') && !has('pyproject.toml') && !has('setup.py')) return [folderOf(folder)];
  const source = joined(folder, 'src');
  if (!holdsModules(paths, source)) return [folder];
  // Code with `from src.agent import …` has a package `src`; the folder beside it can hold packages too.
  return paths.has(`${source}/__init__.py`) ? [folder, source] : [source, folder];
}

/** A module, or an importable folder that holds one at any depth. */
function holdsModules(paths: ReadonlySet<string>, folder: string): boolean {
  const start = `${folder}/`;
  for (const path of paths) {
    if (!path.startsWith(start)) continue;
    const within = path.slice(start.length);
    if (within !== '__init__.py' && /^(?:[A-Za-z_]\w*\/)*[A-Za-z_]\w*\.py$/.test(within)) return true;
  }
  return false;
}
