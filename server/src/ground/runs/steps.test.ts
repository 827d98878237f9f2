// Steps beside each other and inside each other.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../database/sql.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { runEvents } from './events.ts';
import { enqueue, findRun, requestCancel, type Run, type RunRow } from './run.ts';
import { startWorker, type Worker } from './worker.ts';

let base: TestDatabase;
let worker: Worker | undefined;
let errors: unknown[];
let told: string[];
let runs = 0;
const actor = { user_id: '00000000-0000-4000-8000-000000000001', name: 'ada@example.com' };

beforeAll(async () => {
  base = await testDatabase();
});
afterAll(async () => await base?.close());
beforeEach(() => {
  [errors, told] = [[], []];
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  expect(errors).toEqual([]);
});

async function work(act: (run: Run) => Promise<unknown>): Promise<void> {
  worker = await startWorker(
    base.db,
    { tree: { shares: { max: 8, team: 8, user: 8 }, work: act } },
    { owner: 'test', poll_ms: 50, onError: (error) => errors.push(error) },
  );
}

async function begin(): Promise<string> {
  return (await enqueue(base.db, { kind: 'tree', mutex: String(runs++), input: {}, actor })).id;
}

async function events(id: string) {
  const seen = [];
  for await (const { data } of runEvents(base.db, id, 0, AbortSignal.timeout(20_000))) seen.push(data);
  return seen;
}

async function ended(id: string): Promise<RunRow> {
  await events(id);
  const run = await findRun(base.db, id);
  if (run === undefined) throw new Error('the run is gone');
  return run;
}

/** A step that tells its work and its undo. */
async function tell(run: Run, name: string, act: (run: Run) => Promise<unknown> = async () => name): Promise<unknown> {
  return await run.step(
    name,
    async (at) => {
      told.push(name);
      return await act(at);
    },
    async () => void told.push(`undo ${name}`),
  );
}

const aborted = async ({ signal }: Run) =>
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

test('steps inside steps have a path, which their log lines and their records carry', async () => {
  const both = Promise.withResolvers<void>();
  let begun = 0;
  await work(
    async (run) =>
      await run.step('workers', async (workers) => {
        const call = async (name: string) =>
          await workers.step(
            name,
            async (one) =>
              await one.step('call', async ({ log }) => {
                log(`begun ${name}`);
                if (++begun === 2) both.resolve();
                await both.promise;
                log(`called ${name}`);
                return name;
              }),
          );
        return await Promise.all([call('1'), call('2')]);
      }),
  );
  const id = await begin();
  const run = await ended(id);
  expect(run).toMatchObject({ state: 'done', result: ['1', '2'] });
  expect(run.steps.map(({ n, name }) => `${n} ${name}`)).toEqual([
    '1 workers',
    '2 workers/1',
    '3 workers/2',
    '4 workers/1/call',
    '5 workers/2/call',
  ]);
  const lines = (await events(id))
    .filter(({ kind }) => kind === 'log')
    .map(({ step, message }) => `${step}: ${message}`);
  expect(lines.toSorted()).toEqual([
    'workers/1/call: begun 1',
    'workers/1/call: called 1',
    'workers/2/call: begun 2',
    'workers/2/call: called 2',
  ]);
});

test('a failed step stops the steps beside it, and undo begins after their end, newest first', async () => {
  const waiting = Promise.withResolvers<void>();
  await work(async (run) => {
    await tell(run, 'before');
    await tell(run, 'start', async (start) => {
      await Promise.all([
        tell(start, '1'),
        tell(start, '2', async (at) => {
          waiting.resolve();
          await aborted(at).catch(async (error: unknown) => {
            for (let n = 0; n < 20; n++) await base.db.one(sql`select 1`);
            told.push('2 has ended');
            throw error;
          });
        }),
        tell(start, '3', async () => {
          await waiting.promise;
          throw new Problem('build_failed', { detail: 'the third failed' });
        }),
      ]);
    });
  });
  const run = await ended(await begin());
  expect(run).toMatchObject({ state: 'failed', problem: { code: 'build_failed', detail: 'the third failed' } });
  expect(run.steps.map(({ name, state, problem }) => [name, state, problem?.code])).toEqual([
    ['before', 'undone', undefined],
    ['start', 'failed', 'build_failed'],
    ['start/1', 'undone', undefined],
    ['start/2', 'failed', 'cancelled'],
    ['start/3', 'failed', 'build_failed'],
  ]);
  expect(told.slice(-6)).toEqual(['2 has ended', 'undo 3', 'undo 2', 'undo 1', 'undo start', 'undo before']);
});

test('a failure that the work catches stops no other step', async () => {
  await work(
    async (run) =>
      await run.step('workers', async (workers) => {
        const failed = Promise.withResolvers<void>();
        const ends = await Promise.allSettled([
          workers
            .step('1', async () => await Promise.reject(new Problem('build_failed', { detail: 'no' })))
            .finally(failed.resolve),
          workers.step('2', async ({ signal }) => {
            await failed.promise;
            return signal.aborted;
          }),
        ]);
        return ends.map(({ status }) => status);
      }),
  );
  expect(await ended(await begin())).toMatchObject({ state: 'done', result: ['rejected', 'fulfilled'] });
});

/** Stops the worker when `reached` settles. The run continues from its record, as after a crash. */
async function interrupt(act: (run: Run, reached: () => void) => Promise<unknown>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await work(async (run) => await act(run, resolve));
  const id = await begin();
  await promise;
  await worker?.stop();
  told = [];
  return id;
}

test('after a crash, each finished inner step keeps its output and the others are done again', async () => {
  const rolling = async (run: Run, second: (at: Run) => Promise<unknown>) =>
    await tell(run, 'start', async (start) => await Promise.all([tell(start, '1'), tell(start, '2', second)]));
  const id = await interrupt(
    async (run, reached) =>
      await rolling(run, async (at) => {
        const isDone = async () =>
          (await findRun(base.db, run.id))?.steps.find(({ name }) => name === 'start/1')?.state === 'done';
        await expect.poll(isDone).toBe(true);
        reached();
        await aborted(at);
      }),
  );
  await work(async (run) => await rolling(run, async () => 'again'));
  expect(await ended(id)).toMatchObject({ state: 'done', result: ['1', 'again'] });
  expect(told).toEqual(['start', '2']);
});

test('after a crash, undo reaches the inner steps of a finished step, and repeats none of them', async () => {
  const two = async (run: Run, then: (at: Run) => Promise<unknown>) => {
    await tell(run, 'start', async (start) => await Promise.all([tell(start, '1'), tell(start, '2')]));
    await tell(run, 'switch', then);
  };
  const id = await interrupt(
    async (run, reached) =>
      await two(run, async (at) => {
        reached();
        await aborted(at);
      }),
  );
  await work(
    async (run) => await two(run, async () => await Promise.reject(new Problem('build_failed', { detail: 'no' }))),
  );
  expect(await ended(id)).toMatchObject({ state: 'failed' });
  expect(told.filter((one) => one !== 'start')).toEqual(['switch', 'undo switch', 'undo 2', 'undo 1', 'undo start']);
});

test('a run that is cancelled between a crash and its continuation undoes the step that the crash interrupted', async () => {
  const one = async (run: Run, act: (at: Run) => Promise<unknown>) =>
    await tell(run, 'start', async (start) => await tell(start, '1', act));
  const id = await interrupt(
    async (run, reached) =>
      await one(run, async (at) => {
        reached();
        await aborted(at);
      }),
  );
  await requestCancel(base.db, id);
  await work(async (run) => await one(run, async () => 'never'));
  expect(await ended(id)).toMatchObject({ state: 'cancelled' });
  expect(told.slice(-2)).toEqual(['undo 1', 'undo start']);
});

test('a step whose undo the work does not reach again is a leftover', async () => {
  const id = await interrupt(async (run, reached) => {
    await tell(run, 'made');
    await tell(run, 'more', async (at) => {
      reached();
      await aborted(at);
    });
  });
  await requestCancel(base.db, id);
  await work(async (run) => await tell(run, 'more'));
  expect(await ended(id)).toMatchObject({
    state: 'needs_attention',
    problem: { code: 'cancelled', leftovers: [{ step: 'made', output: 'made' }] },
  });
  expect(told).toEqual(['undo more']);
});

test('undo after a crash collects every parallel branch, even when one stops early', async () => {
  const branches = async (run: Run, end: (at: Run) => Promise<unknown>) =>
    await run.step('workers', async (workers) => {
      const branch = async (names: string[]) => {
        for (const name of names) {
          await tell(workers, name, name === 'last' ? end : undefined);
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await Promise.all([branch(['last']), branch(['a', 'b', 'c'])]);
    });
  const id = await interrupt(
    async (run, reached) =>
      await branches(run, async (at) => {
        const names = async () =>
          (await findRun(base.db, run.id))?.steps.filter(({ state }) => state === 'done').length;
        await expect.poll(names).toBe(3);
        reached();
        await aborted(at);
      }),
  );
  const ending = { state: 'failed', problem: { code: 'build_failed', detail: 'no' } };
  await base.db.run(sql`update run set ending = ${JSON.stringify(ending)}::jsonb where id = ${id}`);
  await work(async (run) => await branches(run, async () => 'never'));
  expect(await ended(id)).toMatchObject({ state: 'failed' });
  expect(told).toEqual(['undo c', 'undo b', 'undo a', 'undo last']);
});
