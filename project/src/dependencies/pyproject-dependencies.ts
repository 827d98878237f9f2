// The dependencies of a pyproject.toml, from PEP 621 or from Poetry's tables. Each passes the rules for a line of requirements.txt, so
// both forms take packages only from the package index.
import type { Finding } from '../finding.ts';
import type { DeclaredRequirement } from '../requirements.ts';
import { parseOne } from '../requirements/parse-line.ts';
import { fault } from './fault.ts';
import { poetryDependencies } from './poetry-dependencies.ts';
import { isTable, keyLines, tableAt, textLines, tomlLimits, type TomlFile, type TomlTable } from './read-toml.ts';

export interface PyprojectDependencies {
  requirements: DeclaredRequirement[];
  /** Files from which setuptools reads the dependencies, as written. */
  files: string[];
  findings: Finding[];
}

/** Undefined for a file without a project, such as one that only configures tools. */
export function readPyprojectDependencies(toml: TomlFile): PyprojectDependencies | undefined {
  const project = tableAt(toml.value, 'project');
  const poetry = tableAt(toml.value, 'tool', 'poetry');
  if (project === undefined && poetry === undefined) return undefined;
  const found = mainDependencies(toml, project, poetry);
  const left = notInstalled(toml, project, poetry);
  return left === undefined ? found : { ...found, findings: [...found.findings, left] };
}

function mainDependencies(
  toml: TomlFile,
  project: TomlTable | undefined,
  poetry: TomlTable | undefined,
): PyprojectDependencies {
  const written = project?.['dependencies'];
  const { file } = toml;
  const line = keyLines(toml, 'project')('dependencies');
  if (written !== undefined) {
    if (Array.isArray(written) && written.every((entry) => typeof entry === 'string'))
      return { ...readRequirementTexts(file, written, textLines(toml, line)), files: [] };
    const finding = fault({ file, line }, 'wrong_type', '`dependencies` must be a list of texts');
    return { requirements: [], files: [], findings: [finding] };
  }
  const inPoetry = tableAt(poetry, 'dependencies');
  if (inPoetry !== undefined) return { ...poetryDependencies(toml, inPoetry), files: [] };
  const dynamic = project?.['dynamic'];
  if (!Array.isArray(dynamic) || !dynamic.includes('dependencies'))
    return { requirements: [], files: [], findings: [] };
  const files = setuptoolsFiles(toml);
  if (files !== undefined) return { requirements: [], files, findings: [] };
  const message = 'A build backend computes the dependencies, and it is not run';
  const suggestion = 'Write them as `dependencies` of [project], or list them in a requirements.txt beside it.';
  const place = { file, line: keyLines(toml, 'project')('dynamic') };
  return { requirements: [], files: [], findings: [fault(place, 'project_dynamic', message, { suggestion })] };
}

/** Each text is a requirement of PEP 508. */
export function readRequirementTexts(
  file: string,
  texts: readonly string[],
  lineOf: (text: string) => number,
): Pick<PyprojectDependencies, 'requirements' | 'findings'> {
  if (texts.length > tomlLimits.requirements) {
    const message = `${file} has more than ${tomlLimits.requirements} requirements`;
    return { requirements: [], findings: [fault({ file }, 'file_too_large', message)] };
  }
  const requirements: DeclaredRequirement[] = [];
  const findings: Finding[] = [];
  for (const text of texts) {
    const line = lineOf(text);
    const parsed = parseOne(text, line);
    if ('code' in parsed) {
      const { code, message, suggestion } = parsed;
      findings.push(fault({ file, line }, code, message, suggestion === undefined ? {} : { suggestion }));
    } else requirements.push({ ...parsed, file });
  }
  return { requirements, findings };
}

/** `dependencies = { file = ["requirements.txt"] }`, the only dynamic form that names its file. */
function setuptoolsFiles({ value }: TomlFile): string[] | undefined {
  const file = tableAt(value, 'tool', 'setuptools', 'dynamic', 'dependencies')?.['file'];
  const files: unknown[] = Array.isArray(file) ? file : [file];
  return files.every((name) => typeof name === 'string') && files.length > 0 ? files : undefined;
}

function notInstalled(
  { value, file }: TomlFile,
  project: TomlTable | undefined,
  poetry: TomlTable | undefined,
): Finding | undefined {
  const tables = [
    tableAt(project, 'optional-dependencies'),
    tableAt(value, 'dependency-groups'),
    tableAt(poetry, 'extras'),
    tableAt(poetry, 'group'),
  ];
  const names = [
    ...new Set(tables.flatMap((table) => Object.keys(table ?? {}))),
    ...(isTable(poetry?.['dev-dependencies']) ? ['dev-dependencies'] : []),
  ].filter((name) => name !== 'main');
  if (names.length === 0) return undefined;
  const shown = names.slice(0, 20).map((name) => name.slice(0, 40));
  const message = `Extras and groups are not installed: ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
  const suggestion = 'Add the imports of the agent to the main dependencies.';
  return fault({ file }, 'not_installed', message, { severity: 'notice', suggestion });
}
