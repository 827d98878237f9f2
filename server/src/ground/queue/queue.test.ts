import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openDatabase, type Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { enqueue, requeue, type QueueRules } from './queue.ts';
import { startQueues, type Outcome, type Queue } from './work.ts';

let at: TestDatabase;
let other: Database;
let made = 0;
let started: Awaited<ReturnType<typeof startQueues>>[] = [];

beforeAll(async () => {
  at = await testDatabase();
  other = openDatabase(at.app);
});
afterEach(async () => {
  await Promise.all(started.map((one) => one.stop()));
  started = [];
  await moveClock('0');
});
afterAll(async () => {
  await other?.close();
  await at?.close();
});

const rules = (): QueueRules => ({
  name: `queue-${++made}`,
  at_a_time: 4,
  lease_ms: 60_000,
  first_wait_ms: 1000,
  longest_wait_ms: 3000,
  give_up_hours: 1,
  keep_days: 1,
});

async function start(queues: readonly Queue[], db = at.db, onError: (error: unknown) => void = () => {}) {
  const working = await startQueues(db, queues, { alone: false, onError, poll_ms: 20 });
  started.push(working);
  return working;
}

/** Returns the given outcome and remembers the keys. */
function recording(queue: QueueRules, keys: string[], outcome: Outcome = { state: 'done' }): Queue {
  return {
    ...queue,
    work: async ({ key }) => {
      keys.push(key);
      return await Promise.resolve(outcome);
    },
  };
}

const jobs = async ({ name }: QueueRules) =>
  await at.db.all<{ key: string; state: string; attempts: number; wait_ms: number; problem: string | null }>(sql`
    select key, state, attempts, (extract(epoch from due_at - clock_now()) * 1000)::float8 as wait_ms, problem
    from job where queue = ${name} and lease_until is null order by key`);

async function until(queue: QueueRules, expected: object[]): Promise<void> {
  await vi.waitFor(async () => expect(await jobs(queue)).toMatchObject(expected), { timeout: 10_000, interval: 10 });
}

// A function body cannot have a parameter. The interval is a constant of the test.
const moveClock = async (interval: string) =>
  await at.db.run({
    strings: [
      `create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''${interval}'''`,
    ],
    values: [],
  });

test('a job runs after its transaction commits, and never after a rollback', async () => {
  const queue = rules();
  const keys: string[] = [];
  await start([recording(queue, keys)]);
  await expect(
    at.db.transaction(async (tx) => {
      await enqueue(tx, queue, [{ key: 'never' }]);
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await at.db.transaction(async (tx) => void (await enqueue(tx, queue, [{ key: 'once' }])));
  await until(queue, [{ key: 'once', state: 'done', attempts: 1 }]);
  expect(keys).toEqual(['once']);
});

test('two processes on one queue do each job once', async () => {
  const queue = rules();
  const keys: string[] = [];
  await Promise.all([start([recording(queue, keys)]), start([recording(queue, keys)], other)]);
  const wanted = Array.from({ length: 100 }, (_, n) => String(n)).toSorted();
  await enqueue(
    at.db,
    queue,
    wanted.map((key) => ({ key })),
  );
  await until(
    queue,
    wanted.map((key) => ({ key, state: 'done', attempts: 1 })),
  );
  expect(keys.toSorted()).toEqual(wanted);
});

test('an attempt with an expired lease loses its job to another, and writes nothing more', async () => {
  const queue = rules();
  const [begun, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let recorded = 0;
  const suspended: Queue = {
    ...queue,
    // With a second place, this process could claim the job again.
    at_a_time: 1,
    work: async () => {
      begun.resolve();
      await resume.promise;
      return { state: 'failed', record: async () => void (await Promise.resolve(recorded++)) };
    },
  };
  const first = await start([suspended]);
  await enqueue(at.db, queue, [{ key: 'one' }]);
  await begun.promise;
  const keys: string[] = [];
  await start([recording(queue, keys)], other);
  await moveClock('2 minutes');
  await until(queue, [{ key: 'one', state: 'done', attempts: 2 }]);
  resume.resolve();
  await first.stop();
  await until(queue, [{ key: 'one', state: 'done', attempts: 2 }]);
  expect([keys, recorded]).toEqual([['one'], 0]);
});

test('a failed job is retried after growing waits, and given up after its time', async () => {
  const queue = rules();
  const keys: string[] = [];
  await start([recording(queue, keys, { state: 'retry', problem: 'busy' })]);
  await enqueue(at.db, queue, [{ key: 'one' }]);
  for (const [attempts, longest_wait_ms, clock] of [
    [1, 1000, '10 seconds'],
    [2, 2000, '20 seconds'],
    [3, 3000, '30 seconds'],
    [4, 3000, '2 hours'],
  ] as const) {
    await until(queue, [{ state: 'queued', attempts, problem: 'busy' }]);
    const [job] = await jobs(queue);
    expect(job?.wait_ms).toBeLessThanOrEqual(longest_wait_ms);
    await moveClock(clock);
  }
  await until(queue, [{ state: 'failed', attempts: 5, problem: 'busy' }]);
  expect(await requeue(at.db, (await jobIds(queue))[0] ?? '')).toBe(true);
  await until(queue, [{ state: 'failed', attempts: 6 }]);
});

const jobIds = async ({ name }: QueueRules) =>
  (await at.db.all<{ id: string }>(sql`select id from job where queue = ${name}`)).map(({ id }) => id);

test.each<[string, Queue['work']]>([
  ['the work', async () => await Promise.reject(new Error('a bug'))],
  [
    'its record',
    async () => await Promise.resolve({ state: 'done', record: async () => await Promise.reject(new Error('a bug')) }),
  ],
  ['its outcome', async () => await Promise.resolve({ state: 'retry', problem: 'no database stores \0' })],
])('an exception in %s is reported, the job is retried after a wait, and no other job waits', async (_, work) => {
  const queue = rules();
  const errors: unknown[] = [];
  const others: string[] = [];
  const well = recording(queue, others);
  const one: Queue['work'] = async (job, signal) =>
    (await (job.key === 'one' ? work : well.work)?.(job, signal)) ?? { state: 'done' };
  await start([{ ...queue, work: one }], at.db, (error) => errors.push(error));
  await enqueue(at.db, queue, [{ key: 'one' }, { key: 'two' }]);
  await until(queue, [
    { state: 'queued', attempts: 1, problem: expect.stringContaining('unexpectedly') as string },
    { key: 'two', state: 'done' },
  ]);
  expect((await jobs(queue))[0]?.wait_ms).toBeGreaterThan(0);
  expect([errors.length, others]).toEqual([1, ['two']]);
});

test('a full queue delays no other queue, and takes no more than its places', async () => {
  const [full, free] = [rules(), rules()];
  const release = Promise.withResolvers<void>();
  let under_way = 0;
  const holding: Queue = {
    ...full,
    work: async () => {
      under_way++;
      await release.promise;
      return { state: 'done' };
    },
  };
  const keys: string[] = [];
  await start([holding, recording(free, keys)]);
  await enqueue(
    at.db,
    full,
    Array.from({ length: 6 }, (_, n) => ({ key: String(n) })),
  );
  await vi.waitFor(() => expect(under_way).toBe(full.at_a_time), 20_000);
  await enqueue(at.db, free, [{ key: 'one' }]);
  await until(free, [{ key: 'one', state: 'done' }]);
  expect(under_way).toBe(full.at_a_time);
  release.resolve();
  await until(
    full,
    Array.from({ length: 6 }, () => ({ state: 'done', attempts: 1 })),
  );
});

test('a job of a killed process is done at once when no other process uses the database', async () => {
  const queue = rules();
  await enqueue(at.db, queue, [{ key: 'one' }]);
  await at.db.run(sql`
    update job set attempts = 1, lease_until = clock_now() + interval '1 hour' where queue = ${queue.name}`);
  const keys: string[] = [];
  started.push(await startQueues(at.db, [recording(queue, keys)], { alone: true, onError: () => {} }));
  await until(queue, [{ key: 'one', state: 'done', attempts: 2 }]);
  expect(keys).toEqual(['one']);
});
