// Is this set of files a deployable agent? `svc validate` asks before anything leaves the machine, the server asks again at
// push and in step 1 of a deploy. It reads names, sizes and text; nothing of the project ever runs.
import { parseAgentYaml, type AgentConfig } from './agent-yaml.ts';
import { checkExport } from './agent-project/check-export.ts';
import { filesFromMap, type ProjectFile, type ProjectFiles } from './agent-project/files.ts';
import { leftOut } from './agent-project/left-out.ts';
import { checkLimits } from './agent-project/limits.ts';
import { readText } from './agent-project/read-text.ts';
import { checkDependencies } from './dependencies/check-dependencies.ts';
import { hasErrors, inOrder, type Finding, type FindingCode } from './finding.ts';
import { frameworks, type Framework } from './frameworks.ts';
import { findExports, longestSource } from './python-exports.ts';
import type { Conflict, Requirement } from './requirements.ts';

export { filesFromMap, type ProjectFile, type ProjectFiles } from './agent-project/files.ts';
export { leftOut, leftOutRules, type LeftOutRule } from './agent-project/left-out.ts';
export { projectLimits } from './agent-project/limits.ts';

export interface CheckedProject {
  /** There exactly when agent.yaml is without errors; other files may still have some. */
  config?: AgentConfig;
  /** No finding is an error. */
  deployable: boolean;
  findings: Finding[];
  /** The name agent.py exports the agent under, where it can be seen. */
  export_name?: string;
  /** requirements.txt wins over pyproject.toml, which only the resolver reads. */
  dependency_file?: 'requirements.txt' | 'pyproject.toml';
  requirements: Requirement[];
  conflicts: Conflict[];
}

/** The files as they would be deployed: what `leftOut` names is expected to be gone, and refused where it is not. */
export function checkProject(given: ProjectFiles | ReadonlyMap<string, Uint8Array | string>): CheckedProject {
  const files = 'list' in given ? given : filesFromMap(given);
  const listed = files.list();
  const byPath = new Map(listed.map((file) => [file.path, file]));
  const findings: Finding[] = [...checkLimits(listed), ...refusedFiles(listed), ...reservedNames(listed)];

  const config = checkConfig(files, byPath.get('agent.yaml'), findings);
  const export_name = checkEntry(files, byPath, config?.framework, findings);
  const dependencies = checkDependencies(files, byPath, config?.framework, findings);

  return {
    ...(config === undefined ? {} : { config }),
    deployable: !hasErrors(findings),
    findings: inFileOrder(findings),
    ...(export_name === undefined ? {} : { export_name }),
    ...dependencies,
  };
}

function checkConfig(files: ProjectFiles, file: ProjectFile | undefined, findings: Finding[]): AgentConfig | undefined {
  if (file === undefined) {
    findings.push(
      about(
        'agent.yaml',
        'missing_file',
        'error',
        'agent.yaml is missing',
        'Run `svc init`, or run this in the folder of the agent.',
      ),
    );
    return undefined;
  }
  const text = readText(files, file, longestConfigBytes);
  if (typeof text !== 'string') {
    findings.push(text);
    return undefined;
  }
  const parsed = parseAgentYaml(text);
  findings.push(...parsed.findings);
  return parsed.config;
}

/** Above what the YAML reader takes, so that its own finding, in characters, is the one that people see. */
const longestConfigBytes = 1_000_000;
const longestEntryBytes = 1_000_000;

function checkEntry(
  files: ProjectFiles,
  byPath: ReadonlyMap<string, ProjectFile>,
  framework: Framework | undefined,
  findings: Finding[],
): string | undefined {
  const file = byPath.get('agent.py');
  if (file === undefined && !isDirectory(byPath, 'agent.py')) {
    findings.push(missingEntry(files, byPath, framework));
    return undefined;
  }
  const text = readText(files, file ?? { path: 'agent.py', size: 0, type: 'directory' }, longestEntryBytes);
  if (typeof text !== 'string') {
    findings.push(text);
    return undefined;
  }
  // Which names to look for is not known before the framework is.
  if (framework === undefined) return undefined;
  const checked = checkExport(text, framework);
  findings.push(...checked.findings);
  return checked.export_name;
}

/** The spec's fix: rename the file, or add an agent.py that re-exports. Names the file where there is one that looks like it. */
function missingEntry(
  files: ProjectFiles,
  byPath: ReadonlyMap<string, ProjectFile>,
  framework: Framework | undefined,
): Finding {
  const names: readonly string[] =
    framework === undefined
      ? Object.values(frameworks).flatMap(({ exports }) => [...exports])
      : frameworks[framework].exports;
  const candidates = [...byPath.values()].filter(
    ({ path, type, size }) => type === 'file' && /^[A-Za-z_][A-Za-z0-9_]*\.py$/.test(path) && size <= longestSource,
  );
  let bytes = 0;
  for (const candidate of candidates) {
    // A hint is worth one file's time, however many there are.
    bytes += candidate.size;
    if (bytes > longestSource) break;
    const text = readText(files, candidate, longestSource);
    const exported = typeof text === 'string' ? names.find((name) => findExports(text).names.has(name)) : undefined;
    if (exported === undefined) continue;
    const module = candidate.path.slice(0, -'.py'.length);
    const suggestion = `Rename ${candidate.path} to agent.py, or add an agent.py with: from ${module} import ${exported}`;
    return about('agent.py', 'missing_file', 'error', 'agent.py is missing beside agent.yaml', suggestion);
  }
  const suggestion = 'Rename the file that holds the agent to agent.py, or add an agent.py that re-exports it.';
  return about('agent.py', 'missing_file', 'error', 'agent.py is missing beside agent.yaml', suggestion);
}

function refusedFiles(listed: readonly ProjectFile[]): Finding[] {
  const refused = new Map<string, Finding>();
  for (const { path } of listed) {
    const rule = leftOut(path);
    if (rule?.on_server !== 'refused' || refused.has(rule.segment)) continue;
    refused.set(
      rule.segment,
      about(
        path,
        'file_refused',
        'error',
        `${path} does not belong into a project: ${rule.why}`,
        'Leave it out; values belong into deploy.env_vars.',
      ),
    );
  }
  return [...refused.values()];
}

/** The server around the agent is a module of this name; one of the project's would never be found. */
function reservedNames(listed: readonly ProjectFile[]): Finding[] {
  const taken = listed.find(({ path }) => /^_svc_wrapper(\.py)?(\/|$)/.test(path));
  if (taken === undefined) return [];
  const message = '`_svc_wrapper` is the name of the server that runs the agent';
  return [about(taken.path, 'reserved_name', 'error', message, 'Give it another name.')];
}

/** An archive may list the files of a directory and not the directory. */
function isDirectory(byPath: ReadonlyMap<string, ProjectFile>, path: string): boolean {
  return [...byPath.keys()].some((other) => other.startsWith(`${path}/`));
}

function about(
  file: string,
  code: FindingCode,
  severity: Finding['severity'],
  message: string,
  suggestion?: string,
): Finding {
  return {
    code,
    severity,
    message,
    file,
    line: 1,
    column: 1,
    pointer: '',
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** The files in the order a person looks at them. */
function inFileOrder(findings: readonly Finding[]): Finding[] {
  const byFile = Map.groupBy(findings, ({ file }) => file);
  const first = ['agent.yaml', 'agent.py', 'requirements.txt', 'pyproject.toml'].filter((file) => byFile.has(file));
  const others = [...byFile.keys()].filter((file) => !first.includes(file)).toSorted();
  return [...first, ...others].flatMap((file) => inOrder(byFile.get(file) ?? []));
}
