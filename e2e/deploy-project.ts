import { appendFile, cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import { callAgent, type Agent } from './call-agent.ts';
import type { Installation } from './installation.ts';
import type { OutsideServer } from './outside-server.ts';

export interface DeployedProject {
  agent: Agent;
  /** The output of the deploy. */
  printed: string;
}

/** Copies a folder of projects/, lets `svc init` write agent.yaml, adds `yaml` to it, and deploys it. */
export async function deployProject(
  gantry: Installation,
  o: { project: string; folder: string; init?: string; yaml?: string; timeout_ms?: number },
): Promise<DeployedProject> {
  const { project, folder, init = '', yaml: more = '', timeout_ms } = o;
  await cp(join(import.meta.dirname, 'projects', project), join(gantry.directory, folder), { recursive: true });
  await gantry.must(`svc init --team ${gantry.team} ${init}`, { in: folder });
  const yaml = join(gantry.directory, folder, 'agent.yaml');
  const [, name = ''] = /^name: (.*)$/m.exec(await readFile(yaml, 'utf8')) ?? [];
  await appendFile(yaml, more);
  const { output } = await gantry.must('svc deploy', { in: folder, ...(timeout_ms !== undefined && { timeout_ms }) });
  return { agent: callAgent(`${gantry.url}/agents/${name}`, await gantry.token()), printed: output };
}

/** The model that the projects call, in the catalogue of the installation's team. Returns the admin's client. */
export async function addModel(gantry: Installation, model: OutsideServer): Promise<Client> {
  const token = await gantry.token();
  const admin = createClient({ base_url: gantry.url, token: () => token });
  const config = { provider: 'openai', model: 'gpt-4o-mini', base_url: `${model.url}/v1` };
  const body = { name: 'gpt-4o-mini', team: gantry.team, config };
  await admin.call('registry.create', { params: { kind: 'model' }, body });
  return admin;
}
