// The agent that a person names with `svc init --entrypoint`, checked as `svc validate` checks it.
import { checkEntry } from '../agent-project/check-entry.ts';
import type { ProjectFiles } from '../agent-project/files.ts';
import { readText } from '../agent-project/read-text.ts';
import { readDependencies } from '../dependencies/read-dependencies.ts';
import { entrypointRule, parseEntrypoint, printEntrypoint } from './entrypoint.ts';
import { importsFramework, type FoundAgent } from './find-agents.ts';
import { frameworkNames, type Framework } from '../frameworks.ts';
import { max_source_length } from './python-exports.ts';

export interface NamedWish {
  entrypoint: string;
  framework: Framework | undefined;
}

/** The agent, or the reason why nothing can be deployed from this place. */
export function namedAgent(
  files: ProjectFiles,
  wish: NamedWish,
): { agent: FoundAgent } | { message: string; suggestion?: string } {
  const named = parseEntrypoint(wish.entrypoint);
  if (named === undefined) return { message: `${wish.entrypoint.slice(0, 300)} ${entrypointRule}` };
  const byPath = new Map(files.list().map((file) => [file.path, file]));
  if (!byPath.has(named.file)) return { message: `${named.file} is not in the project` };
  const framework = wish.framework ?? frameworkOf(files, named.file);
  if (framework === undefined)
    return {
      message: `Nothing says whether ${named.file} is of langgraph or of crewai`,
      suggestion: 'Add --framework langgraph or --framework crewai.',
    };
  const entrypoint = printEntrypoint(named);
  const fault = checkEntry({ files, byPath, framework, entrypoint }).findings.find(
    ({ severity }) => severity === 'error',
  );
  return fault ?? { agent: { framework, entrypoint, found: `${named.file} binds ${named.name}` } };
}

/** By the imports of the file, else by the declared packages. Undefined where both frameworks, or none, are there. */
function frameworkOf(files: ProjectFiles, path: string): Framework | undefined {
  const file = files.list().find((one) => one.path === path);
  const text = file === undefined ? undefined : readText(files, file, max_source_length);
  const imported = frameworkNames.filter((each) => typeof text === 'string' && importsFramework(text, each));
  if (imported.length === 1) return imported[0];
  const required = new Set(readDependencies(files).requirements.map(({ name }) => name));
  const declared = frameworkNames.filter((each) => required.has(each));
  return declared.length === 1 ? declared[0] : undefined;
}
