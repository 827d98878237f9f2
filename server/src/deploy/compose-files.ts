// A local deploy leaves a compose file of what serves. It holds no secret: run by hand it gives a container without key or route.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeployParts } from './parts.ts';

type Parts = Pick<DeployParts, 'compose_directory'>;

export async function writeComposeFile(parts: Parts, agent: string, content: string): Promise<void> {
  await mkdir(parts.compose_directory, { recursive: true, mode: 0o700 });
  const file = composeFile(parts, agent);
  await writeFile(`${file}.new`, content, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export async function removeComposeFile(parts: Parts, agent: string): Promise<void> {
  await rm(composeFile(parts, agent), { force: true });
}

function composeFile({ compose_directory }: Parts, agent: string): string {
  return join(compose_directory, `${agent}.compose.yaml`);
}
