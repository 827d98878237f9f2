// Hostile agent code at the door of memory: it has the key of its agent, and may send anything with it.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import {
  memoryStage,
  superstep,
  valuesIn,
  type MemoryStage,
  type OpenedRun,
} from '../../../testing/agents/memory-stage.ts';
import { writeFrames } from '../frames.ts';

let stage: MemoryStage;
let ada: string;
let bob: string;
beforeAll(async () => {
  stage = await memoryStage();
  const { email } = await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } });
  const idOf = async (of: string) =>
    (await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${of}`))?.id ?? '';
  [ada, bob] = [await idOf(stage.ada.email), await idOf(email)];
});
afterAll(async () => await stage?.close());

const put = async (run: OpenedRun, body: Buffer, thread?: string) =>
  await run.ask('POST', `/memory/state${thread === undefined ? '' : `?thread=${thread}`}`, body);
const read = async (run: OpenedRun, query = '') => {
  const { status, bytes, json } = await run.ask('GET', `/memory/state?${query}`);
  return status === 200 ? valuesIn(bytes) : json;
};

describe('states', () => {
  test('a later run of the caller reads what an earlier one has put, the newest first', async () => {
    const first = await stage.openRun({ caller_id: ada, thread: 'kept' });
    expect(await put(first, superstep('1', { value: 'hello' }))).toMatchObject({ status: 204 });
    expect(await put(first, superstep('2', { parent: '1', value: 'hello again' }))).toMatchObject({ status: 204 });
    await first.end();
    const second = await stage.openRun({ caller_id: ada, thread: 'kept' });
    expect(await read(second)).toEqual([{ id: '2', value: 'hello again' }]);
    expect(await read(second, 'limit=10')).toEqual([
      { id: '2', value: 'hello again' },
      { id: '1', value: 'hello' },
    ]);
    expect(await read(second, 'before=2&limit=10')).toEqual([{ id: '1', value: 'hello' }]);
    await second.end();
  });

  test('the same name of another caller, and of the same caller through another agent, is another thread', async () => {
    const runs = await Promise.all([
      stage.openRun({ caller_id: ada, thread: 'shared' }),
      stage.openRun({ caller_id: bob, thread: 'shared' }),
      stage.openRun({ caller_id: ada, thread: 'shared', chain: [{ id: randomUUID(), ref: 'agents/other' }] }),
    ]);
    for (const [n, run] of runs.entries()) await put(run, superstep('1', { value: `of run ${n}` }));
    for (const [n, run] of runs.entries()) expect(await read(run)).toEqual([{ id: '1', value: `of run ${n}` }]);
    for (const run of runs) await run.end();
  });

  test('a name of another caller’s thread in the request reaches a thread of the own caller', async () => {
    const of_bob = await stage.openRun({ caller_id: bob, thread: 'secret' });
    await put(of_bob, superstep('1', { value: 'of bob' }));
    const of_ada = await stage.openRun({ caller_id: ada, thread: 'mine' });
    expect(await read(of_ada, 'thread=secret')).toEqual([]);
    expect(await put(of_ada, superstep('1', { value: 'of ada' }), 'secret')).toMatchObject({ status: 204 });
    expect(await read(of_bob)).toEqual([{ id: '1', value: 'of bob' }]);
    await of_bob.end();
    await of_ada.end();
  });

  test('a run that has ended, one that was never stored, and one of another key reach nothing', async () => {
    const run = await stage.openRun({ caller_id: ada, thread: 'over' });
    await put(run, superstep('1', { value: 'x' }));
    await run.end();
    const refused = { status: 403, json: { code: 'run_refused' } };
    expect(await put(run, superstep('2', { value: 'late' }))).toMatchObject(refused);
    expect(await run.ask('GET', '/memory/state')).toMatchObject(refused);
    expect(await run.ask('POST', '/memory/store', { ops: [] })).toMatchObject(refused);
    for (const token of [
      stage.tokenOf({ id: randomUUID(), caller_id: ada }),
      stage.tokenOf({ id: run.id, caller_id: ada, key_id: randomUUID() }),
      'garbage',
    ]) {
      const headers = { authorization: `Bearer ${stage.key}`, 'x-svc-run': token };
      expect((await fetch(`${stage.door}/memory/state`, { headers })).status).toBe(403);
    }
    const headers = { authorization: `Bearer ${stage.key}` };
    expect((await fetch(`${stage.door}/memory/state`, { headers })).status).toBe(403);
  });

  test('a call writes only in its turn, and never into the thread of a call that works', async () => {
    const first = await stage.openRun({ caller_id: ada, thread: 'queue' });
    const second = await stage.openRun({ caller_id: ada, thread: 'queue' });
    const beside = await stage.openRun({ caller_id: ada, thread: 'beside' });
    const busy = { status: 409, json: { code: 'thread_busy' } };
    expect(await put(second, superstep('1', { value: 'early' }))).toMatchObject(busy);
    expect(await put(beside, superstep('1', { value: 'foreign' }), 'queue')).toMatchObject(busy);
    expect(await put(first, superstep('1', { value: 'first' }))).toMatchObject({ status: 204 });
    await first.end();
    expect(await put(second, superstep('2', { value: 'second' }))).toMatchObject({ status: 204 });
    expect(await put(first, superstep('3', { value: 'paused' }))).toMatchObject({ status: 403 });
    await second.end();
    await beside.end();
  });

  test('a call without a thread keeps its state under the id of its run, and has no other one', async () => {
    const run = await stage.openRun({ caller_id: ada });
    expect(await put(run, superstep('1', { value: 'x' }))).toMatchObject({ status: 422, json: { code: 'no_thread' } });
    expect(await put(run, superstep('1', { value: 'waits' }), run.id)).toMatchObject({ status: 204 });
    await run.end();
    const later = await stage.openRun({ caller_id: ada, thread: run.id });
    expect(await read(later)).toEqual([{ id: '1', value: 'waits' }]);
    await later.end();
  });

  test('nothing of a state is readable at rest, and a row that was changed or moved is not opened', async () => {
    const run = await stage.openRun({ caller_id: ada, thread: 'sealed' });
    await put(run, superstep('1', { value: 'a very readable secret' }));
    await put(run, superstep('2', { parent: '1', value: 'another one' }));
    const rows = await stage.app.db.all<{ body: Buffer }>(sql`
      select body from thread_blob union all select body from thread_state`);
    expect(rows.some(({ body }) => body.includes('readable') || body.includes('checkpoint'))).toBe(false);
    await stage.app.db.run(sql`
      update thread_blob set body = (select body from thread_blob o where o.version = '1' and o.thread_id = thread_blob.thread_id)
      where version = '2' and thread_id in (select id from thread where name = 'sealed')`);
    expect(await read(run)).toMatchObject({ code: 'memory_damaged' });
    await stage.app.db.run(sql`
      update thread_blob set body = overlay(body placing '\\x00' from 40) where version = '1' and thread_id in (select id from thread where name = 'sealed')`);
    expect(await read(run, 'id=1')).toMatchObject({ code: 'memory_damaged' });
    await run.end();
  });

  test('a body that does not fit its first line is refused, and nothing of it is kept', async () => {
    const run = await stage.openRun({ caller_id: ada, thread: 'malformed' });
    const good = superstep('1', { value: 'x' });
    const bodies = [
      Buffer.from('no line'),
      Buffer.from('[]\n'),
      Buffer.from('{"puts":{}}\n'),
      good.subarray(0, -1),
      Buffer.concat([good, Buffer.from('more')]),
      writeFrames({ tail: { interrupts_size: 3, next: [] } }, [Buffer.from('{{{')]),
      writeFrames({ nexts: [{ ns: 'a\0b', id: '1', next: [] }] }, []),
    ];
    for (const body of bodies) expect((await put(run, body)).status, body.toString()).toBeOneOf([400, 422]);
    expect(await read(run, 'limit=100')).toEqual([]);
    await run.end();
  });

  test('threads are copied, pruned and emptied, each only among those of the caller', async () => {
    const run = await stage.openRun({ caller_id: ada, thread: 'source' });
    for (const n of [1, 2, 3]) await put(run, superstep(`${n}`, { value: `state ${n}` }));
    expect(await run.ask('POST', '/memory/threads/copy', { from: 'source', to: 'target' })).toMatchObject({
      status: 204,
    });
    expect(await read(run, 'thread=target&limit=9')).toHaveLength(3);
    expect(
      await run.ask('POST', '/memory/state/prune', { threads: ['source'], strategy: 'keep_latest' }),
    ).toMatchObject({ status: 204 });
    expect(await read(run, 'limit=9')).toEqual([{ id: '3', value: 'state 3' }]);
    expect(await run.ask('DELETE', '/memory/state?thread=target')).toMatchObject({ status: 204 });
    expect(await read(run, 'thread=target&limit=9')).toEqual([]);
    const other = await stage.openRun({ caller_id: bob, thread: 'any' });
    await other.ask('POST', '/memory/threads/copy', { from: 'source', to: 'stolen' });
    await other.ask('POST', '/memory/state/delete-runs', { run_ids: [run.id] });
    expect(await read(other, 'thread=stolen')).toEqual([]);
    expect(await read(run)).toHaveLength(1);
    expect(await run.ask('POST', '/memory/state/delete-runs', { run_ids: [run.id] })).toMatchObject({ status: 204 });
    expect(await read(run)).toEqual([]);
    const left = await stage.app.db.all(sql`
      select version from thread_blob b join thread t on t.id = b.thread_id where t.name in ('source', 'target')`);
    expect(left).toEqual([]);
    await run.end();
    await other.end();
  });

  test('a state of 50 MB is kept and read', async () => {
    const run = await stage.openRun({ caller_id: ada, thread: 'large' });
    const value = 'ä'.repeat(25 * 1024 * 1024);
    const sent = superstep('1', { value });
    // The view would double it.
    expect(sent.length).toBeGreaterThan(64 * 1024 * 1024);
    expect(await put(run, sent)).toMatchObject({ status: 413 });
    const [head = ''] = sent.subarray(0, 2000).toString().split('\n');
    const told = JSON.parse(head) as { puts: { channels: { view_size: number }[] }[] };
    const [channel] = told.puts[0]?.channels ?? [];
    if (channel !== undefined) channel.view_size = 0;
    const body = writeFrames(told, [Buffer.from('checkpoint 1metadata 1'), Buffer.from(value)]);
    expect(await put(run, body)).toMatchObject({ status: 204 });
    expect((await read(run)) as unknown).toEqual([{ id: '1', value }]);
    await run.end();
  }, 60_000);
});

describe('items', () => {
  const items = async (run: OpenedRun, ...ops: object[]) => {
    const { json } = await run.ask('POST', '/memory/store', { ops });
    return (json['data'] as { results: unknown[] } | undefined)?.results ?? json;
  };
  const item = (key: string, value: object) => ({ op: 'put', namespace: ['memories'], key, value });

  test('are kept for the end caller, across threads and runs', async () => {
    const of_ada = await stage.openRun({ caller_id: ada });
    const of_bob = await stage.openRun({ caller_id: bob });
    await items(of_ada, item('a', { text: 'Ada likes tea' }));
    await items(of_bob, item('a', { text: 'Bob likes coffee' }), item('b', { text: 'Bob lives in Bern' }));
    await of_ada.end();
    const later = await stage.openRun({ caller_id: ada, thread: 'another' });
    expect(await items(later, { op: 'get', namespace: ['memories'], key: 'a' })).toMatchObject([
      { value: { text: 'Ada likes tea' } },
    ]);
    expect(await items(later, { op: 'search', prefix: [], limit: 100 })).toMatchObject([[{ key: 'a' }]]);
    expect(await items(of_bob, { op: 'list_namespaces', match: [], limit: 10 })).toEqual([[['memories']]]);
    const rows = await stage.app.db.all<{ body: Buffer }>(sql`select body from store_item`);
    expect(rows.some(({ body }) => body.includes('likes') || body.includes('memories'))).toBe(false);
    await later.end();
    await of_bob.end();
  });

  test('a search finds words first, filters, and pages', async () => {
    const run = await stage.openRun({ caller_id: ada });
    await items(
      run,
      { op: 'put', namespace: ['facts', 'food'], key: '1', value: { text: 'She eats no mushrooms', weight: 3 } },
      { op: 'put', namespace: ['facts', 'travel'], key: '2', value: { text: 'Her train leaves at noon', weight: 1 } },
      { op: 'put', namespace: ['facts', 'travel'], key: '3', value: { text: 'hidden mushroom' }, index: false },
    );
    const search = async (more: object) =>
      (((await items(run, { op: 'search', prefix: ['facts'], ...more })) as unknown[])[0] as { key: string }[]).map(
        ({ key }) => key,
      );
    expect((await search({ query: 'what about mushrooms?' }))[0]).toBe('1');
    expect(await search({ filter: { weight: { $gte: 2 } } })).toEqual(['1']);
    expect(await search({ filter: { weight: 1 } })).toEqual(['2']);
    expect(await search({ prefix: ['facts', 'travel'], limit: 1, offset: 1 })).toHaveLength(1);
    expect(await items(run, { op: 'put', namespace: ['facts', 'food'], key: '1', value: null })).toEqual([null]);
    expect(await items(run, { op: 'get', namespace: ['facts', 'food'], key: '1' })).toEqual([null]);
    await run.end();
  });

  test('an item ends with its time, and a read lets it last anew', async () => {
    const run = await stage.openRun({ caller_id: ada });
    await items(run, { ...item('short', { n: 1 }), ttl_minutes: 60 });
    await stage.app.db.run(
      sql`update store_item set expires_at = clock_now() + interval '1 minute' where ttl_minutes is not null`,
    );
    await items(run, { op: 'get', namespace: ['memories'], key: 'short' });
    const [row] = await stage.app.db.all<{ lasts: boolean }>(sql`
      select expires_at > clock_now() + interval '50 minutes' as lasts from store_item where ttl_minutes is not null`);
    expect(row).toEqual({ lasts: true });
    await stage.app.db.run(sql`update store_item set expires_at = clock_now() where ttl_minutes is not null`);
    expect(await items(run, { op: 'get', namespace: ['memories'], key: 'short' })).toEqual([null]);
    await run.end();
  });
});
