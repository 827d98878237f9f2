// The measured installation: a real one (e2e/installation.ts), with additional access for the measurements.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client } from '../../contract/src/client/client.ts';
import { install, type OwnInstallation } from '../../e2e/installation.ts';
import { openDatabase } from '../../server/src/ground/database/database.ts';
import { connectEngine, type Engine } from '../../server/src/assets/docker/client.ts';
import { installationId } from '../../server/src/people/principals/find.ts';
import { removeLeftovers } from '../../server/src/testing/engine-leftovers.ts';

export interface Measured {
  installation: OwnInstallation;
  client: Client;
  token: string;
  /** The engine, limited to this installation. */
  engine: Engine;
  /** Removes everything again, from the engine too. */
  close(): Promise<void>;
}

export async function openMeasured(settings: Record<string, string> = {}): Promise<Measured> {
  const installation = await install({ LOG_LEVEL: 'warn', ...settings });
  const token = await installation.token();
  const engine = connectEngine({ installation_id: await idOf(installation) });
  return {
    installation,
    client: createClient({ base_url: installation.url, token: () => token }),
    token,
    engine,
    close: async () => {
      await installation.stop();
      await removeLeftovers(engine);
      const filters = { label: [`gantry.installation=${engine.installation_id}`] };
      for (const { Id } of await engine.docker.listImages({ filters }))
        await engine.docker.getImage(Id).remove({ force: true });
    },
  };
}

// The database is queried at its socket, because no endpoint of the service has these figures.
async function idOf({ data_dir }: OwnInstallation): Promise<string> {
  const cluster = join(data_dir, 'postgresql');
  const password = (await readFile(join(cluster, 'password'), 'utf8')).trim();
  const db = openDatabase({ host: join(cluster, 'socket'), port: 5432, user: 'gantry', password, database: 'gantry' });
  try {
    return await installationId(db);
  } finally {
    await db.close();
  }
}
