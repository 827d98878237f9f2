import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { noTurns } from '../../../testing/agents/no-turns.ts';
import { testDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { followedCalls, type FollowedCalls, type FollowSettings } from './followed-calls.ts';

let base: TestDatabase;
let closing: (() => Promise<void>)[] = [];
const errors: unknown[] = [];

beforeAll(async () => {
  base = await testDatabase();
});
afterAll(async () => await base?.close());
afterEach(async () => {
  const last = closing;
  closing = [];
  await Promise.all(last.map((close) => close()));
  await base.db.run(sql`delete from invocation`);
  expect(errors).toEqual([]);
});

interface Ingress {
  calls: FollowedCalls;
  /** The calls that it asks its container for, until the stop or the loss of the lease. */
  following: string[];
  /** Each call that it began to follow, as often as it did. */
  begun: string[];
  /** How often it asked the database. */
  asked: () => number;
  /** The database no longer answers it, as for a killed process. Nothing is released. */
  kill(): void;
}

function ingress(owner: string, more: Partial<FollowSettings> = {}): Ingress {
  const own = openDatabase(base.connection);
  const stopping = new AbortController();
  const following: string[] = [];
  const begun: string[] = [];
  let asked = 0;
  let isDead = false;
  const mortal = (db: Database): Database => ({
    ...db,
    all: async <Row extends object>(...query: Parameters<Database['all']>) => {
      if (isDead) await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve));
      asked += 1;
      return await db.all<Row>(...query);
    },
    openPool: (settings) => mortal(db.openPool(settings)),
  });
  const calls = followedCalls(mortal(own), {
    owner,
    alone: false,
    turns: noTurns,
    stopping: stopping.signal,
    follow: async ({ id }, lost) => {
      following.push(id);
      begun.push(id);
      const signal = AbortSignal.any([lost, stopping.signal]);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      following.splice(following.indexOf(id), 1);
    },
    background: (work) => void work.catch((error: unknown) => errors.push(error)),
    onError: (error) => errors.push(error),
    ...more,
  });
  closing.push(async () => {
    stopping.abort();
    await calls.close();
    await own.close();
  });
  return { calls, following, begun, asked: () => asked, kill: () => void (isDead = true) };
}

function call() {
  const [agent_id, revision_id, instance_id] = [randomUUID(), randomUUID(), randomUUID()];
  return { id: randomUUID(), agent_id, revision_id, instance_id, caller_id: randomUUID() };
}

const ownerOf = async (id: string) =>
  (await base.db.one<{ owner: string | null }>(sql`select owner from invocation where id = ${id}`))?.owner;

test('the open calls of a killed ingress are followed by exactly one other, within 8 s', async () => {
  const dead = ingress('dead');
  const rows = Array.from({ length: 12 }, call);
  for (const row of rows) await dead.calls.put(row);
  const others = [ingress('one'), ingress('two')];
  for (const { calls } of others) calls.start();
  // While the ingress lives, its calls are its own.
  const later = call();
  await dead.calls.put(later);
  const begun = () => others.flatMap((one) => one.begun).toSorted();
  const before = others.map(({ asked }) => asked());
  await expect.poll(() => others.every(({ asked }, n) => asked() > (before[n] ?? 0) + 1)).toBe(true);
  expect(begun()).toEqual([]);
  dead.kill();
  const killed_at = performance.now();
  const all = [...rows, later].map(({ id }) => id).toSorted();
  await expect.poll(() => begun().length, { timeout: 20_000, interval: 20 }).toBeGreaterThanOrEqual(all.length);
  expect(performance.now() - killed_at).toBeLessThan(8000);
  expect(begun()).toEqual(all);
  expect(others.flatMap(({ following }) => following).toSorted()).toEqual(all);
}, 40_000);

test('an ingress does not follow a call with an open connection, and follows it when it leaves the connection', async () => {
  const { calls, following } = ingress('one');
  const [open, broken, ended] = [call(), call(), call()];
  calls.start();
  for (const row of [open, broken, ended]) await calls.put(row);
  await base.db.run(sql`update invocation set state = 'ended' where id = ${ended.id}`);
  // As after a lost lease.
  await base.db.run(sql`update invocation set lease_until = clock_now() - interval '1 s' where id = ${open.id}`);
  for (const { id } of [broken, ended]) await calls.leave(id);
  await expect.poll(() => following).toEqual([broken.id]);
});

test('a stopped ingress returns its calls at once, and an ingress alone on its database begins with all calls', async () => {
  const first = ingress('first');
  const [row, of_killed] = [call(), call()];
  await first.calls.put(row);
  await first.calls.put(of_killed);
  await Promise.all(closing.splice(0).map((close) => close()));
  expect(await ownerOf(row.id)).toBeNull();
  await base.db.run(
    sql`update invocation set owner = 'killed', lease_until = clock_now() + interval '1 hour' where id = ${of_killed.id}`,
  );
  const next = ingress('next', { alone: true });
  next.calls.start();
  const wanted = [row.id, of_killed.id].toSorted();
  await expect.poll(() => next.following.toSorted()).toEqual(wanted);
});

test('a stored call that waits for an instance begins at none after its end, or when another ingress follows it', async () => {
  const { calls } = ingress('one');
  const [begun, ended, taken] = [call(), call(), call()];
  for (const row of [begun, ended, taken]) await calls.put({ ...row, instance_id: null });
  await base.db.run(sql`update invocation set state = 'ended' where id = ${ended.id}`);
  await base.db.run(sql`update invocation set owner = 'two' where id = ${taken.id}`);
  await calls.put(begun);
  for (const row of [ended, taken]) await expect(calls.put(row)).rejects.toMatchObject({ code: 'cancelled' });
  const stored = await base.db.all(sql`select instance_id from invocation where instance_id is not null`);
  expect(stored).toEqual([{ instance_id: begun.instance_id }]);
});
