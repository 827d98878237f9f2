// Numbered migrations, each applied once, in order, under a lock: replicas that start together apply them one after the other. Where the
// service has a separate role, its rights are set again afterwards, so new tables are covered too.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { grantToApp } from './app-role.ts';
import type { Database, Reader } from './database.ts';
import { createPgvector } from './pgvector.ts';
import { sql, type Sql } from './sql.ts';
import { places } from '../places-of-files.ts';

// Any fixed number, the same in every server.
const migration_lock = 7_305_511;

/** With `grant` the owner runs it, for a service with the role of app-role.ts. Without it the service's own role runs it. */
export async function migrate(db: Database, { grant }: { grant: boolean }): Promise<string[]> {
  const migrations = await readMigrations();
  return await db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(${migration_lock}::bigint)`);
    await tx.run(
      sql`create table if not exists migration (name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
    );
    const missing = notApplied(migrations, await appliedMigrations(tx));
    for (const { name, text, sha256 } of missing) {
      await tx.run(asWritten(text));
      await tx.run(sql`insert into migration (name, sha256) values (${name}, ${sha256})`);
    }
    await createPgvector(tx);
    if (grant) await grantToApp(tx);
    return missing.map(({ name }) => name);
  });
}

/** The migrations that the database lacks, for a role that may only read. The rights of the role come with the last of them. */
export async function missingMigrations(db: Reader): Promise<string[]> {
  const migrations = await readMigrations();
  const readable = await db.one<{ readable: boolean }>(
    sql`select case when to_regclass('public.migration') is null then false
      else has_table_privilege(to_regclass('public.migration'), 'select') end as readable`,
  );
  const applied = readable?.readable === true ? await appliedMigrations(db) : [];
  return notApplied(migrations, applied).map(({ name }) => name);
}

async function appliedMigrations(db: Reader): Promise<Pick<Migration, 'name' | 'sha256'>[]> {
  return await db.all(sql`select name, sha256 from migration`);
}

function notApplied(migrations: Migration[], applied: Pick<Migration, 'name' | 'sha256'>[]): Migration[] {
  const unknown = applied.filter(({ name }) => !migrations.some((migration) => migration.name === name));
  if (unknown.length > 0)
    throw new Error(
      `The database is of a newer version: it has ${unknown.map(({ name }) => name).join(', ')}, unknown to this program.`,
    );
  const digests = new Map(applied.map(({ name, sha256 }) => [name, sha256]));
  return migrations.filter(({ name, sha256 }) => {
    const before = digests.get(name);
    if (before !== undefined && before !== sha256)
      throw new Error(`Migration ${name} was changed after it was applied. Add a new one instead.`);
    return before === undefined;
  });
}

interface Migration {
  name: string;
  text: string;
  sha256: string;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(places.migrations)).filter((name) => name.endsWith('.sql')).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(places.migrations, name), 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

// A file of this repository, without values: the one place where text becomes a statement unchanged.
function asWritten(text: string): Sql {
  return { strings: [text], values: [] };
}
