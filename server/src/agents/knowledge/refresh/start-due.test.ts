import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { refreshed } from '../../../testing/knowledge/knowledge-stage.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import * as store from '../refresh-store.ts';
import { startDue } from './start-due.ts';

let app: TestApp;
let ada: TestUser;
let root: TestUser;
beforeAll(async () => {
  app = await testApp({ config: { outbound_private_hosts: ['127.0.0.1'] } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  root = app.admin;
});
afterAll(async () => await app?.stop());

const onError = (error: unknown) => {
  throw error;
};
const start = async () => await startDue(app.db, { onError });

async function newBase(name: string, config: object): Promise<string> {
  const made = await ada.client.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: { name, team: 'ml', config: { refresh_hours: 24, ...config } },
  });
  return made.id;
}

/** As if it had been made, and refreshed, so many hours ago. */
async function age(id: string, hours: number): Promise<void> {
  await app.db.transaction(async (tx) => {
    await tx.run(
      sql`update run set created_at = created_at - make_interval(hours => ${hours}) where mutex = ${`refresh:${id}`}`,
    );
  });
}
const runsOf = async (id: string) =>
  await app.db.all<{ id: string; state: string }>(sql`
    select id, state from run where mutex = ${`refresh:${id}`} order by created_at`);
const ended = async (id: string, count: number) =>
  await expect
    .poll(async () => (await runsOf(id)).filter(({ state }) => ['done', 'failed'].includes(state)).length, {
      timeout: 20_000,
    })
    .toBe(count);
const entriesOf = async (name: string, action: 'knowledge.refresh_started' | 'knowledge.refresh_failed') =>
  (await root.client.call('audit.list', { query: { action, asset: `knowledge-bases/${name}` } })).items;

test('T547: a refresh is due once after its hours, from two services and after a long stop', async () => {
  const id = await newBase('hourly', { documents: [{ title: 'page', text: 'a word' }] });
  await refreshed(ada.client, 'knowledge.refresh', 'hourly');
  await age(id, 23);
  await start();
  expect(await runsOf(id)).toHaveLength(1);
  await age(id, 24 * 30);
  await Promise.all([start(), start(), start()]);
  await ended(id, 2);
  await start();
  expect(await runsOf(id)).toHaveLength(2);
  const [entry] = await entriesOf('hourly', 'knowledge.refresh_started');
  expect(entry).toMatchObject({
    actor: { kind: 'system', name: 'system.refresh' },
    detail: { by: 'schedule', as: 'ada@example.com' },
  });
  const { items } = await ada.client.call('knowledge.snapshots', { params: { name: 'hourly' } });
  expect(items.map(({ number, made_by, serves }) => [number, made_by, serves])).toEqual([
    [2, 'ada@example.com', true],
    [1, 'ada@example.com', false],
  ]);
});

test('T547: an owner who may no longer change the base refreshes nothing, and their team is told once why', async () => {
  const asked: string[] = [];
  const url = await answeringServer(({ url: path = '' }, response) => {
    asked.push(path);
    response.end('a word');
  });
  const id = await newBase('owned', { documents: [{ url }] });
  await refreshed(ada.client, 'knowledge.refresh', 'owned');
  const before = asked.length;
  const bob = await app.user('bob@example.com', { teams: { ml: 'admin' } });
  await root.client.call('teams.add_member', {
    params: { team: 'ml' },
    body: { principal: 'user:ada@example.com', role: 'viewer' },
  });
  for (const runs of [2, 3]) {
    await age(id, 24);
    await start();
    await ended(id, runs);
  }
  expect(asked.length).toBe(before);
  expect((await runsOf(id)).map(({ state }) => state)).toEqual(['done', 'failed', 'failed']);
  expect(
    (await entriesOf('owned', 'knowledge.refresh_failed')).map(({ detail }) => [detail['code'], detail['again']]),
  ).toEqual([
    ['forbidden', true],
    ['forbidden', false],
  ]);
  const told = async () =>
    (await bob.client.call('notifications.list', { query: {} })).items.filter(({ kind }) => kind === 'refresh_failed');
  await expect.poll(async () => (await told()).length, { timeout: 10_000 }).toBe(1);
  expect((await told())[0]).toMatchObject({ account: 'knowledge-bases/owned' });
  expect((await store.lastOf(app.db, id))?.id).toBe((await runsOf(id)).at(-1)?.id);
});
