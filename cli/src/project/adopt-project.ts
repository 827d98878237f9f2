// `svc init` in an existing project: finds the agent, and writes agent.yaml and no other file. In an existing agent.yaml it only adds
// `entrypoint`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { openVariables, printProposal, proposeConfig } from '@gantry/project/adoption/propose-config.ts';
import type { FoundAgent } from '@gantry/project/entrypoint/find-agents.ts';
import { frameworkNames } from '@gantry/project/frameworks.ts';
import { CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { chooseAgent, type AgentWish, type ChosenAgent } from './choose-agent.ts';
import { readEnvironmentNames } from './environment-files.ts';
import { readProject, type LocalProject } from './read-project.ts';
import { teamForProject } from './team-for-project.ts';

export interface Adopted extends ChosenAgent {
  /** The whole new agent.yaml. */
  text: string;
  /** Names from the project's files that agent.yaml does not set. */
  variables: string[];
}

export async function adoptProject(session: Session, wish: AgentWish): Promise<Adopted> {
  const project = readProject();
  const file = path.join(project.directory, 'agent.yaml');
  const document = existsSync(file) ? parseDocument(readFileSync(file, 'utf8')) : undefined;
  if (document !== undefined) refuseComplete(document, wish);
  const written = frameworkNames.find((each) => each === document?.get('framework'));
  const { agent, others } = await chooseAgent(session, project, { ...wish, framework: wish.framework ?? written });
  const variables = readEnvironmentNames(project.directory);
  const text =
    document === undefined ? await newFile(session, project, { agent, variables }) : withEntrypoint(document, agent);
  writeFileSync(file, text);
  return { agent, others, text, variables };
}

type Yaml = ReturnType<typeof parseDocument>;

/** Only --entrypoint replaces the agent that a person has written. */
function refuseComplete(document: Yaml, { entrypoint }: AgentWish): void {
  if (document.errors.length > 0) throw exists('Run `svc validate` to see its faults.');
  const written: unknown = document.get('entrypoint');
  if (written !== undefined && entrypoint === undefined)
    throw exists(
      `It names ${typeof written === 'string' ? written.slice(0, 300) : 'an agent'}. For another agent: svc init --entrypoint <path>.py:<name>`,
    );
}

function withEntrypoint(document: Yaml, { entrypoint }: FoundAgent): string {
  if (entrypoint === undefined) throw exists('It takes the agent from agent.py. Run `svc validate` to check it.');
  document.set('entrypoint', entrypoint);
  return document.toString({ lineWidth: 0 });
}

const exists = (hint: string): CliRefusal => new CliRefusal('exists', 'agent.yaml already exists', { hint });

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
    '`svc secret set <NAME> --agent <name>` and as names in a list `secrets` instead:',
    'deploy:',
    '  env_vars:',
    ...variables.map((name) => `    ${name}: ""`),
  ];
  return lines.map((line) => `# ${line}\n`).join('');
}
