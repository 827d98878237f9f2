// One thread is read by those whom its owner names. Its agent has no container here.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ThreadShare } from '@gantry/contract/agents/thread-shares.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../../ground/database/sql.ts';
import { memoryStage, superstep, type MemoryStage } from '../../../testing/agents/memory-stage.ts';
import type { TestUser } from '../../../testing/test-app.ts';
import { forgetOldMemory } from '../forget-old.ts';

let stage: MemoryStage;
let ada: TestUser;
let ada_id: string;
let bob: TestUser;
let cleo: TestUser;
let eve: TestUser;
const params = { name: 'keeper' };
beforeAll(async () => {
  stage = await memoryStage();
  ({ ada } = stage);
  [bob, cleo] = [
    await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } }),
    await stage.app.user('cleo@example.com', { teams: { ml: 'viewer' } }),
  ];
  eve = await stage.app.user('eve@example.com', { teams: { ops: 'viewer' } });
  ada_id = (await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${ada.email}`))?.id ?? '';
});
afterAll(async () => await stage?.close());

async function talk(name: string): Promise<void> {
  const run = await stage.openRun({ caller_id: ada_id, thread: name });
  expect((await run.ask('POST', '/memory/state', superstep('1', { value: `the words of ${name}` }))).status).toBe(204);
  await run.end();
}
const share = async (thread: string, principal: string, days?: number): Promise<ThreadShare> => {
  const [type = '', principal_id = ''] = principal.split(':');
  const body = { principal_type: type === 'team' ? 'team' : 'user', principal_id, days } as const;
  return await ada.client.call('threads.share', { params: { ...params, thread }, body });
};
const look = async (by: TestUser, { id }: { id: string }, history?: string) =>
  await by.client.call('threads.look_shared', { params: { ...params, share: id }, query: { history } });
const sharedWith = async (by: TestUser) => (await by.client.call('threads.shared', { params })).items;
const refusalOf = async (work: Promise<unknown>): Promise<Problem> => {
  const refused: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refused instanceof Problem)) throw new Error('it was not refused');
  return refused;
};
/** All that a caller sees of it. */
const shown = ({ status, code, detail, hint }: Problem) => ({ status, code, detail, hint });
const entriesOf = async (event: string) =>
  (await stage.app.admin.client.call('audit.list', { query: { action: event } })).items;

test('a named person reads the thread and its history, and each look is in the log', async () => {
  await talk('order 1');
  const [made_thread] = (await ada.client.call('threads.list', { params })).items;
  const thread = made_thread?.id ?? '';
  const made = await share(thread, `user:${bob.email}`);
  expect(made).toMatchObject({ principal_type: 'user', principal_id: bob.email });
  expect(await sharedWith(bob)).toEqual([
    { id: made.id, owner: ada.email, with: `user:${bob.email}`, ends_at: made.ends_at, created_at: made.created_at },
  ]);
  expect(await entriesOf('thread.looked_at')).toEqual([]);
  const latest = { values: { messages: 'the words of order 1' } };
  expect(await look(bob, made)).toMatchObject({ owner: ada.email, latest, history: null });
  expect(await look(bob, made, 'true')).toMatchObject({ history: [latest] });
  expect(await entriesOf('thread.looked_at')).toMatchObject([
    { actor: { name: bob.email }, detail: { thread, caller: ada.email, share: made.id } },
    { actor: { name: bob.email }, asset: 'agents/keeper' },
  ]);
  expect(await entriesOf('thread.shared')).toMatchObject([
    { actor: { name: ada.email }, detail: { thread, with: `user:${bob.email}`, ends_at: made.ends_at } },
  ]);
  expect((await bob.client.call('threads.list', { params })).items).toEqual([]);
});

test('a share opens nothing but the one thread, and nothing but reading', async () => {
  for (const name of ['shown', 'hidden']) await talk(name);
  const made = await share('shown', `user:${bob.email}`);
  const { id: hidden } = await ada.client.call('threads.show', { params: { ...params, thread: 'hidden' } });
  const { id: thread } = await look(bob, made);
  for (const id of [hidden, thread]) expect(await refusalOf(look(bob, { id }))).toMatchObject({ code: 'not_found' });
  const at = { params: { ...params, thread } };
  const { client } = bob;
  for (const other of [
    async () => await client.call('threads.show', at),
    async () => await client.call('threads.history', at),
    async () => await client.call('threads.fork', { ...at, body: {} }),
    async () => await client.call('threads.delete', at),
    async () => await client.call('threads.shares', at),
    async () => await client.call('threads.share', { ...at, body: { principal_type: 'team', principal_id: 'ml' } }),
    async () => await client.call('threads.unshare', { params: { ...at.params, share: made.id } }),
  ])
    expect(await refusalOf(other())).toMatchObject({ code: 'not_found' });
});

test('who is not named, has left the team, may not use the agent or comes after the end gets the answer for a missing share', async () => {
  await talk('team talk');
  const made = await share('team talk', 'team:ml', 1);
  expect(await look(cleo, made)).toMatchObject({ owner: ada.email });
  const missing = shown(await refusalOf(look(cleo, { id: '00000000-0000-4000-8000-000000000000' })));
  expect(missing).toMatchObject({ status: 404, code: 'not_found' });
  const refused = async (by: TestUser) => {
    expect(shown(await refusalOf(look(by, made)))).toEqual(missing);
  };
  await refused(eve);
  const of = { resource_type: 'agent', resource_id: 'keeper' } as const;
  const entries = (await ada.client.call('permissions.list', { query: of })).items;
  const using = entries.filter(({ actions }) => actions.includes('use'));
  for (const { id } of using)
    await ada.client.call('permissions.revoke', { params: { id }, query: { actions: 'use' } });
  await refused(cleo);
  for (const { principal_type, principal_id } of using)
    await ada.client.call('permissions.grant', { body: { ...of, principal_type, principal_id, actions: ['use'] } });
  expect(await look(cleo, made)).toMatchObject({ owner: ada.email });
  await stage.app.admin.client.call('teams.remove_member', { params: { team: 'ml', principal: `user:${cleo.email}` } });
  await refused(cleo);
  expect(await look(bob, made)).toMatchObject({ owner: ada.email });
  await stage.app.db.run(sql`update thread_share set ends_at = clock_now() where id = ${made.id}`);
  await refused(bob);
  expect((await sharedWith(bob)).map(({ id }) => id)).not.toContain(made.id);
  await forgetOldMemory(stage.app.db);
  expect(await entriesOf('thread.share_ended')).toMatchObject([{ detail: { share: made.id, with: 'team:ml' } }]);
});

test('a share is listed for its owner, gets another end, and is taken back', async () => {
  await talk('listed');
  const first = await share('listed', `user:${bob.email}`, 2);
  const again = await share('listed', `user:${bob.email}`, 3);
  expect(again.id).toBe(first.id);
  expect(Date.parse(again.ends_at) - Date.parse(first.ends_at)).toBeGreaterThan(23 * 3_600_000);
  await share('listed', 'team:ml');
  const at = { params: { ...params, thread: 'listed' } };
  const page = await ada.client.call('threads.shares', { ...at, query: { limit: 1 } });
  expect(page.items).toMatchObject([{ principal_id: 'ml' }]);
  const rest = { limit: 1, cursor: page.next_cursor ?? '' };
  expect((await ada.client.call('threads.shares', { ...at, query: rest })).items).toEqual([again]);
  const back = { params: { ...at.params, share: first.id } };
  await ada.client.call('threads.unshare', back);
  expect(await refusalOf(ada.client.call('threads.unshare', back))).toMatchObject({ code: 'not_found' });
  expect(await refusalOf(look(bob, first))).toMatchObject({ code: 'not_found' });
  expect(await entriesOf('thread.unshared')).toMatchObject([
    { detail: { share: first.id, with: `user:${bob.email}` } },
  ]);
  await ada.client.call('threads.delete', at);
  expect((await sharedWith(bob)).filter(({ with: one }) => one === 'team:ml')).toEqual([]);
});

test('the organisation says how long a share lasts at most, or that there is none', async () => {
  await talk('long');
  expect(await refusalOf(share('long', 'team:ml', 31))).toMatchObject({
    code: 'conflict',
    detail: 'A thread is shared for at most 30 days.',
  });
  const set = async (share_threads_days: number) =>
    await stage.app.admin.client.call('org.set', { body: { share_threads_days } });
  await set(3);
  const { ends_at, created_at } = await share('long', 'team:ml');
  expect(Date.parse(ends_at) - Date.parse(created_at)).toBe(3 * 24 * 3_600_000);
  const made = await share('long', `user:${bob.email}`);
  expect(await look(bob, made)).toMatchObject({ owner: ada.email });
  await set(0);
  expect(await refusalOf(share('long', 'team:ml'))).toMatchObject({ code: 'conflict' });
  expect(await refusalOf(look(bob, made))).toMatchObject({ code: 'not_found' });
  expect(await sharedWith(bob)).toEqual([]);
  await set(30);
});

test('a person who may not use the agent is refused as one who does not exist, and a team of others as a missing one', async () => {
  await talk('with whom');
  const refused = async (principal: string) => {
    const { code, detail } = await refusalOf(share('with whom', principal));
    return [code, detail.replace(principal, '<it>')];
  };
  const nobody = ['invalid', '<it> is nobody who may use agents/keeper.'];
  expect(await refused(`user:${eve.email}`)).toEqual(nobody);
  expect(await refused('user:no-one@example.com')).toEqual(nobody);
  const no_team = ['invalid', '<it> is neither a team of yours nor the team of agents/keeper.'];
  expect(await refused('team:ops')).toEqual(no_team);
  expect(await refused('team:no-team')).toEqual(no_team);
  expect(await refused(`user:${ada.email}`)).toEqual(['invalid', 'The thread is yours already.']);
});
