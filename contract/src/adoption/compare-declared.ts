// What langgraph.json says beside the agent that is taken.
import type { ProjectFiles } from '../agent-project/files.ts';
import { parseEntrypoint } from '../entrypoint.ts';
import { graphsBesideAgent, missingGraphs, type FoundAgent } from '../find-agents.ts';

export interface Disagreement {
  sentence: string;
  /** The entrypoint that a reader may have meant. */
  instead?: string;
}

/** An agent.py that comes before other graphs, and graphs without a file. */
export function compareDeclared(files: ProjectFiles, { entrypoint }: Pick<FoundAgent, 'entrypoint'>): Disagreement[] {
  const others = graphsBesideAgent(files).filter((each) => parseEntrypoint(each.entrypoint ?? '')?.file !== 'agent.py');
  const first = others[0]?.entrypoint;
  const sentence = `agent.py and langgraph.json disagree: agent.py is taken, because it comes before ${others.map((each) => each.entrypoint).join(' and ')} of langgraph.json.`;
  return [
    ...(entrypoint === undefined && first !== undefined ? [{ sentence, instead: first }] : []),
    ...missingGraphs(files).map((graph) => ({ sentence: missing(files, graph) })),
  ];
}

function missing(files: ProjectFiles, { found, entrypoint = '' }: FoundAgent): string {
  const file = parseEntrypoint(entrypoint)?.file ?? entrypoint;
  const elsewhere = files.list().find(({ path }) => path.endsWith(`/${file}`))?.path;
  const folder = elsewhere?.slice(0, -file.length - 1);
  const advice =
    folder === undefined ? '' : ` It is in ${folder}/: add "./${folder}" to \`dependencies\` of langgraph.json.`;
  return `The ${found} names ${file}, which is in no folder that modules are imported from.${advice}`;
}
