import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../database/sql.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openHeldKeys, type HeldKeys } from './held-keys.ts';
import { enqueue, findRun } from './run.ts';
import * as store from './store.ts';
import { startWorker, type Worker } from './worker.ts';

let base: TestDatabase;
let open: { stop(): Promise<void> }[] = [];
const errors: unknown[] = [];
const onError = (error: unknown) => void errors.push(error);
const actor = { user_id: '00000000-0000-4000-8000-000000000001', name: 'ada@example.com' };
const shares = { max: 8, team: 8, user: 8 };

beforeAll(async () => {
  base = await testDatabase();
});
afterAll(async () => await base?.close());
afterEach(async () => {
  const last = open;
  open = [];
  await Promise.all(last.map((one) => one.stop()));
  expect(errors).toEqual([]);
});

function keysOf(owner: string): HeldKeys {
  const keys = openHeldKeys(base.db, { owner, lease_ms: 6000, mayRenew: () => true, onError });
  open.push(keys);
  return keys;
}

async function work(owner: string, begin: () => Promise<void> = async () => {}, alone = false): Promise<Worker> {
  const kinds = { plain: { shares, work: async () => await begin() } };
  const worker = await startWorker(base.db, kinds, { owner, poll_ms: 20, alone, onError });
  open.push(worker);
  return worker;
}

const begin = async (mutex: string) => (await enqueue(base.db, { kind: 'plain', mutex, input: {}, actor })).id;
const stateOf = async (id: string) => (await findRun(base.db, id))?.state;

test('a run whose mutex is held as a key is executed by the holder, and by any process after the release', async () => {
  const [kept, other] = [randomUUID(), randomUUID()];
  const one = keysOf('one');
  const held = await one.claim([kept], 1);
  expect(held).toMatchObject([{ key: kept }]);
  await work('two');
  const [waiting, free] = [await begin(kept), await begin(other)];
  await expect.poll(() => stateOf(free)).toBe('done');
  expect(await stateOf(waiting)).toBe('queued');
  const holder = await work('one');
  await expect.poll(() => stateOf(waiting)).toBe('done');
  await holder.stop();
  open = open.filter((one) => one !== holder);
  const next = await begin(kept);
  await one.release(held);
  await expect.poll(() => stateOf(next)).toBe('done');
});

test('a key is not claimed while another process executes a run of it, and its own process may claim it', async () => {
  const key = randomUUID();
  const end = Promise.withResolvers<void>();
  await work('two', async () => await end.promise);
  const id = await begin(key);
  await expect.poll(() => stateOf(id)).toBe('running');
  const [one, two] = [keysOf('one'), keysOf('two')];
  expect(await one.claim([key], 1)).toEqual([]);
  const held = await two.claim([key], 1);
  expect(held).toHaveLength(1);
  await two.release(held);
  end.resolve();
  await expect.poll(() => stateOf(id)).toBe('done');
  expect(await one.claim([key], 1)).toHaveLength(1);
});

test('of a key and a run of it that are claimed at the same moment by two processes, at most one claim stands', async () => {
  const kinds = { other: { shares, work: async () => {} } };
  const keys = keysOf('one');
  let claimed = 0;
  for (let n = 0; n < 40; n++) {
    const mutex = randomUUID();
    const { id } = await enqueue(base.db, { kind: 'other', mutex, input: {}, actor });
    const executes = async () => {
      const run = await store.claim(base.db, { owner: 'two', kinds }, 60_000);
      return run !== undefined && !(await store.isHeldElsewhere(base.db, 'two', run));
    };
    const [runs, held] = await Promise.all([executes(), keys.claim([mutex], 1)]);
    expect([runs, held.length]).not.toEqual([true, 1]);
    if (runs || held.length > 0) claimed += 1;
    await base.db.run(sql`update run set ended_at = clock_now(), state = 'done' where id = ${id}`);
  }
  expect(claimed).toBeGreaterThan(0);
});

test('the executor gives way to a key that was claimed before its own claim was visible', async () => {
  const kinds = { other: { shares, work: async () => {} } };
  const mutex = randomUUID();
  await enqueue(base.db, { kind: 'other', mutex, input: {}, actor });
  const keys = keysOf('one');
  const run = await base.db.transaction(async (tx) => {
    const claimed = await store.claim(tx, { owner: 'two', kinds }, 60_000);
    expect(await keys.claim([mutex], 1)).toHaveLength(1);
    return claimed;
  });
  if (run === undefined) throw new Error('the run was not claimed');
  expect(await store.isHeldElsewhere(base.db, 'two', run)).toBe(true);
});

test('two processes that claim the same keys share them, and a later holder has a higher fence', async () => {
  const all = Array.from({ length: 20 }, () => randomUUID());
  const [one, two] = [keysOf('one'), keysOf('two')];
  const claims = await Promise.all([one.claim(all, 20), two.claim(all, 20)]);
  const held = claims.flat();
  expect(held.map(({ key }) => key).toSorted()).toEqual(all.toSorted());
  await one.release(claims[0]);
  await two.release(claims[1]);
  const [again] = await two.claim([all[0] ?? ''], 1);
  expect(again?.fence).toBeGreaterThan(Math.max(...held.map(({ fence }) => fence)));
});

test('a worker that is alone on its database frees the keys of a killed process at once, and keeps its own', async () => {
  const [of_killed, own] = [randomUUID(), randomUUID()];
  await keysOf('killed').claim([of_killed], 1);
  const keys = keysOf('one');
  await keys.claim([own], 1);
  await work('one', undefined, true);
  expect((await keys.claim([of_killed, own], 2)).map(({ key }) => key)).toEqual([of_killed]);
});

test('a key that may not be renewed is lost to another process after its lease', async () => {
  const key = randomUUID();
  const lease_ms = 600;
  const silent = openHeldKeys(base.db, { owner: 'one', lease_ms, mayRenew: () => false, onError });
  open.push(silent);
  const [held] = await silent.claim([key], 1);
  const two = keysOf('two');
  expect(await two.claim([key], 1)).toEqual([]);
  await expect.poll(() => held?.lost.aborted, { interval: 10 }).toBe(true);
  // The holder stops first.
  expect(await two.claim([key], 1)).toEqual([]);
  await expect.poll(async () => await two.claim([key], 1)).toHaveLength(1);
});
