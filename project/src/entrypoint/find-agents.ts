// The agents of a project, read from its files without running them. They are the graphs of langgraph.json and the agents in its modules.
// `svc init` offers them; the user's choice becomes `entrypoint` in agent.yaml.
import type { ProjectFile, ProjectFiles } from '../agent-project/files.ts';
import { readText } from '../agent-project/read-text.ts';
import { mainOfCrewai } from './crewai-project.ts';
import { declaredGraphs } from './declared-graphs.ts';
import { parseEntrypoint, printEntrypoint } from './entrypoint.ts';
import { frameworkNames, frameworks, type Framework } from '../frameworks.ts';
import { findExports, max_source_length, type Binding } from './python-exports.ts';

export interface FoundAgent {
  framework: Framework;
  /** Absent for `agent.py` by the spec's rule. */
  entrypoint?: string;
  /** The place in words: `graph "agent" of langgraph.json`. */
  found: string;
  /** The project's own files say that the others are parts of this one. */
  is_main?: true;
}

/** The likeliest first. langgraph.json is the author's declaration; without one, the code decides. */
export function findAgents(files: ProjectFiles): FoundAgent[] {
  const sources = pythonSources(files);
  const { there } = declaredGraphs(files);
  return bySpec(sources) ?? (there.length > 0 ? there : mainOfCrewai(files, inCode(sources)));
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

function inCode(sources: readonly Source[]): FoundAgent[] {
  const read = sources.flatMap(({ path, text }) => {
    const frameworksOfFile = frameworkNames.filter((each) => speaksOf(each).test(text));
    return frameworksOfFile.length === 0 ? [] : [{ path, frameworksOfFile, names: findExports(text).names }];
  });
  const found = (is: typeof isAgent, verb: string): FoundAgent[] =>
    read
      .flatMap(({ path, frameworksOfFile, names }) =>
        [...names].flatMap(([name, binding]) => {
          const framework = frameworksOfFile.find((each) => is(each, binding));
          const entrypoint = printEntrypoint({ file: path, name });
          if (framework === undefined || parseEntrypoint(entrypoint) === undefined) return [];
          return [{ framework, entrypoint, found: `${path} ${verb} ${name}`, rank: rank(framework, path, name) }];
        }),
      )
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ rank: _, ...agent }) => agent);
  const made = found(isAgent, 'binds');
  return made.length > 0 ? made : found(makesAgent, 'makes the agent with');
}

function isAgent(framework: Framework, { made_by = '', decorators = [], bases = [] }: Binding): boolean {
  const makers = agentMakers[framework];
  const last = made_by.slice(made_by.lastIndexOf('.') + 1);
  const isMade = makers.calls.has(last) || bases.some((base) => makers.bases.has(base));
  return isMade || decorators.some((decorator) => makers.decorators.has(decorator));
}

/** A function that returns an agent, or a graph that is not compiled. `entrypoint` accepts both. */
function makesAgent(framework: Framework, { made_by, returns = [], required_parameters = 0 }: Binding): boolean {
  const { calls, builders, takes } = agentMakers[framework];
  const makes = (callee: string) => calls.has(callee) || builders.has(callee);
  const isBuilder = builders.has(made_by?.slice(made_by.lastIndexOf('.') + 1) ?? '');
  return isBuilder || (required_parameters <= takes && returns.some(makes));
}

interface Makers {
  calls: ReadonlySet<string>;
  /** Their values become agents later. */
  builders: ReadonlySet<string>;
  decorators: ReadonlySet<string>;
  bases: ReadonlySet<string>;
  /** The most parameters of a function that makes the agent: langgraph's config. */
  takes: number;
}

const agentMakers: Record<Framework, Makers> = {
  langgraph: {
    calls: new Set(['compile', 'create_agent', 'create_react_agent', 'create_deep_agent']),
    builders: new Set(['StateGraph']),
    decorators: new Set(['entrypoint']),
    bases: new Set(),
    takes: 1,
  },
  crewai: {
    calls: new Set(['Crew']),
    builders: new Set(),
    decorators: new Set(['CrewBase']),
    bases: new Set(['Flow']),
    takes: 0,
  },
};

/** A name from the spec comes first, then the file nearest to the root. */
function rank(framework: Framework, path: string, name: string): number {
  const names: readonly string[] = frameworks[framework].exports;
  return path.split('/').length + (names.includes(name) ? 0 : 10);
}

/** Without a framework: any of them. */
export function importsFramework(text: string, framework?: Framework): boolean {
  return framework === undefined
    ? frameworkNames.some((each) => speaksOf(each).test(text))
    : speaksOf(framework).test(text);
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
