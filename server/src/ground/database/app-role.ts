// The role that the service connects as. It owns nothing. It reads and writes rows and appends to the audit log. It can change neither
// the log nor a table, a trigger or a function. PostgreSQL itself enforces this for every statement of the service.
import pg from 'pg';
import { ConfigFault } from '../config/config.ts';
import type { Reader, Tx } from './database.ts';
import { sql } from './sql.ts';

export const app_role = 'svc_app';

/** Creates the role if it is missing, and sets its password, without other powers. Needs a role that may alter roles. */
export async function setAppPassword(tx: Tx, password: string): Promise<void> {
  if (!(await isThere(tx))) await tx.run({ strings: [`create role ${app_role}`], values: [] });
  // PostgreSQL accepts no parameter here.
  const statement = `alter role ${app_role} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
    password ${pg.escapeLiteral(password)}`;
  await tx.run({ strings: [statement], values: [] });
}

/** Grants the role the needed rights on every present object, and revokes all others. Run by the owner. */
export async function grantToApp(tx: Tx): Promise<void> {
  if (!(await isThere(tx)))
    throw new ConfigFault(
      `MIGRATION_DATABASE_URL is set, but the service's role ${app_role} is missing. ` +
        `Create it once: create role ${app_role} login password '…'`,
    );
  await tx.run({ strings: [grants], values: [] });
}

// By default everybody may create temporary tables, call every function and, before PostgreSQL 15, create tables in `public`.
const grants = `
  do $$ begin
    execute format('revoke temporary on database %I from public, ${app_role}', current_database());
    execute format('grant connect on database %I to ${app_role}', current_database());
  end $$;
  revoke create on schema public from public;
  revoke all on schema public, audit from ${app_role};
  revoke all on all tables in schema public, audit from ${app_role};
  revoke all on all sequences in schema public, audit from ${app_role};
  revoke all on all routines in schema audit from public, ${app_role};

  grant usage on schema public, audit to ${app_role};
  grant select, insert, update, delete on all tables in schema public to ${app_role};
  revoke insert, update, delete on migration from ${app_role};
  grant usage, select on all sequences in schema public to ${app_role};
  grant execute on all functions in schema public to ${app_role};
  grant select on all tables in schema audit to ${app_role};
  grant execute on function audit.append(text, text, text[]) to ${app_role};
  grant execute on function audit.add_checkpoint(text, bigint, text, text[], bigint) to ${app_role};`;

/** The role of this connection; it needs no right. */
export async function roleOf(db: Reader): Promise<string | undefined> {
  return (await db.one<{ role: string }>(sql`select current_user as role`))?.role;
}

export interface Powers {
  role: string;
  /** The unneeded powers of the role, each as the end of a sentence about it. Empty for the service's own role. */
  excess: string[];
}

/** The powers of this connection's role. */
export async function powers(db: Reader): Promise<Powers> {
  const row = await db.one<Powers>(sql`
    select current_user as role, array(
      select what from pg_roles as r, lateral (values
        (r.rolsuper, 'is a superuser'),
        (r.rolcreaterole, 'may alter roles'),
        (exists (select from pg_class where relnamespace in ('public'::regnamespace, 'audit'::regnamespace)
           and pg_has_role(relowner, 'member')), 'owns tables'),
        (exists (select from pg_database where datname = current_database() and pg_has_role(datdba, 'member')), 'owns the database'),
        (has_schema_privilege('public', 'create') or has_schema_privilege('audit', 'create'), 'may create tables and functions'),
        (has_table_privilege('audit.entry', 'insert, update, delete, truncate, trigger')
           or has_table_privilege('audit.head', 'insert, update, delete, truncate, trigger')
           or has_table_privilege('audit.checkpoint', 'insert, update, delete, truncate, trigger')
           or has_table_privilege('audit.horizon', 'insert, update, delete, truncate, trigger'), 'may write to the audit log directly')
      ) as power (holds, what)
      where r.rolname = current_user and holds) as excess`);
  if (row === undefined) throw new Error('a query without conditions answered nothing');
  return row;
}

async function isThere(db: Reader): Promise<boolean> {
  return (await db.one(sql`select 1 from pg_roles where rolname = ${app_role}`)) !== undefined;
}
