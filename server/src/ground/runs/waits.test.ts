// Runs that wait for a person.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../database/sql.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openWorkerErrors } from '../../testing/worker-errors.ts';
import { enqueue, findRun, requestCancel, RunWaits, wake, type Run } from './run.ts';
import { startWorker, type Worker } from './worker.ts';

let base: TestDatabase;
let worker: Worker | undefined;
let count = 0;
const errors = openWorkerErrors();
const begun: string[] = [];
const actor = { user_id: '00000000-0000-4000-8000-000000000001', name: 'ada@example.com' };

beforeAll(async () => {
  base = await testDatabase();
  await base.db.run(sql`create table said (run_id uuid primary key)`);
});
afterAll(async () => await base?.close());
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  begun.splice(0);
  errors.expectNone();
});

async function work(beforeWait: (run: Run) => Promise<void> = async () => {}): Promise<void> {
  worker = await startWorker(
    base.db,
    {
      asking: {
        shares: { max: 1, team: 1, user: 1 },
        work: async (run) => {
          await run.step('first', async () => void begun.push('first'));
          return await run.step('ask', async () => {
            begun.push('ask');
            const row = await base.db.one(sql`select from said where run_id = ${run.id}`);
            if (row !== undefined) return 'answered';
            await beforeWait(run);
            throw new RunWaits('a person is asked');
          });
        },
      },
    },
    { owner: `test ${++count}`, poll_ms: 50, lease_ms: 500, onError: errors.onError },
  );
}

const begin = async () => (await enqueue(base.db, { kind: 'asking', mutex: `asking ${++count}`, input: {}, actor })).id;
const answer = async (id: string) =>
  await base.db.transaction(async (tx) => {
    await tx.run(sql`insert into said values (${id})`);
    await wake(tx, id);
  });
const stateOf = async (id: string) => (await findRun(base.db, id))?.state;
const until = async (id: string, state: string) => await expect.poll(async () => await stateOf(id)).toBe(state);

test('it waits without a place, and its answer continues it after its stored steps', async () => {
  await work();
  const [one, other] = [await begin(), await begin()];
  // The only place of the kind is free while the first one waits.
  await until(one, 'waiting');
  await until(other, 'waiting');
  const steps = (await findRun(base.db, one))?.steps.map(({ name, state }) => `${name} ${state}`);
  expect(steps).toEqual(['first done', 'ask waiting']);
  begun.splice(0);
  await answer(one);
  await until(one, 'done');
  expect(begun).toEqual(['ask']);
  expect(await findRun(base.db, one)).toMatchObject({ result: 'answered' });
  expect(await stateOf(other)).toBe('waiting');
});

test('an answer that comes before the wait is not lost', async () => {
  await work(async ({ id }) => await answer(id));
  const id = await begin();
  await until(id, 'done');
  expect(begun).toEqual(['first', 'ask', 'ask']);
});

test('another process continues it, and the time of the wait is told', async () => {
  await work();
  const id = await begin();
  await until(id, 'waiting');
  await worker?.stop();
  await answer(id);
  expect(await stateOf(id)).toBe('queued');
  const row = await base.db.one<{ waited_ms: number }>(sql`select waited_ms from run where id = ${id}`);
  expect(row?.waited_ms).toBeGreaterThan(0);
  await work();
  await until(id, 'done');
});

test('a cancel ends it, and no answer continues it then', async () => {
  await work();
  const id = await begin();
  await until(id, 'waiting');
  expect(await base.db.transaction(async (tx) => await requestCancel(tx, id))).toBe(true);
  await until(id, 'cancelled');
  await answer(id);
  expect(await stateOf(id)).toBe('cancelled');
  const steps = (await findRun(base.db, id))?.steps.map(({ name, state }) => `${name} ${state}`);
  expect(steps).toEqual(['first done', 'ask failed']);
});

test('a step may wait more often than it may fail', async () => {
  let asked = 0;
  await work(async ({ id }) => {
    if (++asked < 15) await base.db.transaction(async (tx) => await wake(tx, id));
  });
  const id = await begin();
  await expect.poll(() => asked, { timeout: 10_000 }).toBe(15);
  await until(id, 'waiting');
});
