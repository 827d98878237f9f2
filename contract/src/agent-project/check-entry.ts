// The agent's file: agent.py by the spec, or the file that `entrypoint` names.
import { parseEntrypoint } from '../entrypoint.ts';
import { declaredGraphs } from '../find-agents.ts';
import type { Finding, FindingCode } from '../finding.ts';
import { frameworks, type Framework } from '../frameworks.ts';
import { findExports, max_source_length } from '../python-exports.ts';
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
      findings: [named === undefined ? missingAgent(files, byPath, framework) : missingNamed(path, byPath)],
    };
  }
  const text = readText(files, file ?? { path, size: 0, type: 'directory' }, max_entry_bytes);
  if (typeof text !== 'string') return { findings: [text] };
  if (framework === undefined) return { findings: [] };
  return checkExport({ source: text, file: path, framework, name: named?.name });
}

const max_entry_bytes = 1_000_000;

function missingNamed(path: string, byPath: ReadonlyMap<string, ProjectFile>): Finding {
  const base = path.slice(path.lastIndexOf('/') + 1);
  const elsewhere = [...byPath.keys()].find((other) => other === base || other.endsWith(`/${base}`));
  const suggestion =
    elsewhere === undefined
      ? 'Run `svc init`: it finds the agent and writes `entrypoint`.'
      : `There is ${elsewhere}: correct \`entrypoint\`.`;
  return {
    ...about('agent.yaml', 'missing_file', `${path}, which \`entrypoint\` names, is missing`, suggestion),
    pointer: '/entrypoint',
  };
}

/** The spec's fix: rename the file, or add an agent.py that re-exports. Names a file that looks like the agent. */
function missingAgent(
  files: ProjectFiles,
  byPath: ReadonlyMap<string, ProjectFile>,
  framework: Framework | undefined,
): Finding {
  const [declared] = framework === 'crewai' ? [] : declaredGraphs(files);
  if (declared?.entrypoint !== undefined) {
    const suggestion = `Add \`entrypoint: ${declared.entrypoint}\` to agent.yaml, the ${declared.found}; \`svc init\` does it.`;
    return about('agent.py', 'missing_file', 'agent.py is missing beside agent.yaml', suggestion);
  }
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
    const exported = typeof text === 'string' ? names.find((name) => findExports(text).names.has(name)) : undefined;
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
