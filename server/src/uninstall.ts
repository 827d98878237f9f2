// Removes an installation from the container engine: agents, builds, networks, caches, images, and the secrets in memory. The data stay;
// the caller removes or keeps them.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigFault, type Config } from './ground/config/config.ts';
import { secretsDirectory } from './containers.ts';
import { connectEngine } from './assets/docker/client.ts';
import { removeInstallation, type Removed } from './assets/workshop/remove-installation.ts';
import { openAsOwner } from './foundation.ts';
import { installationId } from './people/principals/find.ts';

export async function uninstall(config: Config, tell: (progress: string) => void): Promise<Removed> {
  // To open the database would create one.
  if (config.database_url === undefined && !existsSync(join(config.data_dir, 'postgresql', 'data')))
    throw new ConfigFault(`No installation has its data in ${config.data_dir}.`);
  const owned = await openAsOwner(config);
  let id: string;
  try {
    id = await installationId(owned.db);
  } finally {
    await owned.close();
  }
  const engine = connectEngine({ docker_host: config.engine_host, installation_id: id });
  const removed = await removeInstallation(engine, tell);
  await rm(await secretsDirectory(id), { recursive: true, force: true });
  await rm(join(config.data_dir, 'agents'), { recursive: true, force: true });
  return removed;
}
