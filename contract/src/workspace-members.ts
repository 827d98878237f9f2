// The folders of a uv workspace, from `members` and `exclude` of [tool.uv.workspace]. A member is a folder of the project with a
// pyproject.toml. The patterns are hostile: each segment is matched without backtracking, and the number of members is bounded.
import type { ProjectFiles } from './agent-project/files.ts';
import { readText } from './agent-project/read-text.ts';
import { readToml, tableAt, tomlLimits } from './dependencies/read-toml.ts';
import { globMatches } from './model-globs.ts';
import { folderOf, pathInside } from './path-inside.ts';

/** In the order of their names, without the root itself. Empty without a workspace, and for a pyproject.toml with faults. */
export function workspaceMembers(files: ProjectFiles): string[] {
  const workspace = workspaceOf(files);
  const included = patternsOf(workspace?.['members']);
  if (included.length === 0) return [];
  const excluded = patternsOf(workspace?.['exclude']);
  return files
    .list()
    .filter(({ path, type }) => type === 'file' && path.endsWith('/pyproject.toml'))
    .slice(0, most.candidates)
    .map(({ path }) => folderOf(path))
    .filter((folder) => matchesOne(included, folder) && !matchesOne(excluded, folder))
    .toSorted()
    .slice(0, most.members);
}

/** A person names a handful. */
const most = { members: 50, candidates: 1_000, patterns: 20, segments: 16 };

function workspaceOf(files: ProjectFiles): Readonly<Record<string, unknown>> | undefined {
  const file = files.list().find(({ path }) => path === 'pyproject.toml');
  const text = file === undefined ? undefined : readText(files, file, 4 * tomlLimits.pyproject_characters);
  if (typeof text !== 'string' || !text.includes('workspace')) return undefined;
  const toml = readToml('pyproject.toml', text, tomlLimits.pyproject_characters);
  return 'code' in toml ? undefined : tableAt(toml.value, 'tool', 'uv', 'workspace');
}

/** Each as its segments. A pattern that leaves the project names no member. */
function patternsOf(value: unknown): string[][] {
  return (Array.isArray(value) ? value : [])
    .flatMap((written: unknown) => (typeof written === 'string' ? (pathInside('.', written) ?? []) : []))
    .slice(0, most.patterns)
    .map((pattern) => pattern.split('/'))
    .filter((segments) => segments.length <= most.segments);
}

function matchesOne(patterns: readonly string[][], folder: string): boolean {
  const segments = folder.split('/');
  return patterns.some((pattern) => matches(pattern, segments));
}

/** `*` stands for any characters of one segment, `**` for any number of segments. Takes at most pattern × folder steps. */
function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const wanted of pattern) {
    const next = new Set<number>();
    for (const at of reached) {
      const given = segments[at];
      if (wanted === '**') for (let to = at; to <= segments.length; to++) next.add(to);
      else if (given !== undefined && globMatches(wanted, given)) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(segments.length);
}
