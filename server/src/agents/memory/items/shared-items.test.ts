// What a memory config decides about items and threads: who shares the items, and how long both are kept.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { memoryStage, superstep, type MemoryStage } from '../../../testing/agents/memory-stage.ts';
import { forgetOldMemory } from '../forget-old.ts';
import { ownerOfItems } from './owner.ts';

let stage: MemoryStage;
let [ada, bob] = ['', ''];
beforeAll(async () => {
  stage = await memoryStage();
  await stage.app.user('bob@example.com', { teams: { ml: 'contributor' } });
  [ada, bob] = [await idOf('ada@example.com'), await idOf('bob@example.com')];
});
afterAll(async () => await stage?.close());

const idOf = async (email: string) =>
  (await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${email}`))?.id ?? '';
/** As a deploy writes it from the memory config. */
const share = async (scope: 'user' | 'agent') =>
  await stage.app.governed(
    sql`update revision set memory_scope = ${scope} where agent_id = ${stage.agent.asset_id} returning id`,
  );
async function items(caller_id: string, ...ops: object[]): Promise<unknown[]> {
  const run = await stage.openRun({ caller_id });
  const { status, json } = await run.ask('POST', '/memory/store', { ops });
  await run.end();
  expect(status).toBe(200);
  return (json['data'] as { results: unknown[] }).results; // the answer of this endpoint
}
const put = (key: string, text: string) => ({ op: 'put', namespace: ['facts'], key, value: { text } });
const all = { op: 'search', prefix: [], limit: 100 };
const keysOf = async (caller_id: string) => {
  const [found] = (await items(caller_id, all)) as { key: string }[][];
  return (found ?? []).map(({ key }) => key).toSorted();
};

test('only the callers of an agent with a shared memory read what another caller told it, and only through its runs', async () => {
  await items(ada, put('own', 'of Ada alone'));
  const own = async () =>
    await stage.ada.client
      .call('langgraph.item', { params: { name: 'keeper' }, query: { namespace: 'facts', key: 'own' } })
      .catch((error: unknown) => error);
  expect(await own()).not.toMatchObject({ code: 'forbidden' });
  expect(await keysOf(bob)).toEqual([]);
  await share('agent');
  await items(ada, put('told', 'by Ada'));
  expect(await keysOf(bob)).toEqual(['told']);
  expect(await own()).toMatchObject({ code: 'forbidden', status: 403 });
  await share('user');
  expect(await keysOf(ada)).toEqual(['own']);
});

test('a team shares the items of the agents that name one config, and another team or config has others', () => {
  const [agent_id, config, team] = [randomUUID(), randomUUID(), randomUUID()];
  const of = (more: { agent_id?: string; memory_config_id?: string; team_id?: string }) =>
    ownerOfItems({ agent_id, memory_scope: 'team', memory_config_id: config, team_id: team, ...more }, ada).owner;
  expect(of({ agent_id: randomUUID() })).toEqual(of({}));
  expect(of({ memory_config_id: randomUUID() })).not.toEqual(of({}));
  expect(of({ team_id: randomUUID() })).not.toEqual(of({}));
});

test('a forgotten user leaves no shared item that they wrote, alone or with others, and none of others goes', async () => {
  await share('agent');
  await items(ada, put('alone', 'x'), put('both', 'x'));
  await items(bob, put('both', 'y'), put('other', 'y'));
  const receipt = await stage.ada.client.call('threads.forget_user', { params: { id: ada }, body: {} });
  expect(receipt.erased).toMatchObject({ items: 1, shared_items: 3 });
  expect(await keysOf(bob)).toEqual(['other']);
  await share('user');
});

test('threads and items end at the time of the memory config, also after that of the organisation', async () => {
  const keep = async (seconds: number | null) =>
    await stage.app.governed(
      sql`update revision set threads_kept_seconds = ${seconds}, items_kept_seconds = ${seconds} returning id`,
    );
  const kept = async () => [
    (await stage.app.db.all(sql`select from thread`)).length,
    (await stage.app.db.all(sql`select from store_item`)).length,
  ];
  const run = await stage.openRun({ caller_id: bob, thread: 'one' });
  await run.ask('POST', '/memory/state', superstep('1', { value: 'x' }));
  await run.end();
  await stage.app.db.run(sql`update thread set used_at = used_at - interval '100 days'`);
  await stage.app.db.run(sql`update store_item set used_at = used_at - interval '100 days'`);
  await keep(200 * 86_400);
  await forgetOldMemory(stage.app.db);
  expect(await kept()).toEqual([1, 1]);
  await keep(86_400);
  await forgetOldMemory(stage.app.db);
  expect(await kept()).toEqual([0, 0]);
});
