// What `svc init` says about langgraph.json beside the agent that it takes.
import { graphsBesideAgent, missingGraphs, type FoundAgent } from '@gantry/contract/find-agents.ts';
import { parseEntrypoint } from '@gantry/contract/entrypoint.ts';
import type { LocalProject } from './read-project.ts';

/** A sentence for each disagreement: an agent.py that comes before other graphs, and graphs without a file. */
export function compareDeclared(project: LocalProject, { entrypoint }: FoundAgent): string[] {
  const others = graphsBesideAgent(project).filter(
    (each) => parseEntrypoint(each.entrypoint ?? '')?.file !== 'agent.py',
  );
  const first = others[0]?.entrypoint;
  return [
    ...(entrypoint === undefined && first !== undefined
      ? [
          `agent.py and langgraph.json disagree: agent.py is taken, because it comes before ${others.map((each) => each.entrypoint).join(' and ')} of langgraph.json. For that graph: svc init --entrypoint ${first}`,
        ]
      : []),
    ...missingGraphs(project).map((graph) => missing(project, graph)),
  ];
}

function missing(project: LocalProject, { found, entrypoint = '' }: FoundAgent): string {
  const file = parseEntrypoint(entrypoint)?.file ?? entrypoint;
  const elsewhere = project.list().find(({ path }) => path.endsWith(`/${file}`))?.path;
  const folder = elsewhere?.slice(0, -file.length - 1);
  const advice =
    folder === undefined ? '' : ` It is in ${folder}/: add "./${folder}" to \`dependencies\` of langgraph.json.`;
  return `The ${found} names ${file}, which is in no folder that modules are imported from.${advice}`;
}
