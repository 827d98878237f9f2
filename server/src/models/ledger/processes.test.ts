// Processes that die, on a moved clock.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { forgetProcess, overdueHolds, seeProcess } from './store.ts';

let database: TestDatabase;
let at_seconds = 0;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => await database?.close());

async function pass(seconds: number): Promise<void> {
  at_seconds += seconds;
  const strings = [
    `create or replace function clock_now() returns timestamptz language sql volatile as $$select timestamptz '2026-11-27 13:00Z' + interval '${at_seconds} s'$$`,
  ];
  await database.db.run({ strings, values: [] });
}

/** These are alive meanwhile. */
async function live(seconds: number, ids: readonly string[]): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    await pass(5);
    for (const id of ids) await seeProcess(database.db, id);
  }
}

test('the holds of a process are overdue a minute after its death, and never those of a living one', async () => {
  const { db } = database;
  const [sweeper, dying] = [randomUUID(), randomUUID()];
  const holds = new Map<string, string | null>([sweeper, dying, null].map((process) => [randomUUID(), process]));
  await live(5, [sweeper, dying]);
  for (const [id, process] of holds)
    await db.run(sql`insert into hold (id, accounts, day, nano, second, tokens, deadline, process, call)
      values (${id}, '{}', '2026-11-27', 1, 1, 1, clock_now() + interval '1 hour', ${process}, '{}')`);
  const overdue = async () => (await overdueHolds(db, { process: sweeper, limit: 10 })).map(({ id }) => holds.get(id));

  await live(90, [sweeper, dying]);
  expect(await overdue()).toEqual([]);
  await live(55, [sweeper]);
  expect(await overdue()).toEqual([]);
  await live(10, [sweeper]);
  expect(await overdue()).toEqual([dying]);

  // The database was away: at its return nobody has been seen, and both live.
  await pass(600);
  expect(await overdue()).toEqual([]);
  await live(50, [sweeper, dying]);
  expect(await overdue()).toEqual([]);
  await live(30, [sweeper, dying]);
  expect(await overdue()).toEqual([]);

  await forgetProcess(db, sweeper);
  expect(await overdue()).toEqual([]);
  await pass(3600);
  expect(await overdue()).toHaveLength(3);
});
