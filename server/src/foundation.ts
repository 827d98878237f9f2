// The parts that every role needs: the data directory's lock, the secret, the migrated database, and the stored keys.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigFault, isSecretKey, type Config } from './ground/config/config.ts';
import { DataDirectoryInUse, lockDataDirectory, type Lock } from './ground/data-directory.ts';
import { app_role, powers, roleOf } from './ground/database/app-role.ts';
import { openDatabase, type Connection, type Database } from './ground/database/database.ts';
import { runningEmbedded, startEmbedded, type Embedded } from './ground/database/embedded.ts';
import { migrate, missingMigrations } from './ground/database/migrate.ts';
import { openEnvelope, type Envelope } from './ground/envelope/envelope.ts';
import { openStoredKeys, type StoredKeys } from './ground/envelope/stored-keys.ts';
import { passwords, type Passwords } from './people/login/password.ts';
import { freeBytes } from './service/free-bytes.ts';

export interface Foundation {
  db: Database;
  secret_key: string;
  envelope: Envelope;
  /** The HMAC key for stored gateway keys. */
  keys: StoredKeys;
  passwords: Passwords;
  /** The lock on the data directory, with any database: servers that share a DATABASE_URL have one directory each. */
  lock: Lock;
  /** The free space of the disk with the embedded database; undefined for a database elsewhere. */
  freeBytes: (() => Promise<number>) | undefined;
  /** Rejects when the embedded database ends by itself. */
  failed: Promise<never>;
  close(): Promise<void>;
}

/** Resolves when the database has every migration. `missing` names those that it lacks now. */
export type AwaitSchema = (lock: Lock, missing: () => Promise<string[]>) => Promise<void>;

/** Without `awaitSchema` a database that only its owner can migrate is refused. */
export async function openFoundation(
  config: Config,
  onError: (error: Error) => void = () => {},
  awaitSchema?: AwaitSchema,
): Promise<Foundation> {
  const lock = await lockDataDirectory(config.data_dir);
  let embedded: Embedded | undefined;
  try {
    const secret_key = config.secret_key ?? (await ownSecretKey(config.data_dir));
    embedded = config.database_url === undefined ? await startEmbedded(config.data_dir) : undefined;
    const connections = connectionsOf(config, embedded);
    const wait = async (missing: () => Promise<string[]>) =>
      await (awaitSchema === undefined ? refuseOlder(missing) : awaitSchema(lock, missing));
    const db = await openMigrated(connections, onError, wait);
    const keys = await openStoredKeys(db, { secret_key, previous_secret_key: config.previous_secret_key });
    const close = async () => {
      await db.close();
      await embedded?.stop();
      lock.release();
    };
    return {
      db,
      secret_key,
      envelope: openEnvelope(keys.envelope),
      keys,
      passwords: passwords(keys.password),
      lock,
      freeBytes: embedded && (async () => await freeBytes(config.data_dir)),
      failed: embedded?.ended ?? new Promise<never>(() => {}),
      close,
    };
  } catch (error) {
    await embedded?.stop();
    lock.release();
    throw error;
  }
}

export interface Owned {
  db: Database;
  close(): Promise<void>;
}

/** The database as its owner, for changes that the service itself must not make. The service may run at the same time. */
export async function openAsOwner(config: Config): Promise<Owned> {
  if (config.database_url !== undefined) {
    const db = openDatabase({ connectionString: config.migration_database_url ?? config.database_url }, { max: 2 });
    return { db, close: async () => await db.close() };
  }
  let lock: Lock;
  try {
    lock = await lockDataDirectory(config.data_dir);
  } catch (error) {
    if (!(error instanceof DataDirectoryInUse)) throw error;
    const db = openDatabase(await runningEmbedded(config.data_dir), { max: 2 });
    return { db, close: async () => await db.close() };
  }
  try {
    const embedded = await startEmbedded(config.data_dir);
    const db = openDatabase(embedded.connection, { max: 2 });
    const close = async () => {
      await db.close();
      await embedded.stop();
      lock.release();
    };
    await migrate(db, { grant: true });
    return { db, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Runs the migrations as the database's owner, and returns their names. The services that wait for them go on by themselves. */
export async function migrateOnce(config: Config): Promise<string[]> {
  if (config.database_url === undefined) {
    const lock = await lockDataDirectory(config.data_dir);
    try {
      const embedded = await startEmbedded(config.data_dir);
      try {
        return await migrated(embedded.connection, true);
      } finally {
        await embedded.stop();
      }
    } finally {
      lock.release();
    }
  }
  if (config.migration_database_url !== undefined)
    return await migrated({ connectionString: config.migration_database_url }, true);
  const own: Connection = { connectionString: config.database_url };
  if (await connectsAsApp(own))
    throw new ConfigFault(
      `DATABASE_URL connects as ${app_role}, which cannot migrate. Set MIGRATION_DATABASE_URL to the address with the owner.`,
    );
  return await migrated(own, false);
}

async function migrated(
  connection: Connection,
  grant: boolean,
  onError: (error: Error) => void = () => {},
): Promise<string[]> {
  const db = openDatabase(connection, { max: 1, onError });
  try {
    return await migrate(db, { grant });
  } finally {
    await db.close();
  }
}

// More than PostgreSQL's own limit for a statement of the service: only a lost network is slower.
const answer_ms = 70_000;

interface Connections {
  /** Absent if the service connects as the owner. */
  owner: Connection | undefined;
  service: Connection;
}

function connectionsOf({ database_url, migration_database_url }: Config, embedded: Embedded | undefined): Connections {
  if (embedded !== undefined) return { owner: embedded.connection, service: embedded.app };
  const owner = migration_database_url === undefined ? undefined : { connectionString: migration_database_url };
  return { owner, service: { connectionString: database_url } };
}

// The owner's connection closes after the migrations. With a separate owner, the service's role must own nothing.
async function openMigrated(
  { owner, service }: Connections,
  onError: (error: Error) => void,
  wait: (missing: () => Promise<string[]>) => Promise<void>,
): Promise<Database> {
  const separate = owner !== undefined || (await connectsAsApp(service, onError));
  if (owner !== undefined || !separate) await migrated(owner ?? service, separate, onError);
  const db = openDatabase(service, { onError, answer_ms });
  try {
    if (owner === undefined && separate) await wait(async () => await missingMigrations(db));
    if (separate) await refuseExcess(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The name of the role says it: the owner has another one. */
async function connectsAsApp(service: Connection, onError: (error: Error) => void = () => {}): Promise<boolean> {
  const db = openDatabase(service, { max: 1, onError });
  try {
    return (await roleOf(db)) === app_role;
  } finally {
    await db.close();
  }
}

async function refuseOlder(missing: () => Promise<string[]>): Promise<void> {
  const names = await missing();
  if (names.length > 0) throw new ConfigFault(olderSchema(names));
}

/** For the log, and for the answer of /readyz. */
export function olderSchema(missing: readonly string[]): string {
  const lacks = missing.length === 1 ? 'a migration' : `${missing.length} migrations`;
  return `The database lacks ${lacks} of this version. Run once, with MIGRATION_DATABASE_URL: node server/start.js migrate`;
}

async function refuseExcess(db: Database): Promise<void> {
  const { role, excess } = await powers(db);
  if (role !== app_role)
    throw new ConfigFault(
      `With MIGRATION_DATABASE_URL, DATABASE_URL must connect as ${app_role}; it connects as ${role}.`,
    );
  if (excess.length > 0)
    throw new ConfigFault(`The service must not own its database: its role ${role} ${excess.join(', ')}.`);
}

// With the embedded database the secret is as safe as the data beside it: created once, 0600. An empty or truncated file is refused:
// everybody could derive the keys of an empty secret.
async function ownSecretKey(data_dir: string): Promise<string> {
  const file = join(data_dir, 'secret-key');
  if (!existsSync(file)) {
    await writeFile(`${file}.new`, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
  await chmod(file, 0o600);
  const secret_key = (await readFile(file, 'utf8')).trim();
  if (!isSecretKey(secret_key))
    throw new ConfigFault(`${file} contains no secret of 256 bits. Restore its content, or set SECRET_KEY to it.`);
  return secret_key;
}
