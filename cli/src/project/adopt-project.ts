// `svc init` in an existing project: finds the agent, and writes agent.yaml and no other file. In an existing agent.yaml it only adds
// `entrypoint`.
import { isModelAccessName } from '@gantry/contract/agent-yaml/environment-names.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { seenDestinations } from '@gantry/contract/agent-project/destinations.ts';
import { schemaLine } from '@gantry/contract/copy-example.ts';
import { readDependencies } from '@gantry/contract/dependencies/read-dependencies.ts';
import { findAgents, graphsBesideAgent, type FoundAgent } from '@gantry/contract/find-agents.ts';
import { findLanggraphJson } from '@gantry/contract/langgraph-json.ts';
import { versionPattern } from '@gantry/contract/refs.ts';
import { misuse, CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { compareDeclared } from './compare-declared.ts';
import { environmentNames } from './environment-files.ts';
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
  for (const notice of compareDeclared(project, agent)) session.output.notice(notice);
  const variables = environmentNames(project.directory);
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
  const json = project.list().find(({ path: file }) => /^crew\.jsonc?$/.test(file))?.path;
  const hint =
    json === undefined
      ? 'Looked for: langgraph.json, a compiled graph, a Crew, a @CrewBase class. Run this in the project, or name a new one: svc init greeter. When a function makes the agent, write `entrypoint: <path>.py:<function>` into agent.yaml.'
      : `This crew is in JSON. Add an agent.py with: from crewai.project import load_crew; crew, _ = load_crew("${json}")`;
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
  const env = findLanggraphJson(project)?.config?.env;
  const env_vars = Object.fromEntries(
    Object.entries(typeof env === 'object' ? env : {}).filter(([name]) => !isModelAccessName(name)),
  );
  const egress = seenDestinations(project).flatMap(({ destination }) => destination ?? []);
  const deploy = {
    ...(Object.keys(env_vars).length === 0 ? {} : { env_vars }),
    ...(egress.length === 0 ? {} : { egress }),
  };
  const [declared] = readDependencies(project).projects;
  const config = {
    name: nameOf(declared?.name ?? path.basename(project.directory)),
    version: declared !== undefined && versionPattern.test(declared.version) ? declared.version : '1.0.0',
    team: await teamForProject(session),
    framework: agent.framework,
    ...(agent.entrypoint === undefined ? {} : { entrypoint: agent.entrypoint }),
    ...(Object.keys(deploy).length === 0 ? {} : { deploy }),
  };
  // The container gets the keys and the addresses of model providers from the service.
  const open = variables.filter((name) => !Object.hasOwn(env_vars, name) && !isModelAccessName(name));
  return schemaLine(session.server) + stringify(config, { lineWidth: 0 }) + comment(open);
}

/** `.env` is never sent, so the file lists the missing values. */
function comment(variables: readonly string[]): string {
  if (variables.length === 0) return '';
  const lines = [
    'The project lists these variables; .env is not sent. Set those that the agent needs, tokens and keys with',
    '`svc secret set <NAME> --agent <name>` and as names in a list `secrets` instead:',
    'deploy:',
    '  env_vars:',
    ...variables.map((name) => `    ${name}: ""`),
  ];
  return lines.map((line) => `# ${line}\n`).join('');
}

/** `Open_Deep Research` → `open-deep-research`. */
function nameOf(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 63)
    .replace(/-$/, '');
  return name === '' ? 'agent' : name;
}
