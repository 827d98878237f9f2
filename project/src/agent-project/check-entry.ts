// The agent's file: agent.py by the spec, or the file that `entrypoint` names.
import { parseEntrypoint, printEntrypoint, type Entrypoint } from '../entrypoint/entrypoint.ts';
import {
  declaredGraphs,
  describeDisagreement,
  disagreement,
  type Disagreement,
} from '../entrypoint/declared-graphs.ts';
import { importsFramework } from '../entrypoint/find-agents.ts';
import type { Finding, FindingCode } from '../finding.ts';
import { frameworks, type Framework } from '../frameworks.ts';
import { findExports, max_source_length } from '../entrypoint/python-exports.ts';
import { checkExport } from './check-export.ts';
import type { ProjectFile, ProjectFiles } from './files.ts';
import { readText } from './read-text.ts';

export interface EntryQuestion {
  files: ProjectFiles;
  byPath: ReadonlyMap<string, ProjectFile>;
  /** Undefined when agent.yaml has faults, because the expected names are then unknown. */
  framework: Framework | undefined;
  entrypoint: string | undefined;
}

export interface CheckedEntry {
  /** The name of the agent's export, where it is visible. */
  export_name?: string;
  findings: Finding[];
}

export function checkEntry({ files, byPath, framework, entrypoint }: EntryQuestion): CheckedEntry {
  const named = entrypoint === undefined ? undefined : parseEntrypoint(entrypoint);
  const path = named?.file ?? 'agent.py';
  const file = byPath.get(path);
  if (file === undefined && !isDirectory(byPath, path)) {
    return {
      findings: [named === undefined ? missingAgent(files, byPath, framework) : missingNamed(files, named)],
    };
  }
  const text = readText(files, file ?? { path, size: 0, type: 'directory' }, max_entry_bytes);
  if (typeof text !== 'string') return { findings: [text] };
  if (framework === undefined) return { findings: [] };
  const checked = checkExport({ source: text, file: path, framework, name: named?.name });
  const differs = named === undefined && framework === 'langgraph' ? disagreement(files) : undefined;
  return differs === undefined ? checked : { ...checked, findings: [...checked.findings, twoAgents(differs)] };
}

/** `entrypoint` is the author's choice, so this is only said without one. */
function twoAgents(differs: Disagreement): Finding {
  const { message, suggestion } = describeDisagreement(differs);
  return { ...about('langgraph.json', 'two_agents', message, suggestion), severity: 'notice' };
}

const max_entry_bytes = 1_000_000;

function missingNamed(files: ProjectFiles, { file, name }: Entrypoint): Finding {
  const elsewhere = sameNameElsewhere(files, { file, name });
  const suggestion =
    elsewhere === undefined
      ? 'Correct `entrypoint`: its path starts at the folder of agent.yaml. `svc init --entrypoint <path>.py:<name>` checks and writes it.'
      : `There is ${elsewhere.file}, which binds ${name}: svc init --entrypoint ${printEntrypoint(elsewhere)}`;
  return {
    ...about('agent.yaml', 'missing_file', `${file}, which \`entrypoint\` names, is missing`, suggestion),
    line: lineOfEntrypoint(files),
    pointer: '/entrypoint',
  };
}

function lineOfEntrypoint(files: ProjectFiles): number {
  const yaml = files.list().find(({ path }) => path === 'agent.yaml');
  const text = yaml === undefined ? undefined : readText(files, yaml, max_entry_bytes);
  const lines = typeof text === 'string' ? text.split('\n') : [];
  return (
    Math.max(
      lines.findIndex((line) => line.startsWith('entrypoint:')),
      0,
    ) + 1
  );
}

/** The only file of the same name, or package of the same name, that binds the agent's name. Others are unrelated. */
function sameNameElsewhere(files: ProjectFiles, { file, name }: Entrypoint): Entrypoint | undefined {
  const base = file.slice(file.lastIndexOf('/') + 1);
  const endings = [base, base.replace(/\.py$/, '/__init__.py')];
  // One hint is enough, so at most this many characters are read.
  let left = max_source_length;
  const others = files.list().filter((other) => {
    if (!endings.some((ending) => other.path === ending || other.path.endsWith(`/${ending}`))) return false;
    left -= other.size;
    const text = left < 0 ? undefined : readText(files, other, max_source_length);
    return typeof text === 'string' && findExports(text).names.has(name);
  });
  const [only, ...more] = others;
  return only === undefined || more.length > 0
    ? undefined
    : parseEntrypoint(printEntrypoint({ file: only.path, name }));
}

/** The spec's fix: rename the file, or add an agent.py that re-exports. Names a file that looks like the agent. */
function missingAgent(
  files: ProjectFiles,
  byPath: ReadonlyMap<string, ProjectFile>,
  framework: Framework | undefined,
): Finding {
  const graphs = framework === 'crewai' ? { there: [], missing: [] } : declaredGraphs(files);
  const [declared] = graphs.there;
  if (declared !== undefined) {
    const suggestion = `Add \`entrypoint: ${declared.entrypoint}\` to agent.yaml, the ${declared.found}; \`svc init\` does it.`;
    return about('agent.py', 'missing_file', 'agent.py is missing beside agent.yaml', suggestion);
  }
  const [gone] = graphs.missing;
  if (gone !== undefined)
    return about(
      'agent.py',
      'missing_file',
      `agent.py is missing beside agent.yaml. ${gone.why}`,
      'Correct the path in langgraph.json, or name the agent: svc init --entrypoint <path>.py:<name>',
    );
  const names: readonly string[] =
    framework === undefined
      ? Object.values(frameworks).flatMap(({ exports }) => [...exports])
      : frameworks[framework].exports;
  const candidates = [...byPath.values()].filter(
    ({ path, type, size }) => type === 'file' && /^[A-Za-z_][A-Za-z0-9_]*\.py$/.test(path) && size <= max_source_length,
  );
  let bytes = 0;
  for (const candidate of candidates) {
    // One hint is enough, so at most this many files are read.
    bytes += candidate.size;
    if (bytes > max_source_length) break;
    const text = readText(files, candidate, max_source_length);
    // `app` is often a web server.
    if (typeof text !== 'string' || !importsFramework(text, framework)) continue;
    const exported = names.find((name) => findExports(text).names.has(name));
    if (exported === undefined) continue;
    const module = candidate.path.slice(0, -'.py'.length);
    const suggestion = `Rename ${candidate.path} to agent.py, or add an agent.py with: from ${module} import ${exported}. Or add \`entrypoint: ${candidate.path}:${exported}\` to agent.yaml.`;
    return about('agent.py', 'missing_file', 'agent.py is missing beside agent.yaml', suggestion);
  }
  const suggestion =
    'Rename the file of the agent to agent.py, or add an agent.py that re-exports it. Or run `svc init`: it finds the agent and writes `entrypoint`.';
  return about('agent.py', 'missing_file', 'agent.py is missing beside agent.yaml', suggestion);
}

/** An archive may list the files of a directory without the directory. */
function isDirectory(byPath: ReadonlyMap<string, ProjectFile>, path: string): boolean {
  return [...byPath.keys()].some((other) => other.startsWith(`${path}/`));
}

function about(file: string, code: FindingCode, message: string, suggestion: string): Finding {
  return { code, severity: 'error', message, file, line: 1, column: 1, pointer: '', suggestion };
}
