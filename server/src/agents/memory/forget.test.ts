// What ends by itself, and what a user who is forgotten leaves: nothing in any table that has their words.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../ground/database/sql.ts';
import { memoryStage, superstep, type MemoryStage } from '../../testing/agents/memory-stage.ts';
import { makeSpan, storeSpans } from '../../testing/stored/make-span.ts';
import { forgetOldMemory } from './forget-old.ts';

let stage: MemoryStage;
let ada_id: string;
const secret_word = 'zanzibar';
beforeAll(async () => {
  stage = await memoryStage();
  ada_id = await idOf(stage.ada.email);
});
afterAll(async () => await stage?.close());

const idOf = async (email: string) =>
  (await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${email} and removed_at is null`))
    ?.id ?? '';

async function remember(thread: string): Promise<void> {
  const run = await stage.openRun({ caller_id: ada_id, thread });
  await run.ask('POST', '/memory/state', superstep('1', { value: secret_word }));
  const op = { op: 'put', namespace: ['facts'], key: thread, value: { text: secret_word } };
  await run.ask('POST', '/memory/store', { ops: [op] });
  await run.end();
}
const count = async (table: 'thread' | 'store_item') => {
  const from = { thread: sql`select count(*) from thread`, store_item: sql`select count(*) from store_item` };
  return (await stage.app.db.one<{ count: number }>(from[table]))?.count;
};

test('threads and items end the set time after their last use, and not while a call works on one', async () => {
  for (const name of ['old', 'working', 'new']) await remember(name);
  await stage.app.db.run(sql`
    update thread set used_at = used_at - interval '91 days' where name in ('old', 'working')`);
  await stage.app.db.run(sql`
    update store_item set used_at = used_at - interval '91 days' where ctid = (select min(ctid) from store_item)`);
  const run = await stage.openRun({ caller_id: ada_id, thread: 'working' });
  await stage.app.db.run(sql`update thread set used_at = used_at - interval '91 days' where name = 'working'`);
  await forgetOldMemory(stage.app.db);
  const names = await stage.app.db.all<{ name: string }>(sql`select name from thread order by name`);
  expect(names.map(({ name }) => name)).toEqual(['new', 'working']);
  expect(await count('store_item')).toBe(2);
  await run.end();
  await stage.app.admin.client.call('org.set', { body: { memory_kept_days: null } });
  await forgetOldMemory(stage.app.db);
  expect(await count('thread')).toBe(2);
});

test('a forgotten user leaves no word in any table, and the receipt is in the log', async () => {
  await remember('last words');
  const body = Buffer.from(JSON.stringify({ output: secret_word }));
  await stage.app.db.run(sql`
    insert into invocation (id, agent_id, revision_id, caller_id, state, status, content_type, body)
    select gen_random_uuid(), ${stage.agent.asset_id}, id, ${ada_id}, 'ended', 200, 'application/json', ${body} from revision limit 1`);
  const spoken = { caller_id: ada_id, input: secret_word, output: secret_word, error: `it said ${secret_word}` };
  await storeSpans(stage.app.db, [makeSpan(spoken)]);
  const { id: run_id } = (await stage.app.db.one<{ id: string }>(
    sql`select id from invocation where caller_id = ${ada_id} and state = 'ended' and body = ${body}`,
  )) ?? { id: '' };
  await stage.ada.client.call('invoke.feedback', {
    params: { name: 'keeper', run_id },
    body: { is_good: false, reason: secret_word },
  });
  const params = { id: ada_id };
  const bob = await stage.app.user('bob@example.com', { teams: { ml: 'admin' } });
  const refused = await bob.client.call('threads.forget_user', { params, body: {} }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'forbidden' });
  const open = await stage.openRun({ caller_id: ada_id });
  const busy = await stage.ada.client
    .call('threads.forget_user', { params, body: {} })
    .catch((error: unknown) => error);
  expect(busy).toBeInstanceOf(Problem);
  expect(busy).toMatchObject({ code: 'conflict' });
  await open.end();
  const receipt = await stage.ada.client.call('threads.forget_user', { params, body: {} });
  expect(receipt).toMatchObject({
    user: stage.ada.email,
    erased: { threads: 3, items: 3, calls: 1, spans: 1, feedback: 1 },
  });
  const tables = await stage.app.db.all<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`);
  for (const { name } of tables) {
    const statement = {
      strings: [`select count(*) as count from "${name}" t where t::text like '%${secret_word}%'`],
      values: [],
    };
    expect([name, (await stage.app.db.one<{ count: number }>(statement))?.count]).toEqual([name, 0]);
  }
  const hex = body.toString('hex');
  const left = await stage.app.db.one<{ count: number }>(
    sql`select count(*) from invocation t where t::text like ${`%${hex}%`}`,
  );
  expect(left?.count).toBe(0);
  const { items } = await stage.app.admin.client.call('audit.list', { query: { action: 'memory.forgotten' } });
  expect(items[0]).toMatchObject({
    actor: { name: stage.ada.email },
    detail: { user: stage.ada.email, erased: { threads: 3 } },
  });
  expect(`${items[0]?.chain}/${items[0]?.seq}`).toBe(receipt.entry);
});

test('a user who was removed is forgotten afterwards by a platform admin alone, and one with the same address is not', async () => {
  const { admin } = stage.app;
  await remember('of the removed');
  const { email: heir } = await stage.app.user('heir@example.com', { teams: { ml: 'admin' } });
  await admin.client.call('users.remove', { params: { id: ada_id }, query: { assets_to: heir } });
  const again = await stage.app.user(stage.ada.email, { teams: { ml: 'admin' } });
  const { items } = await admin.client.call('users.list', { query: { email: stage.ada.email, removed: 'true' } });
  expect(items.map(({ id }) => id)).toEqual([ada_id]);
  const refused = again.client.call('threads.forget_user', { params: { id: ada_id }, body: {} });
  await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
  const other = await again.client.call('threads.forget_user', { params: { id: await idOf(again.email) }, body: {} });
  expect(other.erased).toMatchObject({ threads: 0 });
  const receipt = await admin.client.call('threads.forget_user', { params: { id: ada_id }, body: {} });
  expect(receipt).toMatchObject({ user: stage.ada.email, erased: { threads: 1, items: 1 } });
});
