// A pyproject.toml's settings for its own tool about sources and choices of packages. None of them reaches the resolver. A source
// outside the package index is refused, as in requirements.txt; a setting that changes a choice is reported.
import type { Finding } from '../finding.ts';
import type { DeclaredRequirement } from '../requirements.ts';
import { normaliseName } from '../requirements.ts';
import { fault } from './fault.ts';
import { readRequirementTexts } from './pyproject-dependencies.ts';
import { isTable, keyLines, tableAt, textAt, textLines, type TomlFile, type TomlTable } from './read-toml.ts';

export interface ToolSettings {
  constraints: DeclaredRequirement[];
  findings: Finding[];
}

export interface ReadFor {
  requirements: readonly DeclaredRequirement[];
  /** Normalised names of the project's folders. They are imported from their place. */
  locals: ReadonlySet<string>;
  /** A uv.lock was made with the settings, and is installed as it is. */
  isLocked: boolean;
}

export function readToolSettings(toml: TomlFile, read: ReadFor): ToolSettings {
  const uv = tableAt(toml.value, 'tool', 'uv');
  const constraints = textsAt(uv, 'constraint-dependencies');
  const lineOf = textLines(toml, keyLines(toml, 'tool.uv')('constraint-dependencies'));
  const places = [...sourceFindings(toml, tableAt(uv, 'sources'), read), ...indexFindings(toml)];
  if (read.isLocked) return { constraints: [], findings: places };
  const bounds = readRequirementTexts(toml.file, constraints, lineOf);
  return {
    constraints: bounds.requirements,
    findings: [
      ...bounds.findings,
      ...places,
      ...ignored.flatMap((key) => (uv?.[key] === undefined ? [] : [ignoredFinding(toml, key)])),
    ],
  };
}

function textsAt(table: TomlTable | undefined, key: string): string[] {
  const value = table?.[key];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** A source has no effect here when only a group or an extra needs its package. */
function sourceFindings(toml: TomlFile, sources: TomlTable | undefined, { requirements, locals }: ReadFor): Finding[] {
  const asked = new Set(requirements.map(({ name }) => name));
  const lineOf = keyLines(toml, 'tool.uv.sources');
  return Object.entries(sources ?? {}).flatMap(([written, value]) => {
    const name = normaliseName(written);
    if (!asked.has(name)) return [];
    const given: unknown[] = Array.isArray(value) ? value : [value];
    const kinds = given.flatMap((source) => (isTable(source) ? places.filter((key) => source[key] !== undefined) : []));
    const [kind] = kinds.filter((one) => !(locals.has(name) && (one === 'workspace' || one === 'path')));
    if (kind === undefined) return [];
    const message = `\`${name}\` is taken from ${takenFrom[kind]}; packages come from the package index only`;
    const suggestion =
      kind === 'workspace' || kind === 'path'
        ? 'Name its folder in `dependencies` of langgraph.json, or name a package of the index.'
        : 'Remove the source, or name a package of the package index.';
    return [fault({ file: toml.file, line: lineOf(written) }, 'requirement_refused', message, { suggestion })];
  });
}

const takenFrom = {
  git: 'version control',
  url: 'an address',
  path: 'a path',
  workspace: 'a workspace',
  index: 'another index',
} as const;
const places = ['git', 'url', 'path', 'workspace', 'index'] as const;

function indexFindings(toml: TomlFile): Finding[] {
  const { value, file } = toml;
  const refused = (line: number): Finding =>
    fault({ file, line }, 'requirement_refused', 'The package index is a setting of the service', {
      suggestion: 'Remove it; ask an admin to set the index.',
    });
  const uv = tableAt(value, 'tool', 'uv');
  const lineOf = keyLines(toml, 'tool.uv');
  const options = ['index-url', 'extra-index-url', 'find-links', 'no-index'].filter((key) => !isPublic(uv?.[key]));
  const tables = [
    ['tool.uv.index', uv?.['index']],
    ['tool.poetry.source', tableAt(value, 'tool', 'poetry')?.['source']],
    ['tool.pdm.source', tableAt(value, 'tool', 'pdm')?.['source']],
  ] as const;
  return [
    ...options.map((key) => refused(lineOf(key))),
    ...tables.filter(([, list]) => !isHarmless(list)).map(([header]) => refused(keyLines(toml, header)(''))),
  ];
}

/** An explicit index only serves packages that name it, and those are refused by name. */
function isHarmless(indexes: unknown): boolean {
  if (indexes === undefined) return true;
  const list: unknown[] = Array.isArray(indexes) ? indexes : [indexes];
  return list.every(
    (index) =>
      isTable(index) &&
      (index['explicit'] === true ||
        index['priority'] === 'explicit' ||
        (index['url'] === undefined ? textAt(index, 'name')?.toLowerCase() === 'pypi' : isPublic(index['url']))),
  );
}

const isPublic = (url: unknown): boolean =>
  url === undefined || (typeof url === 'string' && /^https:\/\/pypi\.org\/simple\/?$/.test(url));

/** These change the choice of versions. */
const ignored = [
  'override-dependencies',
  'exclude-dependencies',
  'dependency-metadata',
  'prerelease',
  'resolution',
  'exclude-newer',
  'no-binary',
  'no-binary-package',
] as const;

function ignoredFinding(toml: TomlFile, key: string): Finding {
  const line = keyLines(toml, 'tool.uv')(key);
  const message = `\`${key}\` of [tool.uv] is not used here; the service resolves by its own settings`;
  return fault({ file: toml.file, line }, 'setting_ignored', message, { severity: 'warning' });
}
