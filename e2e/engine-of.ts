import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '../server/src/ground/database/sql.ts';
import { memoryDirectory } from '../server/src/agents/deploy/targets/docker/secret-directory.ts';
import { connectEngine, type Engine } from '../server/src/assets/docker/client.ts';
import { ownedBy } from '../server/src/assets/docker/labels.ts';
import { databaseOf } from './database-of.ts';

export interface Seen {
  engine: Engine;
  /** Names of an installation's containers, running or not. */
  containers(purpose: Purpose): Promise<string[]>;
  running(purpose: Purpose): Promise<string[]>;
  /** Names of the directories with secrets in memory. */
  secrets(): Promise<string[]>;
  secrets_directory: string;
}

type Purpose = 'agent' | 'sandbox' | 'mcp-server';

/** The containers and files of an installation, read past the service. */
export async function engineOf(installation: { data_dir: string }): Promise<Seen> {
  const db = await databaseOf(installation);
  const row = await db.one<{ id: string }>(sql`select id from org`);
  await db.close();
  if (row === undefined) throw new Error('the installation has no organisation');
  const engine = connectEngine({ installation_id: row.id });
  const secrets_directory = join((await memoryDirectory()) ?? '', `gantry-${row.id}`);
  const list = async (purpose: Purpose, all: boolean) => {
    const found = await engine.docker.listContainers({ all, filters: ownedBy(engine, purpose) });
    return found.flatMap(({ Names }) => Names.map((name) => name.slice(1)));
  };
  return {
    engine,
    containers: async (purpose) => await list(purpose, true),
    running: async (purpose) => await list(purpose, false),
    secrets: async () =>
      await readdir(secrets_directory).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      }),
    secrets_directory,
  };
}
