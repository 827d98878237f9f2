// The installation that the files of this folder share. Two files run at once. So a file names no user, agent, orchestration or model that
// another file names; it changes no setting of the organisation; and it stops neither service nor engine. It has a team of its own when its
// tests need one; else it takes one of teams.ts, which has its dependency image. A crew is deployed in crewai.test.ts: its image is the largest.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inject } from 'vitest';
import { installationAt, type Installation } from '../installation.ts';
import { offeredStage } from '../offered-stage.ts';
import type { Shared } from './global-setup.ts';
import type { teams } from './teams.ts';

export type SharedInstallation = Installation & Pick<Shared, 'model_url' | 'mcp_port' | 'second_mcp_port'>;

/** The projects of the file are in this folder. Without a shared team it creates one of the folder's name. */
export async function sharedInstallation(
  folder: string,
  shared_team?: (typeof teams)[keyof typeof teams],
): Promise<SharedInstallation> {
  const { opened, authority, ...more } = await offeredStage<Shared>(inject('shared_url'));
  if (authority !== undefined) setDefaultCACertificates([...getCACertificates(), authority]);
  const directory = join(opened.root, folder);
  await mkdir(directory);
  const gantry = installationAt(opened, { directory, team: shared_team ?? folder });
  if (shared_team === undefined) await gantry.must(`svc team create ${folder}`);
  return { ...gantry, ...more };
}
