import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, type Database } from '../server/src/ground/database/database.ts';

/** A connection beside the service to its embedded database, for facts that no endpoint shows. It is open as long as the service's. */
export async function databaseOf(
  { data_dir }: { data_dir: string },
  { database = 'gantry', max = 2 }: { database?: string; max?: number } = {},
): Promise<Database> {
  const cluster = join(data_dir, 'postgresql');
  const password = (await readFile(join(cluster, 'password'), 'utf8')).trim();
  return openDatabase({ host: join(cluster, 'socket'), port: 5432, user: 'gantry', password, database }, { max });
}
