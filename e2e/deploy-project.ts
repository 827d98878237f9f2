import { appendFile, cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callAgent, type Agent } from './call-agent.ts';
import type { Installation } from './installation.ts';
import type { OutsideServer } from './outside-server.ts';

export interface DeployedProject {
  agent: Agent;
  /** The output of the deploy. */
  printed: string;
}

/** Copies a folder of projects/, lets `svc init` write agent.yaml, and deploys it. */
export async function deployProject(
  gantry: Installation,
  o: { project: string; folder: string; init?: string; variables?: Record<string, string> },
): Promise<DeployedProject> {
  const { project, folder, init = '', variables = {} } = o;
  await cp(join(import.meta.dirname, 'projects', project), join(gantry.directory, folder), { recursive: true });
  await gantry.must(`svc init --team ml ${init}`, { in: folder });
  const yaml = join(gantry.directory, folder, 'agent.yaml');
  const [, name = ''] = /^name: (.*)$/m.exec(await readFile(yaml, 'utf8')) ?? [];
  const lines = Object.entries(variables).map(([variable, value]) => `    ${variable}: ${value}\n`);
  if (lines.length > 0) await appendFile(yaml, `deploy:\n  env_vars:\n${lines.join('')}`);
  const { output } = await gantry.must('svc deploy', { in: folder });
  return { agent: callAgent(`${gantry.url}/agents/${name}`, await gantry.token()), printed: output };
}

/** The variables of a project that calls this model. */
export function variablesFor(model: OutsideServer): Record<string, string> {
  return { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'unused' };
}
