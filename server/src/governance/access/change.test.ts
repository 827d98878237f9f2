import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { authorize } from './authorize.ts';
import { systemCaller } from './caller.ts';
import { change } from './change.ts';
import { theOrg } from './subject.ts';

let at: TestDatabase;
let db: Database;
beforeAll(async () => {
  at = await testDatabase();
  db = at.db;
});
afterAll(async () => await at.close());

const grant = () => authorize(systemCaller('system.seed'), 'system.seed', theOrg);
const teamNames = async () =>
  (await db.all<{ name: string }>(sql`select name from team order by name`)).map(({ name }) => name);
const entries = async () =>
  await db.all<{ body: string; targets: string[] }>(sql`select body, targets from audit.entry order by seq`);

test('a governed row commits together with the entry that names it', async () => {
  const [row] = await change(db, grant(), 'team.created', async (tx, note) => {
    note({ team: 'ml' });
    return await tx.write<{ id: string }>('team', sql`insert into team (name) values ('ml') returning id`);
  });
  const [entry] = await entries();
  expect(entry?.targets).toEqual([`team:${row?.id}`]);
  expect(JSON.parse(entry?.body ?? '')).toMatchObject({
    event: 'team.created',
    detail: { team: 'ml' },
    actor: { kind: 'system' },
  });
});

test('a governed row without an entry does not commit', async () => {
  await expect(db.run(sql`insert into team (name) values ('raw')`)).rejects.toThrow(
    'governed change without audit entry',
  );
  await expect(db.run(sql`update team set name = 'raw'`)).rejects.toThrow('governed change without audit entry');
  await expect(db.run(sql`delete from team`)).rejects.toThrow('governed change without audit entry');
  await expect(db.run(sql`truncate team cascade`)).rejects.toThrow('cannot be truncated');
  expect(await teamNames()).toEqual(['ml']);
});

test('an entry about another row does not cover it, not even with deferred constraints or the replication role', async () => {
  const smuggled = change(db, grant(), 'team.created', async (tx) => {
    await tx.write('team', sql`insert into team (name) values ('covered') returning id`);
    await tx.run(sql`set constraints all deferred`);
    await tx.run(sql`insert into team (name) values ('smuggled')`);
  });
  await expect(smuggled).rejects.toThrow('governed change without audit entry');
  const asReplica = db.transaction(async (tx) => {
    await tx.run(sql`set local session_replication_role = replica`);
    await tx.run(sql`insert into team (name) values ('replica')`);
  });
  await expect(asReplica).rejects.toThrow('governed change without audit entry');
  expect(await teamNames()).toEqual(['ml']);
});

test('failed work leaves neither row nor entry', async () => {
  const before = (await entries()).length;
  const failing = change(db, grant(), 'team.created', async (tx) => {
    await tx.write('team', sql`insert into team (name) values ('gone') returning id`);
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect(await teamNames()).toEqual(['ml']);
  expect((await entries()).length).toBe(before);
});

test('work without a change leaves no entry', async () => {
  const before = (await entries()).length;
  await change(db, grant(), 'team.created', async () => {});
  expect((await entries()).length).toBe(before);
});

test('the receipt of a change reaches the origin of its caller', async () => {
  const made = grant();
  await change(
    db,
    made,
    'team.created',
    async (tx) => await tx.write('team', sql`insert into team (name) values ('ops') returning id`),
  );
  expect(made.caller.origin.receipts).toMatchObject([{ chain: 'governance' }]);
});

test('must_change_password set in plain SQL writes its own entry, and no other change joins it', async () => {
  await change(db, grant(), 'user.created', async (tx) => {
    await tx.write(
      'app_user',
      sql`insert into app_user (email, name, role, password_hash) values ('ada@example.com', 'Ada', 'viewer', 'x') returning id`,
    );
  });
  await db.run(sql`update app_user set must_change_password = true where email = 'ada@example.com'`);
  const last = (await entries()).at(-1);
  expect(JSON.parse(last?.body ?? '')).toMatchObject({
    event: 'password.flagged',
    detail: { user: 'ada@example.com', before: false, after: true },
  });
  await expect(db.run(sql`update app_user set must_change_password = false, role = 'admin'`)).rejects.toThrow(
    'governed change without audit entry',
  );
});
