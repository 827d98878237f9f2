// What a person reads when no agent was found in a project.
import type { ProjectFiles } from '../agent-project/files.ts';
import { crewaiProject } from '../entrypoint/crewai-project.ts';

export const searched_forms =
  'langgraph.json, a compiled graph, a Crew, a @CrewBase class, a Flow class, a function that returns one of them';

/** The step for an agent that is no Python code; undefined without one. */
export function agentInOtherForm(files: ProjectFiles): string | undefined {
  return crewInJson(files) ?? flowInYaml(files);
}

function crewInJson(files: ProjectFiles): string | undefined {
  const json = files.list().find(({ path }) => /^crew\.jsonc?$/.test(path))?.path;
  return (
    json &&
    `This crew is in JSON. Add an agent.py with: from crewai.project import load_crew; crew, _ = load_crew("${json}")`
  );
}

/** A flow of `crewai create flow --declarative`, without a Python class. */
function flowInYaml(files: ProjectFiles): string | undefined {
  const written = crewaiProject(files)?.definition;
  const file = files.list().find(({ path }) => path === written && /^[\w./-]+$/.test(path))?.path;
  return (
    file &&
    `This flow is in YAML. Add an agent.py with: from crewai.flow import Flow; crew = Flow.from_declaration(path="${file}")`
  );
}
