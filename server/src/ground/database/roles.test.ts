// PostgreSQL's refusals for the service, independent of the service's code.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { powers } from './app-role.ts';
import { openDatabase, type Database } from './database.ts';
import { migrate } from './migrate.ts';
import { sql, type Sql } from './sql.ts';

let database: TestDatabase;
let service: Database;
beforeAll(async () => {
  database = await testDatabase();
  service = openDatabase(database.app, { max: 2 });
  await addTeam(service, 'research');
});
afterAll(async () => {
  await service?.close();
  await database?.close();
});

const insufficient_privilege = '42501';

/** Like the service: a governed row, and the entry for it. */
async function addTeam(db: Database, name: string): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await tx.one<{ id: string }>(sql`insert into team (name) values (${name}) returning id`);
    await tx.one(sql`select seq from audit.append('governance', ${body}, array[${`team:${row?.id}`}])`);
  });
}
const body = JSON.stringify({ event: 'team.created', outcome: 'done', actor: { name: 'a test' } });

const teams = async () => await database.db.all<{ name: string }>(sql`select name from team order by name`);
const log = async () =>
  await database.db.all(
    sql`select chain, seq, body, hash from audit.entry union all select chain, seq, '', hash from audit.head`,
  );

test('the service’s role owns nothing and has no power beyond its work', async () => {
  expect(await powers(service)).toEqual({ role: 'svc_app', excess: [] });
  expect((await powers(database.db)).excess).toContain('owns tables');
});

test('a governed change commits with its entry, and fails without one', async () => {
  await addTeam(service, 'platform');
  expect(await teams()).toContainEqual({ name: 'platform' });
  await expect(service.run(sql`insert into team (name) values ('smuggled')`)).rejects.toThrow(
    'governed change without audit entry',
  );
  const deferred = service.transaction(async (tx) => {
    await tx.run(sql`set constraints all deferred`);
    await tx.run(sql`update team set name = 'smuggled' where name = 'research'`);
  });
  await expect(deferred).rejects.toThrow('governed change without audit entry');
  expect(await teams()).not.toContainEqual({ name: 'smuggled' });
});

test('the service reads the log', async () => {
  expect(await service.all(sql`select event from audit.entry where event = 'team.created'`)).not.toEqual([]);
  expect(await service.all(sql`select chain from audit.head order by chain`)).toHaveLength(2);
});

describe('PostgreSQL refuses the service', () => {
  const refused: [string, Sql][] = [
    ['to change an entry', sql`update audit.entry set body = '{}'`],
    ['to delete an entry', sql`delete from audit.entry`],
    ['to empty the log', sql`truncate audit.entry`],
    [
      'to write an entry past the chain',
      sql`insert into audit.entry (chain, seq, occurred_at, body, prev, hash, cluster, xid, targets)
          values ('governance', 99, '', '{}', '', '', 0, pg_current_xact_id(), '{}')`,
    ],
    ['to move the head of a chain', sql`update audit.head set seq = 0`],
    ['to hold the head of a chain', sql`select 1 from audit.head for update`],
    ['to delete the head of a chain', sql`delete from audit.head`],
    ['to empty the heads', sql`truncate audit.head`],
    ['to start a chain', sql`insert into audit.head values ('mine', 0, '')`],
    ['to write a checkpoint past its function', sql`insert into audit.checkpoint values ('governance', 1, '', '{}')`],
    ['to change a checkpoint', sql`update audit.checkpoint set note = ''`],
    ['to delete a checkpoint', sql`delete from audit.checkpoint`],
    ['to empty the checkpoints', sql`truncate audit.checkpoint`],
    ['to have entries pruned', sql`insert into audit.horizon values ('governance', 1)`],
    [
      'to replace the function that keeps entries',
      sql`create or replace function audit.refuse_rewrite() returns trigger language plpgsql as 'begin return old; end'`,
    ],
    ['to remove a table from governance', sql`delete from audit.governed`],
    ['to put a table under governance', sql`call audit.govern('run')`],
    ['to disable the trigger of the log', sql`alter table audit.entry disable trigger append_only`],
    ['to drop the trigger of the log', sql`drop trigger append_only on audit.entry`],
    ['to disable the trigger of a governed table', sql`alter table team disable trigger governed`],
    ['to drop the trigger of a governed table', sql`drop trigger governed on team`],
    ['to disable every trigger', sql`alter table team disable trigger all`],
    ['to skip triggers as a replica does', sql`set session_replication_role = replica`],
    ['to alter the log', sql`alter table audit.entry drop column body`],
    ['to drop the log', sql`drop table audit.entry`],
    ['to drop the schema of the log', sql`drop schema audit cascade`],
    ['to give the log away', sql`alter table audit.entry owner to svc_app`],
    ['to alter a table', sql`alter table run add column mine text`],
    ['to drop a table', sql`drop table run`],
    ['to empty a governed table', sql`truncate team cascade`],
    ['to empty a table', sql`truncate idempotency_key`],
    ['to create a table', sql`create table mine (n integer)`],
    ['to create a table beside the log', sql`create table audit.mine (n integer)`],
    ['to create a temporary table', sql`create temporary table entry (n integer)`],
    ['to create a schema', sql`create schema mine`],
    [
      'to make a trigger',
      sql`create trigger mine before insert on audit.entry for each row execute function clock_now()`,
    ],
    ['to create a rule', sql`create rule mine as on insert to team do instead nothing`],
    ['to create a function', sql`create function mine() returns integer language sql as 'select 1'`],
    [
      'to replace the clock',
      sql`create or replace function clock_now() returns timestamptz language sql as 'select now()'`,
    ],
    [
      'to replace the function of a trigger',
      sql`create or replace function audit.require_entry() returns trigger language plpgsql as 'begin return null; end'`,
    ],
    ['to turn the writer of the log against it', sql`alter function audit.append(text, text, text[]) security invoker`],
    ['to drop the writer of the log', sql`drop function audit.append(text, text, text[])`],
    ['to change the list of applied migrations', sql`delete from migration`],
    ['to become the owner', sql`set role pg_database_owner`],
    ['to create a role', sql`create role mine superuser`],
    ['to make itself a superuser', sql`alter role svc_app superuser`],
    ['to read files of the machine', sql`select pg_read_file('PG_VERSION')`],
    ['to run a program', sql`copy (select 1) to program 'true'`],
  ];

  test.each(refused)('%s', async (_, statement) => {
    const before = await log();
    await expect(service.run(statement)).rejects.toMatchObject({ code: insufficient_privilege });
    expect(await log()).toEqual(before);
  });
});

test('the service can use the table of a later migration, with no further rights, once the owner has migrated', async () => {
  await database.db.run(sql`create table later (n bigserial primary key, word text)`);
  await expect(service.run(sql`insert into later (word) values ('new')`)).rejects.toMatchObject({
    code: insufficient_privilege,
  });
  await database.db.run(sql`grant all on later to svc_app`);
  expect(await migrate(database.db, { grant: true })).toEqual([]);
  expect(await service.run(sql`insert into later (word) values ('new')`)).toBe(1);
  await expect(service.run(sql`truncate later`)).rejects.toMatchObject({ code: insufficient_privilege });
});

test('a service with excess powers reports them', async () => {
  await database.db.run(sql`grant update on audit.entry to svc_app`);
  expect((await powers(service)).excess).toEqual(['may write to the audit log directly']);
  await migrate(database.db, { grant: true });
  expect((await powers(service)).excess).toEqual([]);
});
