// Files of a directory that do not belong to an agent. The CLI leaves them all out and reports it. The server refuses those that can hold
// secrets or history, and drops the rest.

export interface LeftOutRule {
  /** One segment of a path: a name, or a name with one `*`. */
  segment: string;
  why: string;
  on_server: 'refused' | 'dropped';
}

const leftOutRules: readonly LeftOutRule[] = [
  { segment: '.env', why: 'may hold secrets', on_server: 'refused' },
  { segment: '.env.*', why: 'may hold secrets', on_server: 'refused' },
  { segment: '.git', why: 'history, which may hold secrets', on_server: 'refused' },
  { segment: '.hg', why: 'history, which may hold secrets', on_server: 'refused' },
  { segment: '.svn', why: 'history, which may hold secrets', on_server: 'refused' },
  { segment: '.venv', why: 'installed packages; the image gets its own', on_server: 'dropped' },
  { segment: 'venv', why: 'installed packages; the image gets its own', on_server: 'dropped' },
  { segment: 'node_modules', why: 'installed packages', on_server: 'dropped' },
  { segment: '__pycache__', why: 'compiled code; the image gets its own', on_server: 'dropped' },
  { segment: '*.pyc', why: 'compiled code; the image gets its own', on_server: 'dropped' },
  { segment: '.pytest_cache', why: 'a cache', on_server: 'dropped' },
  { segment: '.mypy_cache', why: 'a cache', on_server: 'dropped' },
  { segment: '.ruff_cache', why: 'a cache', on_server: 'dropped' },
  { segment: '.tox', why: 'a cache', on_server: 'dropped' },
  { segment: '.idea', why: "an editor's files", on_server: 'dropped' },
  { segment: '.vscode', why: "an editor's files", on_server: 'dropped' },
  { segment: '.DS_Store', why: "a file manager's file", on_server: 'dropped' },
  { segment: '__MACOSX', why: "a file manager's files", on_server: 'dropped' },
  { segment: 'Dockerfile', why: 'the service builds the image by itself', on_server: 'dropped' },
  { segment: '.dockerignore', why: 'the service builds the image by itself', on_server: 'dropped' },
];

/** Templates hold names without values, and code may read them. */
const templates: ReadonlySet<string> = new Set(['.env.example', '.env.sample', '.env.template', '.env.dist']);

/** Why the file or directory at this path is left out; undefined when it belongs to the project. */
export function leftOut(path: string): LeftOutRule | undefined {
  for (const segment of path.split('/')) {
    const rule =
      exact.get(segment) ??
      (templates.has(segment) ? undefined : patterns.find(({ pattern }) => matches(pattern, segment))?.rule);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

const exact: ReadonlyMap<string, LeftOutRule> = new Map(
  leftOutRules.filter(({ segment }) => !segment.includes('*')).map((rule) => [rule.segment, rule]),
);

const patterns = leftOutRules
  .filter(({ segment }) => segment.includes('*'))
  .map((rule) => ({
    rule,
    pattern: {
      start: rule.segment.slice(0, rule.segment.indexOf('*')),
      end: rule.segment.slice(rule.segment.indexOf('*') + 1),
    },
  }));

const matches = ({ start, end }: { start: string; end: string }, segment: string): boolean =>
  segment.length > start.length + end.length && segment.startsWith(start) && segment.endsWith(end);
