// The agents of a project, read from its files without running them. They are the graphs of langgraph.json and the agents in its modules.
// `svc init` offers them; the user's choice becomes `entrypoint` in agent.yaml.
import type { ProjectFile, ProjectFiles } from './agent-project/files.ts';
import { readText } from './agent-project/read-text.ts';
import { parseEntrypoint, printEntrypoint } from './entrypoint.ts';
import { frameworkNames, frameworks, type Framework } from './frameworks.ts';
import { findLanggraphJson } from './langgraph-json.ts';
import { joined } from './path-inside.ts';
import { findExports, max_source_length, type Binding } from './python-exports.ts';
import { sourceRoots } from './source-roots.ts';

export interface FoundAgent {
  framework: Framework;
  /** Absent for `agent.py` by the spec's rule. */
  entrypoint?: string;
  /** The place in words: `graph "agent" of langgraph.json`. */
  found: string;
}

/** The likeliest first. langgraph.json is the author's declaration; without one, the code decides. */
export function findAgents(files: ProjectFiles): FoundAgent[] {
  const sources = pythonSources(files);
  const declared = declaredGraphs(files).filter(isThere(files));
  return bySpec(sources) ?? (declared.length > 0 ? declared : inCode(sources));
}

interface Source {
  path: string;
  text: string;
}

/** agent.py beside agent.yaml, with the export of a framework that it imports. */
function bySpec(sources: readonly Source[]): FoundAgent[] | undefined {
  const agent = sources.find(({ path }) => path === 'agent.py');
  if (agent === undefined) return undefined;
  const { names } = findExports(agent.text);
  const framework = frameworkNames.find(
    (each) => speaksOf(each).test(agent.text) && frameworks[each].exports.some((name) => names.has(name)),
  );
  const name = framework && frameworks[framework].exports.find((each) => names.has(each));
  return framework && [{ framework, found: `agent.py exports ${name}` }];
}

/** Those of langgraph.json whose file is in the project, also beside an agent.py that comes before them. */
export function graphsBesideAgent(files: ProjectFiles): FoundAgent[] {
  return declaredGraphs(files).filter(isThere(files));
}

/** Those whose file is not in the project, or not below a folder from which it is imported. */
export function missingGraphs(files: ProjectFiles): FoundAgent[] {
  const is = isThere(files);
  return declaredGraphs(files).filter((agent) => !is(agent));
}

function isThere(files: ProjectFiles): (agent: FoundAgent) => boolean {
  const paths = new Set(files.list().map(({ path }) => path));
  return ({ entrypoint = '' }) => paths.has(parseEntrypoint(entrypoint)?.file ?? '');
}

/** The graphs that langgraph.json names. */
export function declaredGraphs(files: ProjectFiles): FoundAgent[] {
  const config = findLanggraphJson(files)?.config;
  if (config === undefined) return [];
  const paths = new Set(files.list().map((file) => file.path));
  const roots = sourceRoots(files, config);
  return Object.entries(config.graphs).flatMap(([id, { path, name }]) => {
    // langgraph imports a dotted module from the source roots, so they are searched here too.
    const package_path = path.replace(/\.py$/, '/__init__.py');
    const file = ['.', ...roots]
      .flatMap((root) => [joined(root, path), joined(root, package_path)])
      .find((each) => paths.has(each));
    const entrypoint = printEntrypoint({ file: file ?? path, name });
    if (parseEntrypoint(entrypoint) === undefined) return [];
    return [{ framework: 'langgraph' as const, entrypoint, found: `graph "${id}" of langgraph.json` }];
  });
}

function inCode(sources: readonly Source[]): FoundAgent[] {
  return sources
    .flatMap(({ path, text }) => {
      const frameworksOfFile = frameworkNames.filter((each) => speaksOf(each).test(text));
      if (frameworksOfFile.length === 0) return [];
      return [...findExports(text).names].flatMap(([name, binding]) => {
        const framework = frameworksOfFile.find((each) => isAgent(each, binding));
        const entrypoint = printEntrypoint({ file: path, name });
        if (framework === undefined || parseEntrypoint(entrypoint) === undefined) return [];
        return [{ framework, entrypoint, found: `${path} binds ${name}`, rank: rank(framework, path, name) }];
      });
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ rank: _, ...agent }) => agent);
}

function isAgent(framework: Framework, { made_by = '', decorators = [], bases = [] }: Binding): boolean {
  const makers = agentMakers[framework];
  const last = made_by.slice(made_by.lastIndexOf('.') + 1);
  const isMade = makers.calls.has(last) || bases.some((base) => makers.bases.has(base));
  return isMade || decorators.some((decorator) => makers.decorators.has(decorator));
}

interface Makers {
  calls: ReadonlySet<string>;
  decorators: ReadonlySet<string>;
  bases: ReadonlySet<string>;
}

const agentMakers: Record<Framework, Makers> = {
  langgraph: {
    calls: new Set(['compile', 'create_agent', 'create_react_agent', 'create_deep_agent']),
    decorators: new Set(['entrypoint']),
    bases: new Set(),
  },
  crewai: { calls: new Set(['Crew']), decorators: new Set(['CrewBase']), bases: new Set(['Flow']) },
};

/** A name from the spec comes first, then the file nearest to the root. */
function rank(framework: Framework, path: string, name: string): number {
  const names: readonly string[] = frameworks[framework].exports;
  return path.split('/').length + (names.includes(name) ? 0 : 10);
}

const speaksOf = (framework: Framework): RegExp =>
  framework === 'langgraph' ? /\b(?:langgraph|langchain|deepagents)\b/ : /\bcrewai\b/;

/** Limits for a project that one author wrote; a tree of copied code is not read to its end. */
const most = { bytes: 2_000_000, files: 400 };

function pythonSources(files: ProjectFiles): Source[] {
  const sources: Source[] = [];
  let bytes = 0;
  for (const file of files.list().filter(isCode)) {
    bytes += file.size;
    if (bytes > most.bytes || sources.length >= most.files) break;
    const text = readText(files, file, max_source_length);
    if (typeof text === 'string' && text.length <= max_source_length) sources.push({ path: file.path, text });
  }
  return sources;
}

const isCode = ({ path, type, size }: ProjectFile): boolean =>
  type === 'file' &&
  path.endsWith('.py') &&
  size <= max_source_length &&
  !/(?:^|\/)(?:tests?|\.[^/]*|build|dist|site-packages)\/|(?:^|\/)(?:test_[^/]*|conftest|setup)\.py$/.test(path);
