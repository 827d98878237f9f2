// `svc init` in an existing project: finds the agent, and writes agent.yaml and no other file. In an existing agent.yaml it only adds
// `entrypoint`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { compareDeclared } from '@gantry/contract/adoption/compare-declared.ts';
import {
  crewInJson,
  openVariables,
  printProposal,
  proposeConfig,
  searched_forms,
} from '@gantry/contract/adoption/propose-config.ts';
import { findAgents, graphsBesideAgent, type FoundAgent } from '@gantry/contract/find-agents.ts';
import { misuse, CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { readEnvironmentNames } from './environment-files.ts';
import { readProject, type LocalProject } from './read-project.ts';
import { teamForProject } from './team-for-project.ts';

export interface Adoption {
  framework: FoundAgent['framework'] | undefined;
  entrypoint: string | undefined;
}

export interface Adopted {
  agent: FoundAgent;
  others: FoundAgent[];
  /** The whole new agent.yaml. */
  text: string;
  /** Names from the project's files that agent.yaml does not set. */
  variables: string[];
}

export async function adoptProject(session: Session, wish: Adoption): Promise<Adopted> {
  const project = readProject();
  const file = path.join(project.directory, 'agent.yaml');
  const agents = findAgents(project).filter(
    ({ framework }) => wish.framework === undefined || framework === wish.framework,
  );
  const offered = wish.entrypoint === undefined ? agents : [...agents, ...graphsBesideAgent(project)];
  const agent = await chosen(session, { project, agents: offered, entrypoint: wish.entrypoint });
  for (const { sentence, instead } of compareDeclared(project, agent))
    session.output.notice(
      instead === undefined ? sentence : `${sentence} For that graph: svc init --entrypoint ${instead}`,
    );
  const variables = readEnvironmentNames(project.directory);
  const text = existsSync(file)
    ? withEntrypoint(readFileSync(file, 'utf8'), agent)
    : await newFile(session, project, { agent, variables });
  writeFileSync(file, text);
  return { agent, others: agents.filter((each) => each !== agent), text, variables };
}

async function chosen(
  session: Session,
  {
    project,
    agents,
    entrypoint,
  }: { project: LocalProject; agents: readonly FoundAgent[]; entrypoint: string | undefined },
): Promise<FoundAgent> {
  const [first] = agents;
  if (first === undefined) throw nothingFound(project);
  if (entrypoint !== undefined) {
    const named = agents.find((each) => each.entrypoint === entrypoint.replace(/^\.\//, ''));
    if (named === undefined)
      throw misuse(
        `${entrypoint} is not among the agents found`,
        `Found: ${agents.map((each) => each.entrypoint ?? 'agent.py').join(', ')}`,
      );
    return named;
  }
  if (agents.length === 1) return first;
  if (!(await session.prompt.canAsk()))
    throw misuse(
      `This project has ${agents.length} agents: ${agents.map((each) => each.entrypoint).join(', ')}`,
      `Choose one: svc init --entrypoint ${first.entrypoint}`,
    );
  const value = await session.prompt.choose(
    'Which agent?',
    agents.map(({ entrypoint: value = '', found }) => ({ value, label: `${value}  (${found})` })),
    '--entrypoint',
  );
  return agents.find((each) => each.entrypoint === value) ?? first;
}

function nothingFound(project: LocalProject): CliRefusal {
  const hint =
    crewInJson(project) ??
    `Looked for: ${searched_forms}. Run this in the project, or name a new one: svc init greeter. When a function makes the agent, write \`entrypoint: <path>.py:<function>\` into agent.yaml.`;
  return new CliRefusal('no_agent_found', 'No agent was found in this folder', { hint });
}

function withEntrypoint(yaml: string, { entrypoint }: FoundAgent): string {
  const document = parseDocument(yaml);
  if (document.errors.length > 0 || document.has('entrypoint') || entrypoint === undefined)
    throw new CliRefusal('exists', 'agent.yaml already exists', { hint: 'Run `svc validate` to check it.' });
  document.set('entrypoint', entrypoint);
  return document.toString({ lineWidth: 0 });
}

async function newFile(
  session: Session,
  project: LocalProject,
  { agent, variables }: { agent: FoundAgent; variables: readonly string[] },
): Promise<string> {
  const proposed = proposeConfig(project, { folder: path.basename(project.directory), agent });
  const text = printProposal(proposed, { team: await teamForProject(session), server: session.server });
  return text + comment(openVariables(variables, proposed));
}

/** `.env` is never sent, so the file lists the missing values. */
function comment(variables: readonly string[]): string {
  if (variables.length === 0) return '';
  const lines = [
    'The project lists these variables; .env is not sent. Set those that the agent needs, tokens and keys with',
    '`svc secret set <name>` and as names in a list `secrets` instead:',
    'deploy:',
    '  env_vars:',
    ...variables.map((name) => `    ${name}: ""`),
  ];
  return lines.map((line) => `# ${line}\n`).join('');
}
