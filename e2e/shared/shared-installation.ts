// The installation that the files of this folder share. Two files run at once. So a file has a team of its own; it names no user, agent,
// orchestration or model that another file names; it changes no setting of the organisation; and it stops neither service nor engine.
// A crew is deployed in crewai.test.ts, because each team makes the dependency image of crewai anew, and it is the largest.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { installationAt, type Installation } from '../installation.ts';
import { offeredStage } from '../offered-stage.ts';
import type { Shared } from './global-setup.ts';

export type SharedInstallation = Installation & Pick<Shared, 'model_url' | 'mcp_port'>;

/** Creates the team. The projects of the file are in a folder of its name. */
export async function sharedInstallation(team: string): Promise<SharedInstallation> {
  const { opened, model_url, mcp_port } = await offeredStage<Shared>(inject('shared_url'));
  const directory = join(opened.root, team);
  await mkdir(directory);
  const gantry = installationAt(opened, { directory, team });
  await gantry.must(`svc team create ${team}`);
  return { ...gantry, model_url, mcp_port };
}
