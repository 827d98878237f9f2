// The folders of a uv workspace, from `members` and `exclude` of [tool.uv.workspace]. A member is a folder of the project with a
// pyproject.toml. The patterns are hostile: each segment is matched without backtracking, and the number of members is bounded.
import { globMatches } from '../model-globs.ts';
import { pathInside } from './path-inside.ts';

/** The members of the workspace of `root` among these folders with a pyproject.toml, in the order of their names. */
export function membersAmong(
  folders: readonly string[],
  { root, workspace }: { root: string; workspace: Readonly<Record<string, unknown>> | undefined },
): string[] {
  const included = patternsOf(root, workspace?.['members']);
  if (included.length === 0) return [];
  const excluded = patternsOf(root, workspace?.['exclude']);
  return folders
    .slice(0, most.candidates)
    .filter((folder) => matchesOne(included, folder) && !matchesOne(excluded, folder))
    .toSorted()
    .slice(0, most.members);
}

/** A person names a handful. */
const most = { members: 50, candidates: 1_000, patterns: 20, segments: 16 };

/** Each as its segments. A pattern that leaves the project names no member. */
function patternsOf(root: string, value: unknown): string[][] {
  return (Array.isArray(value) ? value : [])
    .flatMap((written: unknown) => (typeof written === 'string' ? (pathInside(root, written) ?? []) : []))
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
