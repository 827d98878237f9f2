// The database itself protects the log, against its owner, a superuser and faulty service code.
import { afterAll, beforeAll, expect, test } from 'vitest';
import pg from 'pg';
import { sql } from '../../ground/database/sql.ts';
import { testEntry as entry } from '../../testing/access/proof.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { append } from './append.ts';

let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
  await at.db.transaction(async (tx) => await append(tx, entry('first'), []));
});
afterAll(async () => await at?.close());

const chainOf = async () =>
  await at.db.all<{ seq: number; occurred_at: string; hash: Buffer; prev: Buffer }>(
    sql`select seq, occurred_at, hash, prev from audit.entry where chain = 'governance' order by seq`,
  );

test('the owner cannot change, delete or truncate entries, heads and checkpoints, not even with the replication role (T98)', async () => {
  await at.db.one(sql`select audit.add_checkpoint('governance', 1, 'a note', array['a peak'], ${0})`);
  for (const statement of [
    sql`update audit.entry set body = '{}'`,
    sql`delete from audit.entry`,
    sql`truncate audit.entry`,
    sql`delete from audit.head`,
    sql`truncate audit.head`,
    sql`update audit.checkpoint set note = ''`,
    sql`delete from audit.checkpoint`,
    sql`truncate audit.checkpoint`,
  ]) {
    await expect(at.db.run(statement)).rejects.toThrow('the audit log cannot be changed');
    const asReplica = at.db.transaction(async (tx) => {
      await tx.run(sql`set local session_replication_role = replica`);
      await tx.run(statement);
    });
    await expect(asReplica).rejects.toThrow('the audit log cannot be changed');
  }
});

test('a checkpoint continues the newest one, and does not exceed the log', async () => {
  const add = async (size: number, after: number) =>
    (
      await at.db.one<{ added: boolean }>(
        sql`select audit.add_checkpoint('governance', ${size}, 'a note', '{}', ${after}) as added`,
      )
    )?.added;
  await at.db.transaction(async (tx) => await append(tx, entry('second'), []));
  expect([await add(1, 1), await add(1, 0), await add(2, 0), await add(3, 1)]).toEqual([false, false, false, false]);
  expect([await add(2, 1), await add(2, 1)]).toEqual([true, false]);
});

test('a rolled back transaction leaves neither entry nor gap, and times follow the numbers, with any number of writers', async () => {
  const before = (await chainOf()).length;
  const writers = Array.from(
    { length: 64 },
    async (_, n) =>
      await at.db
        .transaction(async (tx) => {
          await append(tx, entry(`writer-${n}`), []);
          if (n % 4 === 0) throw new Error('rolled back');
        })
        .catch((error: Error) => error.message),
  );
  const results = await Promise.all(writers);
  expect(results.filter((message) => message === 'rolled back')).toHaveLength(16);
  const chain = await chainOf();
  expect(chain.map(({ seq }) => seq)).toEqual(Array.from({ length: before + 48 }, (_, n) => n + 1));
  expect(chain.slice(1).filter(({ prev }, n) => !prev.equals(chain[n]?.hash ?? Buffer.of()))).toEqual([]);
  const times = chain.map(({ occurred_at }) => occurred_at);
  expect(times).toEqual(times.toSorted());
});

test('a writer under repeatable read or serializable is refused, and cannot fork the chain (T109)', async () => {
  const before = await chainOf();
  for (const level of ['repeatable read', 'serializable']) {
    const client = new pg.Client(at.app);
    await client.connect();
    try {
      await client.query(`begin isolation level ${level}`);
      await client.query('select 1');
      await expect(client.query(`select audit.append('governance', '{"event":"x"}', '{}')`)).rejects.toThrow(
        'read committed only',
      );
    } finally {
      await client.end();
    }
  }
  expect(await chainOf()).toEqual(before);
});

test('no foreign key ties the log to its subjects: deletions leave entries unchanged (T111)', async () => {
  const keys = await at.db.all(sql`
    select conname from pg_constraint where contype = 'f' and (conrelid in (select oid from pg_class where relnamespace = 'audit'::regnamespace)
      or confrelid in (select oid from pg_class where relnamespace = 'audit'::regnamespace))`);
  expect(keys).toEqual([]);
  const before = await chainOf();
  await at.db.transaction(async (tx) => {
    const user = await tx.one<{ id: string }>(
      sql`insert into app_user (email, name, role, password_hash) values ('gone@example.com', 'gone', 'viewer', 'x') returning id`,
    );
    await tx.run(sql`delete from app_user where id = ${user?.id}`);
    await append(tx, entry('gone'), [`app_user:${user?.id}`]);
  });
  expect((await chainOf()).slice(0, before.length)).toEqual(before);
});
