// [tool.crewai] and [project.scripts] of a pyproject.toml that `crewai create` wrote: which of the crews and flows of a project is the
// agent. `crewai run` starts the script `kickoff` of a flow and `run_crew` of a crew.
import type { ProjectFiles } from '../agent-project/files.ts';
import { readText } from '../agent-project/read-text.ts';
import { readToml, tableAt, textAt, tomlLimits } from '../dependencies/read-toml.ts';
import { parseEntrypoint } from './entrypoint.ts';
import type { FoundAgent } from './find-agents.ts';
import { joined } from '../folders/path-inside.ts';
import { findExports, max_source_length } from './python-exports.ts';
import { sourceRoots } from '../folders/source-roots.ts';

interface CrewaiProject {
  type: string | undefined;
  /** The YAML file of a flow that has no Python class, as written. */
  definition: string | undefined;
  /** The module of the script that `crewai run` starts: `poem.main`. */
  module: string | undefined;
}

/** Undefined without a readable [tool.crewai]. */
export function crewaiProject(files: ProjectFiles): CrewaiProject | undefined {
  const file = files.list().find(({ path }) => path === 'pyproject.toml');
  const text = file === undefined ? undefined : readText(files, file, 4 * tomlLimits.pyproject_characters);
  if (typeof text !== 'string' || !text.includes('crewai')) return undefined;
  const toml = readToml('pyproject.toml', text, tomlLimits.pyproject_characters);
  const crewai = 'code' in toml ? undefined : tableAt(toml.value, 'tool', 'crewai');
  if ('code' in toml || crewai === undefined) return undefined;
  const scripts = tableAt(toml.value, 'project', 'scripts');
  const type = textAt(crewai, 'type');
  const script = textAt(scripts, type === 'flow' ? 'kickoff' : 'run_crew');
  return { type, definition: textAt(crewai, 'definition'), module: /^([\w.]{1,200}):/.exec(script ?? '')?.[1] };
}

/** Marks the agent that the others are parts of, where the project says so, and puts it first. */
export function mainOfCrewai(files: ProjectFiles, agents: readonly FoundAgent[]): FoundAgent[] {
  const project = agents.length > 1 ? crewaiProject(files) : undefined;
  const started = project && startedBy(files, project);
  const [main, ...others] = started === undefined ? [] : agents.filter((agent) => started(agent));
  if (main === undefined || others.length > 0) return [...agents];
  return [{ ...main, is_main: true }, ...agents.filter((agent) => agent !== main)];
}

/** The file of the script binds the agent: it defines or imports it. */
function startedBy(files: ProjectFiles, { module }: CrewaiProject): ((agent: FoundAgent) => boolean) | undefined {
  const path = `${module?.replaceAll('.', '/')}.py`;
  const places = new Set(sourceRoots(files).map((root) => joined(root, path)));
  const file = files.list().find((one) => places.has(one.path));
  const text = file === undefined ? undefined : readText(files, file, max_source_length);
  if (file === undefined || typeof text !== 'string' || text.length > max_source_length) return undefined;
  const { names } = findExports(text);
  const defines = [...names.values()].some(({ bases }) => bases?.includes('Flow'));
  return ({ framework, entrypoint = '' }) => {
    const named = parseEntrypoint(entrypoint);
    if (framework !== 'crewai' || named === undefined) return false;
    if (named.file === file.path) return true;
    return !defines && names.get(named.name)?.kind === 'import';
  };
}
