// Numbered migrations, each applied once, in order, under a lock: replicas that start together apply them one after the other. Where the
// service has a separate role, its rights are set again afterwards, so new tables are covered too.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { grantToApp } from './app-role.ts';
import type { Database } from './database.ts';
import { sql, type Sql } from './sql.ts';

const folder = join(import.meta.dirname, '../../migrations');
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
    const applied = new Map(
      (await tx.all<{ name: string; sha256: string }>(sql`select name, sha256 from migration`)).map((row) => [
        row.name,
        row.sha256,
      ]),
    );
    const unknown = [...applied.keys()].filter((name) => !migrations.some((migration) => migration.name === name));
    if (unknown.length > 0)
      throw new Error(`The database is of a newer version: it has ${unknown.join(', ')}, unknown to this program.`);
    const added: string[] = [];
    for (const { name, text, sha256 } of migrations) {
      const before = applied.get(name);
      if (before !== undefined && before !== sha256)
        throw new Error(`Migration ${name} was changed after it was applied. Add a new one instead.`);
      if (before !== undefined) continue;
      await tx.run(asWritten(text));
      await tx.run(sql`insert into migration (name, sha256) values (${name}, ${sha256})`);
      added.push(name);
    }
    if (grant) await grantToApp(tx);
    return added;
  });
}

async function readMigrations() {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

// A file of this repository, without values: the one place where text becomes a statement unchanged.
function asWritten(text: string): Sql {
  return { strings: [text], values: [] };
}
