import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/test-database.ts';
import { sql } from './sql.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => await database?.close());

test('a transaction that throws leaves nothing', async () => {
  const { db } = database;
  await db.run(sql`create table kept (n integer)`);
  const failing = db.transaction(async (tx) => {
    await tx.run(sql`insert into kept values (${1})`);
    throw new Error('changed its mind');
  });
  await expect(failing).rejects.toThrow('changed its mind');
  expect(await db.all(sql`select n from kept`)).toEqual([]);
});

test('a connection that breaks between two statements fails its transaction, and neither the process nor the next one', async () => {
  const { db } = database;
  const cut = db.transaction(async (tx) => {
    const own = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    await db.one(sql`select pg_terminate_backend(${own?.pid}::int)`);
    await sleep(200);
    await tx.one(sql`select 1`);
  });
  await expect(cut).rejects.toThrow(/terminat|not queryable|closed/i);
  expect(await db.transaction(async (tx) => await tx.one(sql`select 1 as one`))).toEqual({ one: 1 });
});
