// Threads as the people whose they are see them. Their agent has no container here, so nothing of this wakes one.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../../ground/database/sql.ts';
import { memoryStage, superstep, type MemoryStage, type OpenedRun } from '../../../testing/agents/memory-stage.ts';
import type { TestUser } from '../../../testing/test-app.ts';
import { writeFrames } from '../frames.ts';

let stage: MemoryStage;
let ada: TestUser;
let ada_id: string;
let bob: TestUser;
const params = { name: 'keeper' };
beforeAll(async () => {
  stage = await memoryStage();
  ({ ada } = stage);
  bob = await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } });
  ada_id = (await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${ada.email}`))?.id ?? '';
  await stage.app.governed(sql`update revision set kept_by_service = true returning id`);
});
afterAll(async () => await stage?.close());

const put = async (run: OpenedRun, body: Buffer) =>
  expect((await run.ask('POST', '/memory/state', body)).status).toBe(204);
const refusalOf = async (work: Promise<unknown>): Promise<Problem> => {
  const refused: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refused instanceof Problem)) throw new Error('it was not refused');
  return refused;
};

/** With two states; the last one waits for a person. */
async function waitingThread(name: string): Promise<void> {
  const run = await stage.openRun({ caller_id: ada_id, thread: name });
  await put(run, superstep('1', { value: 'hello' }));
  await put(run, superstep('2', { parent: '1', value: 'is this right?' }));
  const interrupts = Buffer.from(JSON.stringify([{ id: 'i1', value: { question: 'ok?' } }]));
  const nexts = [{ ns: '', id: '2', next: ['ask'] }];
  await put(run, writeFrames({ nexts, tail: { interrupts_size: interrupts.length, next: ['ask'] } }, [interrupts]));
  await run.end();
}

test('a thread shows its values, what it waits for and its history, to its caller alone', async () => {
  await waitingThread('order 12/3');
  const [listed] = (await ada.client.call('threads.list', { params })).items;
  // A path has no name with a slash, so the id is its way.
  const detail = await ada.client.call('threads.show', { params: { ...params, thread: listed?.id ?? '' } });
  expect(detail).toMatchObject({
    thread_id: 'order 12/3',
    state: 'waiting',
    interrupts: [{ id: 'i1', value: { question: 'ok?' } }],
    latest: { checkpoint_id: '2', values: { messages: 'is this right?' }, next: ['ask'] },
  });
  const history = await ada.client.call('threads.history', {
    params: { ...params, thread: detail.id },
    query: { limit: 1 },
  });
  expect(history).toMatchObject({ items: [{ checkpoint_id: '2' }], next_cursor: expect.any(String) });
  const { next_cursor = '' } = history;
  const rest = { limit: 1, cursor: next_cursor };
  expect(
    await ada.client.call('threads.history', { params: { ...params, thread: detail.id }, query: rest }),
  ).toMatchObject({ items: [{ checkpoint_id: '1', values: { messages: 'hello' }, next: null }] });
  expect(await refusalOf(bob.client.call('threads.show', { params: { ...params, thread: detail.id } }))).toMatchObject({
    code: 'not_found',
  });
  expect((await bob.client.call('threads.list', { params })).items).toEqual([]);
});

test('a list pages by the last use, and finds what waits, works or was interrupted', async () => {
  for (const name of ['a', 'b', 'c']) await waitingThread(`list ${name}`);
  const run = await stage.openRun({ caller_id: ada_id, thread: 'list a' });
  await put(run, superstep('3', { parent: '2', value: 'goes on' }));
  const first = await ada.client.call('threads.list', { params, query: { limit: 2 } });
  expect(first.items.map(({ thread_id }) => thread_id)).toEqual(['list a', 'list c']);
  const { next_cursor = '' } = first;
  const second = await ada.client.call('threads.list', { params, query: { limit: 2, cursor: next_cursor } });
  expect(second.items.map(({ thread_id }) => thread_id)).toEqual(['list b', 'order 12/3']);
  const named = async (state: 'working' | 'waiting' | 'interrupted') =>
    (await ada.client.call('threads.list', { params, query: { state } })).items.map(({ thread_id }) => thread_id);
  expect(await named('working')).toEqual(['list a']);
  expect(await named('waiting')).toEqual(['list c', 'list b', 'order 12/3']);
  await put(run, writeFrames({ tail: { interrupts_size: 0, next: ['ask'] } }, []));
  await run.end();
  expect(await named('interrupted')).toEqual(['list a']);
  expect(await ada.client.call('threads.show', { params: { ...params, thread: 'list a' } })).toMatchObject({
    state: 'interrupted',
    continues_at: ['ask'],
  });
});

test('a list has titles where they are asked for, of the threads of its caller alone; a damaged thread has none', async () => {
  await waitingThread('titled');
  const titles = async (query: { titles?: string }) =>
    (await ada.client.call('threads.list', { params, query: { ...query, limit: 1 } })).items.map(({ title }) => title);
  expect(await titles({ titles: 'true' })).toEqual(['messages hello']);
  expect(await titles({})).toEqual([undefined]);
  expect((await bob.client.call('threads.list', { params, query: { titles: 'true' } })).items).toEqual([]);
  const { items } = await ada.client.call('threads.all', { params });
  expect(JSON.stringify(items)).not.toContain('hello');
  await stage.app.db.run(sql`
    update thread_blob b set body = set_byte(b.body, length(b.body) - 1, get_byte(b.body, length(b.body) - 1) # 1)
    from thread t where t.id = b.thread_id and t.name = 'titled'`);
  expect(await titles({ titles: 'true' })).toEqual([null]);
  expect(await refusalOf(ada.client.call('threads.show', { params: { ...params, thread: 'titled' } }))).toMatchObject({
    code: 'memory_damaged',
  });
});

test('a thread shows what its caller thinks of its runs, and a run its own states', async () => {
  const run = await stage.openRun({ caller_id: ada_id, thread: 'rated' });
  await put(run, superstep('1', { value: 'one' }));
  await put(run, superstep('2', { parent: '1', value: 'two' }));
  await run.end();
  const later = await stage.openRun({ caller_id: ada_id, thread: 'rated' });
  await put(later, superstep('3', { parent: '2', value: 'three' }));
  await later.end();
  const at = { params: { ...params, thread: 'rated' } };
  expect(await ada.client.call('threads.show', at)).toMatchObject({ feedback: [] });
  await stage.app.db.run(sql`
    insert into run_feedback (run_id, agent_id, caller_id, is_good, reason)
    values (${run.id}, ${stage.agent.asset_id}, ${ada_id}, false, 'too short')`);
  expect(await ada.client.call('threads.show', at)).toMatchObject({
    feedback: [{ run_id: run.id, is_good: false, reason: 'too short' }],
  });
  const states = await ada.client.call('threads.history', { ...at, query: { run_id: run.id } });
  expect(states.items.map(({ checkpoint_id }) => checkpoint_id)).toEqual(['2', '1']);
});

test('a fork has the states up to one of them, and goes its own way', async () => {
  await waitingThread('forked');
  const at = { ...params, thread: 'forked' };
  const fork = await ada.client.call('threads.fork', { params: at, body: { checkpoint_id: '1', thread_id: 'fork' } });
  expect(fork).toMatchObject({ thread_id: 'fork', state: 'idle' });
  const run = await stage.openRun({ caller_id: ada_id, thread: 'fork' });
  await put(run, superstep('9', { parent: '1', value: 'another way' }));
  await run.end();
  const values = async (thread: string) =>
    (await ada.client.call('threads.history', { params: { ...params, thread } })).items.map(
      (one) => one.values['messages'],
    );
  expect(await values('fork')).toEqual(['another way', 'hello']);
  expect(await values('forked')).toEqual(['is this right?', 'hello']);
  expect(await refusalOf(ada.client.call('threads.fork', { params: at, body: { thread_id: 'fork' } }))).toMatchObject({
    code: 'exists',
  });
  expect(
    await refusalOf(ada.client.call('threads.fork', { params: at, body: { checkpoint_id: 'none' } })),
  ).toMatchObject({
    code: 'conflict',
  });
});

test('a deleted thread leaves no row, and its entry in the log; a thread with a call is not deleted', async () => {
  await waitingThread('deleted');
  const { id } = await ada.client.call('threads.show', { params: { ...params, thread: 'deleted' } });
  const run = await stage.openRun({ caller_id: ada_id, thread: 'deleted' });
  const at = { params: { ...params, thread: 'deleted' } };
  expect(await refusalOf(ada.client.call('threads.delete', at))).toMatchObject({ code: 'thread_busy' });
  await run.end();
  await ada.client.call('threads.delete', at);
  const left = await stage.app.db.all(sql`
    select 1 from thread_state where thread_id = ${id} union all select 1 from thread_blob where thread_id = ${id} union all
    select 1 from thread_write where thread_id = ${id} union all select 1 from thread where id = ${id}`);
  expect(left).toEqual([]);
  const { items } = await stage.app.admin.client.call('audit.list', { query: { action: 'thread' } });
  expect(items[0]).toMatchObject({ event: 'thread.deleted', asset: 'agents/keeper', detail: { thread: id } });
});

test('a thread is made by its name or an id, once, and only for an agent whose threads the service keeps', async () => {
  expect(await ada.client.call('threads.create', { params, body: { thread_id: 'made' } })).toMatchObject({
    thread_id: 'made',
    state: 'idle',
  });
  expect(await refusalOf(ada.client.call('threads.create', { params, body: { thread_id: 'made' } }))).toMatchObject({
    code: 'exists',
  });
  expect((await ada.client.call('threads.create', { params, body: {} })).thread_id).toMatch(/^[0-9a-f-]{36}$/);
  await stage.app.governed(sql`update revision set kept_by_service = false returning id`);
  expect(await refusalOf(ada.client.call('threads.create', { params, body: {} }))).toMatchObject({
    code: 'threads_not_kept',
  });
  await stage.app.governed(sql`update revision set kept_by_service = true returning id`);
});

test('an admin of the agent sees that threads exist, and nothing that their callers wrote', async () => {
  await waitingThread('private name');
  const run = await stage.openRun({
    caller_id: ada_id,
    thread: 'through',
    chain: [{ id: randomUUID(), ref: 'agents/boss' }],
  });
  await put(run, superstep('1', { value: 'x' }));
  await run.end();
  const { items } = await ada.client.call('threads.all', { params, query: { limit: 200 } });
  expect(items.length).toBeGreaterThan(3);
  expect(items[0]).toMatchObject({ owner: ada.email });
  expect(JSON.stringify(items)).not.toMatch(/private name|is this right/);
  expect(await refusalOf(bob.client.call('threads.all', { params }))).toMatchObject({ code: 'forbidden' });
});

test('where the organisation allows it, an admin of the agent reads the thread of another one, and each look is in the log', async () => {
  const vera = await stage.app.user('vera@example.com', { teams: { ml: 'admin' } });
  await waitingThread('looked at');
  const { items } = await vera.client.call('threads.all', { params, query: { limit: 200 } });
  const look = async (by: TestUser) =>
    await by.client.call('threads.look', { params: { ...params, id: items[0]?.id ?? '' } });
  expect(await refusalOf(look(vera))).toMatchObject({ code: 'conflict' });
  await stage.app.admin.client.call('org.set', { body: { admins_read_threads: true } });
  expect(await look(vera)).toMatchObject({
    thread_id: 'looked at',
    owner: ada.email,
    latest: { values: { messages: 'is this right?' } },
  });
  expect(await refusalOf(look(bob))).toMatchObject({ code: 'forbidden' });
  const looks = await stage.app.admin.client.call('audit.list', { query: { action: 'thread.looked_at' } });
  expect(looks.items).toMatchObject([
    { actor: { name: vera.email }, detail: { thread: items[0]?.id, caller: ada.email } },
  ]);
  await stage.app.admin.client.call('org.set', { body: { admins_read_threads: false } });
});

test('a run that is killed leaves its thread interrupted at its next step, and no question that was answered', async () => {
  await waitingThread('killed');
  const show = async () => await ada.client.call('threads.show', { params: { ...params, thread: 'killed' } });
  const run = await stage.openRun({ caller_id: ada_id, thread: 'killed' });
  await put(run, writeFrames({ nexts: [{ ns: '', id: '2', next: ['ask'] }] }, []));
  await run.end();
  expect(await show()).toMatchObject({ state: 'waiting', continues_at: [] });
  const later = await stage.openRun({ caller_id: ada_id, thread: 'killed' });
  await put(later, superstep('3', { parent: '2', value: 'yes' }));
  await put(later, writeFrames({ nexts: [{ ns: '', id: '3', next: ['send'] }] }, []));
  await later.end();
  expect(await show()).toMatchObject({ state: 'interrupted', continues_at: ['send'], interrupts: [] });
});
