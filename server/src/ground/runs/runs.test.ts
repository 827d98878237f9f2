import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import { errorCode, openDatabase, unique_violation, type Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { runEvents } from './events.ts';
import {
  activeRun,
  enqueue,
  findRun,
  findRuns,
  MutexHeld,
  requestCancel,
  type Run,
  type RunKind,
  type RunKinds,
  type RunRow,
} from './run.ts';
import { storyKind, storySteps, type StoryInput } from '../../testing/killed/story.ts';
import * as store from './store.ts';
import { startWorker, type Worker, type WorkerSettings } from './worker.ts';

let base: TestDatabase;
let folder: string;
let workers: Worker[] = [];
let errors: unknown[] = [];
const shares = { max: 8, team: 8, user: 8 };
const actor = { user_id: '00000000-0000-4000-8000-000000000001', name: 'ada@example.com' };

beforeAll(async () => {
  base = await testDatabase();
});
afterAll(async () => await base.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-runs-'));
  errors = [];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  await rm(folder, { recursive: true });
});

async function work(kinds: RunKinds = { story: storyKind() }, settings: Partial<WorkerSettings> = {}): Promise<void> {
  const worker = await startWorker(base.db, kinds, {
    owner: 'test',
    onError: (error) => errors.push(error),
    ...settings,
  });
  workers.push(worker);
}

async function begin(input: Partial<StoryInput> = {}, kind = 'story'): Promise<string> {
  const { id } = await enqueue(base.db, { kind, mutex: folder, input: { folder, ...input }, actor });
  return id;
}

async function events(id: string, after = 0): Promise<RunEvent[]> {
  const seen: RunEvent[] = [];
  for await (const event of runEvents(base.db, id, after, AbortSignal.timeout(20_000))) seen.push(event.data);
  return seen;
}

async function ended(id: string): Promise<RunRow> {
  await events(id);
  const run = await findRun(base.db, id);
  if (run === undefined) throw new Error('the run is gone');
  return run;
}

async function waitFor(id: string, wanted: (event: RunEvent) => boolean): Promise<void> {
  for await (const { data } of runEvents(base.db, id, 0, AbortSignal.timeout(10_000))) if (wanted(data)) return;
  throw new Error('the expected event did not happen');
}

const things = async () => (await readdir(folder)).filter((name) => name !== 'journal');
const told = async () => (await readFile(join(folder, 'journal'), 'utf8')).trim().split('\n');

test('a run does its steps in order, stores their outputs, and ends with its result', async () => {
  await work();
  const id = await begin();
  const run = await ended(id);
  expect(run).toMatchObject({ state: 'done', problem: null, result: ['first:1', 'second:1', 'third:1'], actor });
  expect(run.steps.map(({ n, name, state }) => [n, name, state])).toEqual(
    storySteps.map((name, i) => [i + 1, name, 'done']),
  );
  const seen = await events(id);
  expect(seen.map((event) => event.seq)).toEqual(seen.map((_, i) => i + 1));
  expect(
    seen.filter((event) => event.kind !== 'log').map((event) => `${event.kind} ${event.step} ${event.state}`),
  ).toEqual([...storySteps.flatMap((name) => [`step ${name} running`, `step ${name} done`]), 'end null done']);
});

test('text stays unchanged, even if it looks like a JSON escape', async () => {
  const input = {
    pattern: String.raw`[^\u0000-\u001f]`,
    [String.raw`\u0000`]: String.raw`\ud800 \\u0000`,
    emoji: '😀',
  };
  await work({ plain: { shares, work: async (run) => await run.step('only', async () => input) } });
  const { id } = await enqueue(base.db, { kind: 'plain', mutex: folder, input, actor });
  const run = await ended(id);
  expect(run).toMatchObject({ state: 'done' });
  expect(run.input).toEqual(input);
  expect(run.result).toEqual(input);
});

test('a step whose error text the database cannot store fails, and is not repeated', async () => {
  let attempts = 0;
  await work({
    plain: {
      shares,
      work: async (run) =>
        await run.step('only', async () => {
          if (++attempts > 1) return;
          throw new Problem('build_failed', {
            detail: 'half a character: \ud83d, a NUL: \0',
            fields: { 'key\udc00': ['\udc00'] },
          });
        }),
    },
  });
  const { id } = await enqueue(base.db, { kind: 'plain', mutex: folder, input: {}, actor });
  expect(await ended(id)).toMatchObject({
    state: 'failed',
    problem: { code: 'build_failed', detail: 'half a character: \ufffd, a NUL: \ufffd', 'key\ufffd': ['\ufffd'] },
  });
  expect(attempts).toBe(1);
  expect(errors).toEqual([]);
});

describe('a mutex', () => {
  async function add(run: { kind?: string; behind?: boolean }, db: Tx = base.db): Promise<string> {
    const { kind = 'story', behind = false } = run;
    return (await enqueue(db, { kind, mutex: folder, input: { folder, mutex: folder }, actor, behind })).id;
  }

  test('is held by one run of any kind, and the refusal of a second names the kind and the id of the first', async () => {
    const id = await begin();
    const refusal = await begin({}, 'other').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(MutexHeld);
    expect(refusal).toMatchObject({ holder: { id, kind: 'story' } });
    expect(await activeRun(base.db, folder)).toEqual({ id, kind: 'story' });
    await work();
    await ended(id);
    expect(await activeRun(base.db, folder)).toBeUndefined();
    await ended(await begin());
  });

  test('is refused while a run waits behind its last holder', async () => {
    const stop = holding();
    const [holder, behind] = [await add({}), await add({ kind: 'stop', behind: true })];
    await work({ story: storyKind(), stop: { ...stop.kind, shares } });
    await ended(holder);
    await expect(add({})).rejects.toMatchObject({ holder: { id: behind, kind: 'stop' } });
    stop.end(folder);
    await ended(behind);
    await ended(await add({}));
  });

  test('is passed on in order and to one run at a time, with two workers', async () => {
    const order: string[] = [];
    let under_way = 0;
    const kind = {
      shares,
      work: async (run: Run) =>
        await run.step('only', async () => {
          expect(++under_way).toBe(1);
          order.push(run.id);
          await new Promise((resolve) => setImmediate(resolve));
          under_way--;
        }),
    };
    const ids = [await add({})];
    for (let n = 0; n < 12; n++) ids.push(await add({ kind: n % 2 === 0 ? 'story' : 'other', behind: true }));
    for (const owner of ['one', 'two']) await work({ story: kind, other: kind }, { owner, poll_ms: 20 });
    for (const id of ids) expect(await ended(id)).toMatchObject({ state: 'done' });
    expect(order).toEqual(ids);
    expect(errors).toEqual([]);
  });

  test('goes to one of two claims at the same moment, even if neither sees the run of the other', async () => {
    const kinds = { story: storyKind() };
    const newer = await add({ behind: true });
    const claimed = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const first = base.db.transaction(async (tx) => {
      expect(await store.claim(tx, { owner: 'one', kinds }, 60_000)).toMatchObject({ id: newer });
      claimed.resolve();
      await commit.promise;
    });
    await claimed.promise;
    // The older run is committed late. The claim of the newer one is not committed yet.
    const older = await add({ behind: true });
    await base.db.run(sql`update run set created_at = created_at - interval '1 hour' where id = ${older}`);
    const second = store.claim(base.db, { owner: 'two', kinds }, 60_000).catch((error: unknown) => errorCode(error));
    await expect
      .poll(async () => await base.db.all(sql`select from pg_stat_activity where wait_event = 'transactionid'`))
      .toHaveLength(1);
    commit.resolve();
    await first;
    expect(await second).toBe(unique_violation);
    // The begun run keeps its turn, and the older one waits.
    expect(await store.claim(base.db, { owner: 'two', kinds }, 60_000)).toBeUndefined();
    await base.db.run(sql`update run set lease_until = null where id = ${newer}`);
    await work();
    for (const id of [newer, older]) expect(await ended(id)).toMatchObject({ state: 'done' });
  });

  test('does not delay the end of a cancelled run behind its holder', async () => {
    await work();
    const holder = await begin({ waits: 'first' });
    await waitFor(holder, (event) => event.kind === 'log');
    const behind = await add({ behind: true });
    await waitFor(behind, (event) => event.kind === 'wait');
    expect((await findRun(base.db, behind))?.notices).toEqual([expect.stringContaining('an earlier run')]);
    await requestCancel(base.db, behind);
    expect(await ended(behind)).toMatchObject({ state: 'cancelled', steps: [] });
    expect(await findRun(base.db, holder)).toMatchObject({ state: 'running' });
    await requestCancel(base.db, holder);
    await ended(holder);
  });
});

test("a failed step undoes the run's steps and itself, newest first, and nothing else", async () => {
  await work();
  const run = await ended(await begin({ fails: 'second' }));
  expect(run).toMatchObject({ state: 'failed', problem: { code: 'build_failed', detail: 'second failed' } });
  expect((await told()).filter((line) => line.includes('undone'))).toEqual(['second undone by 1', 'first undone by 1']);
  expect(run.steps.map(({ name, state }) => `${name} ${state}`)).toEqual(['first undone', 'second failed']);
  expect(await things()).toEqual([]);
});

test('after a failed undo the run needs attention and names the leftovers, and the other steps are undone', async () => {
  await work();
  const run = await ended(await begin({ fails: 'third', sticks: 'second' }));
  expect(run).toMatchObject({
    state: 'needs_attention',
    problem: { code: 'build_failed', leftovers: [{ step: 'second', output: 'second:1', reason: 'second sticks' }] },
  });
  expect(await things()).toEqual([`${run.id}-second`]);
});

test.each(storySteps)('a cancel during the %s step acts at once and undoes the finished steps', async (step) => {
  await work();
  const id = await begin({ waits: step });
  await waitFor(id, (event) => event.step === step && event.kind === 'log');
  const asked = performance.now();
  expect(await requestCancel(base.db, id)).toBe(true);
  const run = await ended(id);
  // An idle machine needs about a tenth of that.
  expect(performance.now() - asked).toBeLessThan(2500);
  expect(run).toMatchObject({ state: 'cancelled', problem: { code: 'cancelled' } });
  expect(await things()).toEqual([]);
  expect(errors).toEqual([]);
});

test('a run that is cancelled before its first claim does nothing', async () => {
  const id = await begin();
  expect(await requestCancel(base.db, id)).toBe(true);
  await work();
  expect(await ended(id)).toMatchObject({ state: 'cancelled', steps: [] });
  expect(await requestCancel(base.db, id)).toBe(false);
});

test('a settled run cannot be cancelled, and a later failure undoes nothing', async () => {
  const undone: string[] = [];
  const settled = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await work({
    story: {
      shares,
      work: async (run) => {
        await run.step(
          'switch',
          async () => await base.db.transaction(async (tx) => await run.settle(tx)),
          async () => void undone.push('switch'),
        );
        settled.resolve();
        await release.promise;
        throw new Error('a fault after the switch');
      },
    },
  });
  const id = await begin();
  await settled.promise;
  expect(await requestCancel(base.db, id)).toBe(false);
  release.resolve();
  expect(await ended(id)).toMatchObject({ state: 'needs_attention', problem: { code: 'internal', leftovers: [] } });
  expect(undone).toEqual([]);
});

test('a run with a requested cancel cannot settle', async () => {
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await work({
    story: {
      shares,
      work: async (run) =>
        await run.step('switch', async () => {
          reached.resolve();
          await release.promise;
          await base.db.transaction(async (tx) => await run.settle(tx));
        }),
    },
  });
  const id = await begin();
  await reached.promise;
  await requestCancel(base.db, id);
  release.resolve();
  expect(await ended(id)).toMatchObject({ state: 'cancelled' });
});

test('a failed run is reported in the transaction of its end', async () => {
  await base.db.run({ strings: ['create table said (run_id uuid, state text)'], values: [] });
  await work({
    story: {
      shares,
      work: async () => await Promise.reject(new Error('a bug')),
      end: async (run, ending, finish) =>
        await base.db.transaction(async (tx) => {
          await finish(tx);
          await tx.run({ strings: ['insert into said values (', ', ', ')'], values: [run.id, ending.state] });
        }),
    },
  });
  const id = await begin();
  expect(await ended(id)).toMatchObject({ state: 'failed', problem: { code: 'internal' } });
  expect(await base.db.all({ strings: ['select * from said'], values: [] })).toEqual([{ run_id: id, state: 'failed' }]);
  expect(errors).toMatchObject([{ message: 'a bug' }]);
});

test('a stopped worker releases its run, and the next worker continues it at once', async () => {
  await work(undefined, { owner: 'one' });
  const id = await begin({ waits: 'second' });
  await waitFor(id, (event) => event.step === 'second' && event.kind === 'log');
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  expect(await findRun(base.db, id)).toMatchObject({ state: 'running' });
  await base.db.run({ strings: ["update run set input = input - 'waits' where id = ", ''], values: [id] });
  const asked = performance.now();
  await work(undefined, { owner: 'two' });
  expect(await ended(id)).toMatchObject({ state: 'done', result: ['first:1', 'second:2', 'third:2'] });
  expect(performance.now() - asked).toBeLessThan(5000);
  expect((await told()).filter((line) => line.startsWith('first begun'))).toHaveLength(1);
});

test('a pool without a free connection loses no run', async () => {
  const pool = openDatabase(base.connection, { max: 3 });
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const kind = {
    shares,
    work: async (run: Run) =>
      await run.step('hold', async () => {
        reached.resolve();
        await release.promise;
      }),
  };
  const worker = await startWorker(
    pool,
    { story: kind },
    { owner: 'one', lease_ms: 1200, onError: (e) => errors.push(e) },
  );
  const id = await begin();
  await reached.promise;
  const free = Promise.withResolvers<void>();
  const taken = Array.from({ length: 20 }, async () => await pool.transaction(async () => await free.promise));
  const lease = async () =>
    (await base.db.one<{ at: string }>(sql`select lease_until as at from run where id = ${id}`))?.at ?? '';
  const before = Date.parse(await lease());
  // Two whole leases later, the run still has one.
  await expect.poll(async () => Date.parse(await lease()) - before, { timeout: 10_000 }).toBeGreaterThan(2400);
  release.resolve();
  free.resolve();
  await Promise.all(taken);
  expect(await ended(id)).toMatchObject({ state: 'done' });
  expect(await base.db.one(sql`select fence from run where id = ${id}`)).toEqual({ fence: 1 });
  await worker.stop();
  await pool.close();
  expect(errors).toEqual([]);
});

test('readers get the same events during the run and later, and a reader that reconnects misses none', async () => {
  await work();
  const id = await begin({ waits: 'third' });
  const live = Array.from({ length: 20 }, () => events(id));
  const part: RunEvent[] = [];
  for await (const { data } of runEvents(base.db, id, 0, AbortSignal.timeout(10_000))) if (part.push(data) === 3) break;
  await waitFor(id, (event) => event.step === 'third' && event.kind === 'log');
  await requestCancel(base.db, id);
  const all = await Promise.all(live);
  const replayed = await events(id);
  for (const seen of all) expect(seen).toEqual(replayed);
  const rest = await events(id, part.at(-1)?.seq);
  expect([...part, ...rest]).toEqual(replayed);
  expect(await events(id, replayed.at(-1)?.seq)).toEqual([]);
});

test('a reader that leaves ends at once, and the run continues', async () => {
  const id = await begin();
  const leaving = new AbortController();
  const reading = (async () => {
    for await (const _ of runEvents(base.db, id, 0, leaving.signal));
  })();
  setTimeout(() => leaving.abort(), 50);
  await reading;
  expect(await findRun(base.db, id)).toMatchObject({ state: 'queued' });
  await work();
  expect(await ended(id)).toMatchObject({ state: 'done' });
});

test('log lines arrive in batches and in order, and a log over the limit is visibly cut off', async () => {
  await work(
    {
      story: {
        shares,
        work: async (run) =>
          await run.step('chatter', async (at) => {
            for (let i = 0; i < 5000; i++) at.log(`line ${i} ${'x'.repeat(20)}`);
          }),
      },
    },
    { max_log_bytes: 100_000 },
  );
  const id = await begin();
  const seen = await events(id);
  const lines = seen.filter((event) => event.kind === 'log');
  expect(lines.map((event) => event.message.split(' ')[1])).toEqual(lines.map((_, i) => String(i)));
  expect(lines.length).toBeGreaterThan(3000);
  expect(lines.length).toBeLessThan(5000);
  expect(seen.filter((event) => event.data.truncated === true)).toHaveLength(1);
  expect(seen.at(-1)).toMatchObject({ kind: 'end', state: 'done' });
});

test('two workers on fifty runs do nothing twice', async () => {
  const other = openDatabase(base.connection);
  const done: string[] = [];
  const kind = {
    story: {
      shares,
      work: async (run: { id: string; step: (name: string, work: () => Promise<void>) => Promise<void> }) =>
        await run.step('once', async () => void done.push(run.id)),
    },
  };
  await work(kind, { owner: 'one' });
  const second = await startWorker(other, kind, {
    owner: 'two',
    onError: (error) => errors.push(error),
  });
  const ids = await Promise.all(
    Array.from(
      { length: 50 },
      async (_, i) => (await enqueue(base.db, { kind: 'story', mutex: `${folder} ${i}`, input: {}, actor })).id,
    ),
  );
  for (const id of ids) expect(await ended(id)).toMatchObject({ state: 'done' });
  expect(done.toSorted()).toEqual(ids.toSorted());
  const owners = await base.db.all({
    strings: ['select fence from run where id = any(', ') and fence > 1'],
    values: [ids],
  });
  expect(owners).toEqual([]);
  await second.stop();
  await other.close();
  expect(errors).toEqual([]);
});

/** Runs of this kind last until `end` is called with their mutex. */
function holding() {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (mutex: string) => {
    const one = gates.get(mutex) ?? Promise.withResolvers<void>();
    gates.set(mutex, one);
    return one;
  };
  const kind: RunKind<{ mutex: string }> = {
    shares: { max: 4, team: 3, user: 2 },
    work: async (run) => await run.step('hold', async () => await gate(run.input.mutex).promise),
  };
  return { kind, end: (mutex: string) => gate(mutex).resolve() };
}

const person = (n: number) => ({ user_id: `00000000-0000-4000-8000-00000000000${n}`, name: `person ${n}` });
const teamId = (n: number) => `00000000-0000-4000-9000-00000000000${n}`;

describe('shares', () => {
  let ids: Map<string, string>;
  async function line(kind: string, mutex: string, user: number, team: number): Promise<void> {
    const { id } = await enqueue(base.db, {
      kind,
      mutex,
      input: { mutex },
      actor: person(user),
      team_id: teamId(team),
    });
    ids.set(mutex, id);
  }
  const running = async () =>
    (await findRuns(base.db, [...ids.values()])).filter(({ state }) => state === 'running').map(({ mutex }) => mutex);
  const ends = async (gates: ReturnType<typeof holding>[]) => {
    for (const mutex of ids.keys()) for (const { end } of gates) end(mutex);
    for (const id of ids.values()) await ended(id);
  };
  beforeEach(() => {
    ids = new Map();
  });

  test('one user takes two places of a kind, one team three, all together four, and a waiting run says why', async () => {
    const [pushes, deploys] = [holding(), holding()];
    const kinds = { push: pushes.kind, deploy: { ...deploys.kind, shares: { max: 6, team: 4, user: 3 } } };
    for (const mutex of ['a1', 'a2', 'a3']) await line('push', mutex, 1, 1);
    await line('push', 'b1', 2, 1);
    await line('push', 'b2', 3, 1);
    await line('push', 'c1', 4, 2);
    await line('push', 'd1', 5, 3);
    for (const mutex of ['x1', 'x2', 'x3']) await line('deploy', mutex, 1, 1);
    await work(kinds, { poll_ms: 50 });
    await expect.poll(running, { timeout: 10_000 }).toEqual(['a1', 'a2', 'b1', 'c1', 'x1', 'x2', 'x3']);
    const said = async (mutex: string) => {
      const id = ids.get(mutex) ?? '';
      await waitFor(id, ({ kind }) => kind === 'wait');
      return (await findRun(base.db, id))?.notices;
    };
    expect(await said('a3')).toEqual([expect.stringContaining('runs of its user')]);
    expect(await said('b2')).toEqual([expect.stringContaining('its team has its share')]);
    expect(await said('d1')).toEqual([expect.stringContaining('runs of its kind')]);
    // A run of another team begins before older runs of a team that has its share.
    pushes.end('c1');
    await expect.poll(running, { timeout: 10_000 }).toEqual(['a1', 'a2', 'b1', 'd1', 'x1', 'x2', 'x3']);
    expect((await findRun(base.db, ids.get('d1') ?? ''))?.notices).toEqual([]);
    await ends([pushes, deploys]);
    expect(errors).toEqual([]);
  });

  test('long runs of two kinds take all their places, and a run of a third begins at once', async () => {
    const [long, deploys] = [holding(), holding()];
    for (const kind of ['push', 'copy']) for (let n = 0; n < 6; n++) await line(kind, `${kind} ${n}`, n, n);
    await work({ push: long.kind, copy: long.kind, deploy: deploys.kind }, { poll_ms: 50 });
    await expect.poll(async () => (await running()).length, { timeout: 10_000 }).toBe(8);
    await line('deploy', 'other', 1, 1);
    await expect.poll(running, { timeout: 10_000 }).toContain('other');
    expect(await running()).toHaveLength(9);
    await ends([long, deploys]);
  });

  test('shares hold in each of several processes: in no process does one team take all places', async () => {
    const pushes = holding();
    for (let n = 0; n < 9; n++) await line('push', `many ${n}`, n, 1);
    for (const owner of ['one', 'two']) await work({ push: pushes.kind }, { owner, poll_ms: 50 });
    await expect.poll(async () => (await running()).length, { timeout: 10_000 }).toBe(6);
    await line('push', 'other', 9, 2);
    await expect.poll(running, { timeout: 10_000 }).toContain('other');
    expect(await running()).toHaveLength(7);
    await ends([pushes]);
  });

  test('runs that begin without a queue take places of the same shares, and a refusal names the full one', async () => {
    const pushes = holding();
    await work({ push: pushes.kind });
    const [worker] = workers;
    const start = async (mutex: string, user: number, team: number) => {
      const [user_id, team_id] = [user, team].map((n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
      const run = { kind: 'push', mutex, input: { mutex }, actor: { user_id: user_id ?? '', name: mutex } };
      const begun = await worker?.begin({ ...run, ...(team_id !== undefined && { team_id }) });
      if (begun !== undefined && 'id' in begun) ids.set(mutex, begun.id);
      return begun !== undefined && 'full' in begun ? begun.full : 'begun';
    };
    const first = await Promise.all([start('a1', 1, 1), start('a2', 1, 1), start('a3', 1, 1)]);
    expect(first.toSorted()).toEqual(['begun', 'begun', 'user']);
    expect([
      await start('b1', 2, 1),
      await start('c1', 3, 1),
      await start('d1', 4, 2),
      await start('e1', 5, 3),
    ]).toEqual(['begun', 'team', 'begun', 'max']);
    await ends([pushes]);
  });

  test('a cancelled run that waits for its share ends at once', async () => {
    const pushes = holding();
    for (const mutex of ['p1', 'p2', 'p3']) await line('push', mutex, 1, 1);
    await work({ push: pushes.kind }, { poll_ms: 50 });
    await expect.poll(running, { timeout: 10_000 }).toEqual(['p1', 'p2']);
    await base.db.transaction(async (tx) => await requestCancel(tx, ids.get('p3') ?? ''));
    expect(await ended(ids.get('p3') ?? '')).toMatchObject({ state: 'cancelled' });
    await ends([pushes]);
  });
});
