import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';
import { testDatabase, type TestDatabase } from '../testing/test-database.ts';
import { append, type Entry } from './append.ts';
import { verify } from './verify.ts';

let at: TestDatabase;
let db: Database;
beforeEach(async () => {
  at = await testDatabase();
  db = at.db;
  for (let n = 1; n <= 5; n++) await db.transaction(async (tx) => await append(tx, entry(`user-${n}`), []));
  return async () => await at.close();
});

function entry(name: string): Entry {
  return {
    event: 'team.created',
    outcome: 'done',
    actor: { kind: 'user', id: null, name },
    team: null,
    asset: null,
    ip: null,
    request_id: null,
    detail: { name, quote: '"\\é\u2028' },
  };
}

/** As the owner of the table who switched the triggers off, the strongest hand short of rewriting the whole chain. */
async function tamper(...statements: Sql[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`alter table audit.entry disable trigger append_only`);
    for (const statement of statements) await tx.run(statement);
    await tx.run(sql`alter table audit.entry enable always trigger append_only`);
  });
}

test('an untouched chain is true against a head noted earlier, also after more entries', async () => {
  const { head } = await verify(db);
  await db.transaction(async (tx) => await append(tx, entry('later'), []));
  const result = await verify(db, head);
  expect(result.verdict).toBe('true_as_anchored');
  expect(result.damage).toEqual([]);
});

test('without a noted head the verdict is never "true"', async () => {
  expect((await verify(db)).verdict).toBe('unanchored');
});

test('an edited entry is named', async () => {
  await tamper(
    sql`update audit.entry set body = replace(body, 'user-3', 'user-9') where chain = 'governance' and seq = 3`,
  );
  expect((await verify(db)).damage).toMatchObject([{ chain: 'governance', seq: 3, kind: 'bad_hash' }]);
});

test('a deleted entry is named as a gap', async () => {
  await tamper(sql`delete from audit.entry where chain = 'governance' and seq = 3`);
  expect((await verify(db)).damage).toMatchObject([
    { seq: 4, kind: 'gap' },
    { seq: 4, kind: 'broken_link' },
  ]);
});

test('two swapped entries are both named', async () => {
  await tamper(
    sql`update audit.entry set seq = 100 where chain = 'governance' and seq = 2`,
    sql`update audit.entry set seq = 2 where chain = 'governance' and seq = 3`,
    sql`update audit.entry set seq = 3 where chain = 'governance' and seq = 100`,
  );
  const kinds = (await verify(db)).damage.filter(({ kind }) => kind === 'bad_hash').map(({ seq }) => seq);
  expect(kinds).toEqual([2, 3]);
});

test('a tail cut off together with the head row is seen against a noted head, and only then', async () => {
  const { head } = await verify(db);
  await tamper(
    sql`delete from audit.entry where chain = 'governance' and seq = 5`,
    sql`update audit.head set seq = 4, hash = (select hash from audit.entry where chain = 'governance' and seq = 4) where chain = 'governance'`,
  );
  expect((await verify(db)).verdict).toBe('unanchored');
  expect(await verify(db, head)).toMatchObject({ verdict: 'damaged', damage: [{ kind: 'head_unknown', seq: 5 }] });
});

test('a head that does not name every chain exactly once is refused, since the others could have been cut', async () => {
  const { head } = await verify(db);
  const [signin, governance] = head.split(',');
  await expect(verify(db, signin)).rejects.toMatchObject({
    code: 'malformed',
    detail: expect.stringContaining('does not name the chain governance'),
  });
  await expect(verify(db, governance)).rejects.toMatchObject({
    code: 'malformed',
    detail: expect.stringContaining('does not name the chain signin'),
  });
  for (const doubled of [`${governance},${governance}`, `${head},${signin}`]) {
    await expect(verify(db, doubled)).rejects.toMatchObject({
      code: 'malformed',
      detail: expect.stringContaining('twice'),
    });
  }
  expect((await verify(db, head)).verdict).toBe('true_as_anchored');
  expect((await verify(db, `${governance},${signin}`)).verdict).toBe('true_as_anchored');
});

test('a trigger that is only enabled, not ALWAYS, is named', async () => {
  await db.run(sql`alter table team enable trigger governed`);
  expect((await verify(db)).damage).toMatchObject([
    { kind: 'trigger_missing', detail: expect.stringContaining('team.governed') },
  ]);
});

test('the log refuses update, delete and truncate, under replication role too', async () => {
  for (const statement of [
    sql`update audit.entry set body = '{}'`,
    sql`delete from audit.entry`,
    sql`truncate audit.entry`,
  ]) {
    await expect(db.run(statement)).rejects.toThrow('the audit log cannot be changed');
    const asReplica = db.transaction(async (tx) => {
      await tx.run(sql`set local session_replication_role = replica`);
      await tx.run(statement);
    });
    await expect(asReplica).rejects.toThrow('the audit log cannot be changed');
  }
});

let shared: TestDatabase;
beforeAll(async () => {
  shared = await testDatabase();
});
afterAll(async () => await shared.close());

test('a rolled back transaction leaves neither entry nor gap, however many write at once', async () => {
  const writers = Array.from(
    { length: 64 },
    async (_, n) =>
      await shared.db
        .transaction(async (tx) => {
          await append(tx, entry(`writer-${n}`), []);
          if (n % 4 === 0) throw new Error('rolled back');
        })
        .catch((error: Error) => error.message),
  );
  const results = await Promise.all(writers);
  expect(results.filter((message) => message === 'rolled back')).toHaveLength(16);
  const result = await verify(shared.db);
  expect(result.damage).toEqual([]);
  expect(result.chains.find(({ chain }) => chain === 'governance')?.entries).toBe(48);
});
