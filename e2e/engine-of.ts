import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '../server/src/database/sql.ts';
import { memoryDirectory } from '../server/src/deploy/targets/secret-directory.ts';
import { connectEngine, type Engine } from '../server/src/engine/client.ts';
import { ownedBy } from '../server/src/engine/labels.ts';
import { databaseOf } from './database-of.ts';
import type { Installation } from './installation.ts';

export interface Seen {
  engine: Engine;
  /** Names of an installation's containers, running or not. */
  containers(purpose: 'agent' | 'sandbox'): Promise<string[]>;
  /** Names of the directories with secrets that lie in memory. */
  secrets(): Promise<string[]>;
}

/** What the engine and the machine hold of an installation, seen past the service. */
export async function engineOf(installation: Installation): Promise<Seen> {
  const db = await databaseOf(installation);
  const row = await db.one<{ id: string }>(sql`select id from org`);
  await db.close();
  if (row === undefined) throw new Error('the installation has no organisation');
  const engine = connectEngine({ installation_id: row.id });
  return {
    engine,
    containers: async (purpose) => {
      const found = await engine.docker.listContainers({ all: true, filters: ownedBy(engine, purpose) });
      return found.flatMap(({ Names }) => Names.map((name) => name.slice(1)));
    },
    secrets: async () => {
      const directory = join((await memoryDirectory()) ?? '', `gantry-${row.id}`);
      return await readdir(directory).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
    },
  };
}
