// Is this set of files a deployable agent? `svc validate` checks before any file is sent. The server checks at push and in step 1 of a
// deploy. It reads names, sizes and text, and never runs the project's code.
import { parseAgentYaml, type AgentConfig } from './agent-yaml.ts';
import { checkEgress } from './agent-project/check-egress.ts';
import { checkEntry } from './agent-project/check-entry.ts';
import { projectEntry, type ProjectEntry } from './agent-project/entry.ts';
import { filesFromMap, type ProjectFile, type ProjectFiles } from './agent-project/files.ts';
import { leftOut } from './agent-project/left-out.ts';
import { checkLimits } from './agent-project/limits.ts';
import { readText } from './agent-project/read-text.ts';
import { checkDependencies, type CheckedDependencies } from './dependencies/check-dependencies.ts';
import { hasErrors, inOrder, type Finding, type FindingCode } from './finding.ts';
import { findLanggraphJson } from './langgraph-json.ts';
import { sourceRoots } from './folders/source-roots.ts';

export type { ProjectEntry } from './agent-project/entry.ts';
export { filesFromMap, type ProjectFile, type ProjectFiles } from './agent-project/files.ts';
export { projectLimits } from './agent-project/limits.ts';

export interface CheckedProject {
  /** Present exactly when agent.yaml has no error; other files may still have some. */
  config?: AgentConfig;
  /** No finding is an error. */
  deployable: boolean;
  findings: Finding[];
  /** Present exactly when `config` is; `findings` says whether the file holds an agent. */
  entry?: ProjectEntry;
  /** The name of the agent's export, where it is visible. */
  export_name?: string;
  dependencies: CheckedDependencies;
}

/** The files as deployed: paths of `leftOut` must be absent, and are refused otherwise. */
export function checkProject(given: ProjectFiles | ReadonlyMap<string, Uint8Array | string>): CheckedProject {
  const files = 'list' in given ? given : filesFromMap(given);
  const listed = files.list();
  const byPath = new Map(listed.map((file) => [file.path, file]));
  const findings: Finding[] = [...checkLimits(listed), ...refusedFiles(listed), ...reservedNames(listed)];

  const config = checkConfig(files, byPath.get('agent.yaml'), findings);
  const entrypoint = config === undefined ? writtenEntrypoint(files, byPath.get('agent.yaml')) : config.entrypoint;
  // Without agent.yaml nothing says where the agent is: `svc init` looks for it.
  const entry = byPath.has('agent.yaml')
    ? checkEntry({ files, byPath, framework: config?.framework, entrypoint })
    : { findings: [] };
  findings.push(...entry.findings);
  const dependencies = checkDependencies(files, config?.framework, findings);
  if (config !== undefined) findings.push(...checkEgress(config, files));

  return {
    ...(config === undefined ? {} : { config, entry: entryOf(config, files) }),
    deployable: !hasErrors(findings),
    findings: inFileOrder(findings),
    ...(entry.export_name === undefined ? {} : { export_name: entry.export_name }),
    dependencies,
  };
}

/** Where the agent of a project with this config is, and how Python imports it. */
export function entryOf({ entrypoint }: Pick<AgentConfig, 'entrypoint'>, files: ProjectFiles): ProjectEntry {
  const paths = files.list().map(({ path }) => path);
  return projectEntry({ entrypoint, source_roots: sourceRoots(files, findLanggraphJson(files)?.config), paths });
}

function checkConfig(files: ProjectFiles, file: ProjectFile | undefined, findings: Finding[]): AgentConfig | undefined {
  if (file === undefined) {
    const below = files.list().find(({ path }) => /^[A-Za-z_][\w-]*\/agent\.yaml$/.test(path))?.path;
    const suggestion =
      below === undefined ? 'or run this in the folder of the agent.' : `or check ${below}: svc validate ${below}`;
    findings.push(
      about('agent.yaml', 'missing_file', 'error', 'agent.yaml is missing', `Run \`svc init\`, ${suggestion}`),
    );
    return undefined;
  }
  const text = readText(files, file, max_config_bytes);
  if (typeof text !== 'string') {
    findings.push(text);
    return undefined;
  }
  const parsed = parseAgentYaml(text);
  findings.push(...parsed.findings);
  return parsed.config;
}

/** The entrypoint in a config with faults. Without it each fault would bring a second, false one, because the agent would not be found. */
function writtenEntrypoint(files: ProjectFiles, file: ProjectFile | undefined): string | undefined {
  const text = file === undefined ? '' : readText(files, file, max_config_bytes);
  return typeof text === 'string' ? /^entrypoint:[ \t]{0,20}["']?([^"'\s#]{1,300})/m.exec(text)?.[1] : undefined;
}

/** In characters. Above the YAML reader's limit, so that its finding is reported. */
const max_config_bytes = 1_000_000;
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
        `${path} does not belong in a project: ${rule.why}`,
        'Leave it out. Set secrets with `svc secret set <NAME> --agent <name>`, and put other values in deploy.env_vars.',
      ),
    );
  }
  return [...refused.values()];
}

/** The server around the agent is a module of this name, and it would hide one of the project. */
function reservedNames(listed: readonly ProjectFile[]): Finding[] {
  const taken = listed.find(({ path }) => /^_svc_wrapper(\.py)?(\/|$)/.test(path));
  if (taken === undefined) return [];
  const message = '`_svc_wrapper` is the name of the server that runs the agent';
  return [about(taken.path, 'reserved_name', 'error', message, 'Give it another name.')];
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

/** The order in which a person reads the files. */
function inFileOrder(findings: readonly Finding[]): Finding[] {
  const byFile = Map.groupBy(findings, ({ file }) => file);
  const first = ['agent.yaml', 'agent.py', 'langgraph.json', 'requirements.txt', 'pyproject.toml'].filter((file) =>
    byFile.has(file),
  );
  const others = [...byFile.keys()].filter((file) => !first.includes(file)).toSorted();
  return [...first, ...others].flatMap((file) => inOrder(byFile.get(file) ?? []));
}
