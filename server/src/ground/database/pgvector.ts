// The extension pgvector, where the database has it. Nothing of the schema depends on it, so it can come and go at any time: each use asks first.
import type { Reader, Tx } from './database.ts';
import { sql } from './sql.ts';

/** Run by the owner. One that may not create extensions, and a broken one, change nothing; `svc doctor` says so. */
export async function createPgvector(tx: Tx): Promise<void> {
  await tx.run({ strings: [create], values: [] });
}

const create = `
  do $$ begin
    if exists (select from pg_available_extensions where name = 'vector' and installed_version is null) then
      create extension vector;
    end if;
  exception when others then raise warning 'pgvector was not created: %', sqlerrm;
  end $$`;

/** Statements of this connection can use its type and its operators. */
export async function hasPgvector(db: Reader): Promise<boolean> {
  return (
    (await db.one<Pick<Pgvector, 'is_usable'>>(sql`select ${usable} as is_usable ${extension}`))?.is_usable === true
  );
}

export interface Pgvector {
  /** Of the server's files. */
  is_available: boolean;
  /** Of the extension in this database. */
  version: string | null;
  is_usable: boolean;
}

const usable = sql`coalesce(pg_type_is_visible(t.oid) and has_schema_privilege(t.typnamespace, 'usage'), false)`;
const extension = sql`from (values (1)) as always left join pg_extension e on e.extname = 'vector'
  left join pg_type t on t.typnamespace = e.extnamespace and t.typname = 'vector'`;

/** Reads the files of the server's extensions, so no search asks for it. */
export async function pgvector(db: Reader): Promise<Pgvector> {
  const row = await db.one<Pgvector>(sql`
    select exists (select from pg_available_extensions where name = 'vector') as is_available, e.extversion as version, ${usable} as is_usable
    ${extension}`);
  return row ?? { is_available: false, version: null, is_usable: false };
}
