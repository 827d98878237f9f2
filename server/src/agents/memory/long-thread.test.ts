// A long thread: one page of it is as fast as of a short one, and what touches all of it grows with it, not with its square. A statement that
// takes a minute is refused. With 10,000 checkpoints (`npm run soak`), the square takes longer.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { memoryStage, superstep, valuesIn, type MemoryStage } from '../../testing/agents/memory-stage.ts';
import { inSoak } from '../../testing/config.ts';
import { printFigures } from '../../testing/print-figures.ts';
import { readFrames, writeFrames } from './frames.ts';

const checkpoints = inSoak(1000, 10_000);
const in_a_request = 1000;
const of_keeper = { name: 'keeper' };

let stage: MemoryStage;
let ada_id: string;
beforeAll(async () => {
  stage = await memoryStage();
  await stage.app.governed(sql`update revision set kept_by_service = true returning id`);
  const row = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${stage.ada.email}`);
  ada_id = row?.id ?? '';
});
afterAll(async () => await stage?.close());

const idOf = (n: number) => String(n).padStart(6, '0');

/** Many supersteps in one request. */
function supersteps(from: number): Buffer {
  const all = Array.from({ length: in_a_request }, (_, n) =>
    superstep(idOf(from + n), { parent: idOf(from + n - 1), value: `value ${from + n}` }),
  );
  const puts = all.flatMap((body) => (readFrames(body).head as { puts: object[] }).puts);
  return writeFrames(
    { puts },
    all.map((body) => body.subarray(body.indexOf(0x0a) + 1)),
  );
}

const bytesLeft = async () =>
  await stage.app.db.one(sql`
    select (select count(*)::int from thread_state) as states, (select count(*)::int from thread_blob) as blobs`);

test('a long thread is paged, written, forked, pruned and forgotten', async () => {
  const figures: Record<string, number> = { checkpoints };
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const done = await work();
    figures[what] = Math.round(performance.now() - began);
    return done;
  };
  const { client } = stage.ada;
  const long = { ...of_keeper, thread: 'long' };
  const run = await stage.openRun({ caller_id: ada_id, thread: 'long' });
  for (let n = 0; n < checkpoints; n += in_a_request)
    expect((await run.ask('POST', '/memory/state', supersteps(n))).status).toBe(204);
  const put = await timed('superstep', async () =>
    run.ask('POST', '/memory/state', superstep(idOf(checkpoints), { value: 'the last' })),
  );
  expect(put.status).toBe(204);
  const newest = await timed('newest', async () => await run.ask('GET', '/memory/state?ns=&limit=1'));
  expect(valuesIn(newest.bytes)).toEqual([{ id: idOf(checkpoints), value: 'the last' }]);
  await run.end();

  const first = await timed('history', async () => await client.call('threads.history', { params: long }));
  expect(first.items[0]).toMatchObject({ checkpoint_id: idOf(checkpoints), values: { messages: 'the last' } });
  const { next_cursor: cursor } = first;
  expect((await client.call('threads.history', { params: long, query: { cursor } })).items).toHaveLength(50);
  const { items } = await timed('list', async () =>
    client.call('threads.list', { params: of_keeper, query: { titles: 'true' } }),
  );
  expect(items).toMatchObject([{ thread_id: 'long' }]);

  await timed('fork', async () => await client.call('threads.fork', { params: long, body: { thread_id: 'fork' } }));
  expect(await bytesLeft()).toEqual({ states: 2 * (checkpoints + 1), blobs: 2 * (checkpoints + 1) });
  const later = await stage.openRun({ caller_id: ada_id, thread: 'fork' });
  await later.ask('POST', '/memory/state', superstep(idOf(checkpoints + 1), { value: 'of a later run' }));
  const drop = { run_ids: [later.id] };
  const dropped = await timed('delete a run', async () => later.ask('POST', '/memory/state/delete-runs', drop));
  expect(dropped.status).toBe(204);
  expect(await bytesLeft()).toEqual({ states: 2 * (checkpoints + 1), blobs: 2 * (checkpoints + 1) });
  const prune = { threads: ['fork'], strategy: 'keep_latest' };
  const pruned = await timed('prune', async () => await later.ask('POST', '/memory/state/prune', prune));
  expect(pruned.status).toBe(204);
  expect(await bytesLeft()).toEqual({ states: checkpoints + 2, blobs: checkpoints + 2 });
  await later.end();

  const params = { id: ada_id };
  await timed('forget', async () => await client.call('threads.forget_user', { params, body: {} }));
  expect(await bytesLeft()).toEqual({ states: 0, blobs: 0 });
  printFigures('a long thread', figures);
}, 300_000);
