// The database's protection of the log: triggers, their functions, and granted privileges.
import { createHash } from 'node:crypto';
import type { Reader } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';

/** The protecting triggers of the log and the governed tables that are missing or not enabled ALWAYS. */
export async function missingTriggers(db: Reader): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`
    with expected (relation, name) as (
      values ('audit.entry', 'append_only'), ('audit.entry', 'no_truncate'), ('audit.head', 'no_truncate'), ('audit.head', 'no_delete'),
             ('audit.checkpoint', 'append_only'), ('audit.checkpoint', 'no_truncate'),
             ('audit.horizon', 'guard'), ('audit.horizon', 'governed'), ('audit.horizon', 'no_truncate')
      union all select t.table_name::text, trigger.name from audit.governed as t, (values ('governed'), ('no_truncate')) as trigger (name)
    )
    select relation || '.' || name as name from expected
    where not exists (select 1 from pg_trigger where tgrelid = to_regclass(relation) and tgname = name and tgenabled = 'A')`);
  return rows.map((row) => row.name);
}

// Shortened SHA-256 of the functions in the migrations. A migration that replaces a function also changes its hash here. A trigger with an
// empty function protects nothing.
const bodies: Record<string, string> = {
  append: '83b186fa5857a54b',
  entry_hash: 'fe2dbea0899611b6',
  refuse_rewrite: '2d8c2a6405fe90d6',
  require_entry: 'd342d64da724c60e',
  refuse_truncate: 'b19b0504b53f2c45',
  add_checkpoint: '34153983dc53ced4',
  guard_horizon: '0f9e3d565939b568',
};

/** Functions of the log that differ from the migrations. */
export async function changedFunctions(db: Reader): Promise<string[]> {
  const rows = await db.all<{ name: string; body: string }>(sql`
    select proname as name, prosrc as body from pg_proc where pronamespace = 'audit'::regnamespace`);
  const found = new Map(
    rows.map(({ name, body }) => [name, createHash('sha256').update(body).digest('hex').slice(0, 16)]),
  );
  return Object.keys(bodies).filter((name) => found.get(name) !== bodies[name]);
}

/** Privileges on the log beyond read access, except the owner's: `role may <privilege> <table>`. */
export async function excessGrants(db: Reader): Promise<string[]> {
  const rows = await db.all<{ what: string }>(sql`
    select case grantee when 0 then 'everybody' else grantee::regrole::text end || ' may ' || lower(privilege_type) || ' audit.' || relname as what
    from pg_class, aclexplode(relacl)
    where relnamespace = 'audit'::regnamespace and relname in ('entry', 'head', 'checkpoint', 'horizon', 'governed') and grantee <> relowner and privilege_type <> 'SELECT'
    order by 1`);
  return rows.map((row) => row.what);
}
