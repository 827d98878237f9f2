// The parts that every role needs: the data directory's lock, the secret, the migrated database, and the stored keys.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigFault, isSecretKey, type Config } from './config.ts';
import { DataDirectoryInUse, lockDataDirectory, type Lock } from './data-directory.ts';
import { app_role, powers } from './database/app-role.ts';
import { openDatabase, type Connection, type Database } from './database/database.ts';
import { runningEmbedded, startEmbedded, type Embedded } from './database/embedded.ts';
import { migrate } from './database/migrate.ts';
import { openEnvelope, type Envelope } from './envelope/envelope.ts';
import { openStoredKeys, type StoredKeys } from './envelope/stored-keys.ts';
import { passwords, type Passwords } from './login/password.ts';
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
  /** Of the disk with the embedded database; undefined for a database elsewhere. */
  freeBytes: (() => Promise<number>) | undefined;
  /** Rejects when the embedded database ends by itself. */
  failed: Promise<never>;
  close(): Promise<void>;
}

export async function openFoundation(config: Config, onError: (error: Error) => void = () => {}): Promise<Foundation> {
  const lock = await lockDataDirectory(config.data_dir);
  let embedded: Embedded | undefined;
  try {
    const secret_key = config.secret_key ?? (await ownSecretKey(config.data_dir));
    embedded = config.database_url === undefined ? await startEmbedded(config.data_dir) : undefined;
    const connections = connectionsOf(config, embedded);
    const db = await openMigrated(connections, onError);
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
async function openMigrated({ owner, service }: Connections, onError: (error: Error) => void): Promise<Database> {
  const migrating = openDatabase(owner ?? service, { max: 1, onError });
  try {
    await migrate(migrating, { grant: owner !== undefined });
  } finally {
    await migrating.close();
  }
  const db = openDatabase(service, { onError, answer_ms });
  try {
    if (owner !== undefined) await refuseExcess(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
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
