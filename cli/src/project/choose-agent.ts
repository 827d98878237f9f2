// Which agent of the project in this folder `svc init` takes, and the refusal where that is a person's choice.
import { agentInOtherForm, searched_forms } from '@gantry/project/adoption/no-agent.ts';
import { declaredGraphs, describeDisagreement, disagreement } from '@gantry/project/entrypoint/declared-graphs.ts';
import { findAgents, type FoundAgent } from '@gantry/project/entrypoint/find-agents.ts';
import type { Framework } from '@gantry/project/frameworks.ts';
import { namedAgent } from '@gantry/project/entrypoint/named-agent.ts';
import { CliRefusal, misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import type { LocalProject } from './read-project.ts';

export interface AgentWish {
  framework: Framework | undefined;
  entrypoint: string | undefined;
}

export interface ChosenAgent {
  agent: FoundAgent;
  others: FoundAgent[];
}

export async function chooseAgent(session: Session, project: LocalProject, wish: AgentWish): Promise<ChosenAgent> {
  const { there, missing } = declaredGraphs(project);
  const agents = findAgents(project).filter(
    ({ framework }) => wish.framework === undefined || framework === wish.framework,
  );
  if (wish.entrypoint !== undefined)
    return withOthers(named(project, { agents: [...agents, ...there], ...wish, entrypoint: wish.entrypoint }), agents);
  const [first] = agents;
  const [gone] = missing;
  // Without its file, langgraph.json still says that another graph is not the agent.
  if (gone !== undefined && there.length === 0 && first?.entrypoint !== undefined)
    throw new CliRefusal('no_agent_found', gone.why, { hint: `Or take what the code has: ${listed(agents)}` });
  if (first === undefined) throw nothingFound(project, gone?.why);
  for (const { why } of missing) session.output.notice(why);
  const agent = agents.find(({ is_main }) => is_main) ?? (agents.length === 1 ? first : await ask(session, agents));
  refuseUnusable(project, agent);
  const differs = agent.entrypoint === undefined ? disagreement(project) : undefined;
  if (differs !== undefined) {
    const { message, suggestion } = describeDisagreement(differs);
    session.output.notice(`${message}. ${suggestion}`);
  }
  return withOthers(agent, agents);
}

/** A declaration can name what its file does not bind. */
function refuseUnusable(project: LocalProject, { entrypoint, framework, found }: FoundAgent): void {
  if (entrypoint === undefined) return;
  const checked = namedAgent(project, { entrypoint, framework });
  if ('agent' in checked) return;
  const hint = 'Correct it, or name the agent: svc init --entrypoint <path>.py:<name>';
  throw new CliRefusal('no_agent_found', `The ${found} is no agent: ${checked.message}`, { hint });
}

const withOthers = (agent: FoundAgent, agents: readonly FoundAgent[]): ChosenAgent => ({
  agent,
  others: agents.filter((each) => each !== agent),
});

/** Also one that no rule finds, such as a function of any name. */
function named(
  project: LocalProject,
  {
    agents,
    entrypoint,
    framework,
  }: { agents: readonly FoundAgent[]; entrypoint: string; framework: Framework | undefined },
): FoundAgent {
  const found = agents.find((each) => each.entrypoint === entrypoint.replace(/^\.\//, ''));
  const checked = namedAgent(project, { entrypoint, framework: framework ?? found?.framework });
  if ('agent' in checked) return found ?? checked.agent;
  const others = agents.filter((each) => each !== found);
  throw misuse(checked.message, checked.suggestion ?? (others.length === 0 ? undefined : `Found: ${listed(others)}`));
}

const listed = (agents: readonly FoundAgent[]): string =>
  agents.map(({ entrypoint }) => `svc init --entrypoint ${entrypoint ?? 'agent.py'}`).join(', ');

async function ask(session: Session, agents: readonly FoundAgent[]): Promise<FoundAgent> {
  const [first] = agents;
  if (!(await session.prompt.canAsk()))
    throw misuse(
      `This project has ${agents.length} agents: ${agents.map((each) => each.entrypoint).join(', ')}`,
      `Choose one: svc init --entrypoint ${first?.entrypoint}`,
    );
  const value = await session.prompt.choose(
    'Which agent?',
    agents.map(({ entrypoint = '', found }) => ({ value: entrypoint, label: `${entrypoint}  (${found})` })),
    '--entrypoint',
  );
  const agent = agents.find((each) => each.entrypoint === value) ?? first;
  if (agent === undefined) throw new RangeError('a choice among no agents');
  return agent;
}

function nothingFound(project: LocalProject, why: string | undefined): CliRefusal {
  return new CliRefusal('no_agent_found', why ?? 'No agent was found in this folder', {
    hint:
      why === undefined
        ? (agentInOtherForm(project) ?? inFolder(project) ?? looked_for)
        : 'Correct langgraph.json, or name the agent: svc init --entrypoint <path>.py:<name>',
  });
}

const looked_for = `Looked for: ${searched_forms}. Name the place: svc init --entrypoint <path>.py:<name>. Or begin a new project: svc init greeter.`;

/** The folder of the project, when this one is above it. */
function inFolder(project: LocalProject): string | undefined {
  const [, folder, file] =
    project
      .list()
      .map(({ path }) => /^([A-Za-z_][\w-]*)\/(langgraph\.json|agent\.py)$/.exec(path))
      .find((match) => match !== null) ?? [];
  return folder && `There is ${folder}/${file}: cd ${folder} && svc init`;
}
