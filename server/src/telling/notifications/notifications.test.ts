import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;
let otto: TestUser;
let made = 0;

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'admin' } });
});
afterAll(async () => await app?.stop());

async function submitted(message = 'please', yaml = '', by = ada) {
  const agent = await storeAgent(app, by.email, { name: `agent-${++made}`, yaml });
  const { id } = await by.client.call('approvals.submit', { body: { asset: agent.ref, message } });
  return { id, agent };
}

const received = async (user: TestUser, approval_id: string) =>
  (await user.client.call('notifications.list', { query: {} })).items
    .filter((one) => one.approval_id === approval_id)
    .map(({ kind, by, text }) => `${kind} by ${by}: ${text}`);
const counts = async (user: TestUser) => await user.client.call('notifications.count', {});

/** Waits until every entry so far is processed. */
async function caughtUp(): Promise<void> {
  await vi.waitFor(async () => {
    const row = await app.db.one<{ behind: number }>(
      sql`select (select seq from audit.head where chain = 'governance') - seq as behind from audit_cursor where name = 'notifications'`,
    );
    expect(row?.behind).toBe(0);
  }, 20_000);
}

test('a request notifies only the platform admins and the admins of the team', async () => {
  const { id } = await submitted('please look');
  await caughtUp();
  const expected = ['submitted by ada@example.com: please look'];
  expect(await received(max, id)).toEqual(expected);
  expect(await received(app.admin, id)).toEqual(expected);
  expect(await received(ada, id)).toEqual([]);
  expect(await received(otto, id)).toEqual([]);
});

test('an admin who submits is notified of the decision, but not of the request', async () => {
  const { id } = await submitted('mine', '', max);
  await app.admin.client.call('approvals.reject', { params: { id }, body: { reason: 'not yet' } });
  await caughtUp();
  expect(await received(max, id)).toEqual(['rejected by admin@gantry.local: not yet']);
  expect(await received(app.admin, id)).toEqual(['submitted by max@example.com: mine']);
});

test('each outcome of a request notifies its submitter, newest first', async () => {
  const { id } = await submitted();
  await max.client.call('approvals.approve', { params: { id }, body: { reason: 'fine' } });
  await max.client.call('approvals.revoke', { params: { id }, body: { reason: 'not so fine' } });
  await caughtUp();
  expect(await received(ada, id)).toEqual([
    'revoked by max@example.com: not so fine',
    'approved by max@example.com: fine',
  ]);
});

test('a withdrawn request notifies its former recipients', async () => {
  const { id } = await submitted();
  await ada.client.call('approvals.withdraw', { params: { id } });
  await caughtUp();
  expect(await received(max, id)).toEqual(['withdrawn by ada@example.com: ', 'submitted by ada@example.com: please']);
  expect(await received(ada, id)).toEqual([]);
});

test('a request that another user supersedes notifies its submitter', async () => {
  const name = `tool-${++made}`;
  await ada.client.call('registry.create', { params: { kind: 'tool' }, body: { name, team: 'ml' } });
  const { id } = await ada.client.call('approvals.submit', { body: { asset: `tools/${name}@1.0.0` } });
  await max.client.call('registry.edit', { params: { kind: 'tool', name }, body: { version: '1.0.1', config: {} } });
  const next = await max.client.call('approvals.submit', { body: { asset: `tools/${name}@1.0.1` } });
  await caughtUp();
  expect(await received(ada, id)).toEqual(['superseded by max@example.com: ']);
  expect(await received(ada, next.id)).toEqual([]);
});

test('the owner of the asset gets the notifications of a service principal', async () => {
  const name = `tool-${++made}`;
  await ada.client.call('registry.create', { params: { kind: 'tool' }, body: { name, team: 'ml' } });
  const { key = '' } = await max.client.call('principals.create', {
    body: { name: `machine-${made}`, team: 'ml', role: 'contributor', allowed_assets: ['tools/*'] },
  });
  const { access_token } = await app.anonymous.call('auth.exchange_key', { body: { key } });
  await ada.client.call('permissions.grant', {
    body: {
      resource_type: 'tool',
      resource_id: name,
      principal_type: 'principal',
      principal_id: `machine-${made}`,
      actions: ['write'],
    },
  });
  const machine = app.as(access_token);
  const before = { max: await counts(max), admin: await counts(app.admin) };
  const { id } = await machine.call('approvals.submit', { body: { asset: `tools/${name}@1.0.0` } });
  // Max saw its key, so he may not decide.
  expect((await counts(max)).pending).toBe(before.max.pending);
  expect((await counts(app.admin)).pending).toBe(before.admin.pending + 1);
  await app.admin.client.call('approvals.approve', { params: { id }, body: { reason: 'fine' } });
  expect(await received(ada, id)).toEqual(['approved by admin@gantry.local: fine']);
  expect(await received(max, id)).toEqual([`submitted by principal:machine-${made}: `]);
  await expect(machine.call('notifications.list', { query: {} })).rejects.toMatchObject({ code: 'forbidden' });
});

test('an entry that is read again notifies nobody again', async () => {
  const { id } = await submitted();
  await caughtUp();
  const before = await received(max, id);
  await app.db.run(sql`update audit_cursor set seq = 0 where name = 'notifications'`);
  await caughtUp();
  expect(await received(max, id)).toEqual(before);
});

test('a read notification stays read, and those of others stay unread', async () => {
  const { id } = await submitted();
  await caughtUp();
  const unread = async (user: TestUser) =>
    (await user.client.call('notifications.list', { query: { unread: 'true' } })).items.filter(
      (one) => one.approval_id === id,
    );
  const [mine] = await unread(max);
  const before = await counts(max);
  await app.admin.client.call('notifications.read', { body: { ids: [mine?.id ?? ''] } });
  expect(await counts(max)).toEqual(before);
  expect(await max.client.call('notifications.read', { body: { ids: [mine?.id ?? ''] } })).toEqual({
    ...before,
    unread: before.unread - 1,
  });
  expect(await unread(max)).toEqual([]);
  expect(await unread(app.admin)).toHaveLength(1);
});

test('pages neither repeat nor omit, and a cursor works only for its user', async () => {
  const all = (await max.client.call('notifications.list', { query: {} })).items.map(({ id }) => id);
  const paged: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await max.client.call('notifications.list', { query: { limit: 2, ...(cursor && { cursor }) } });
    paged.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
    if (cursor !== undefined)
      await expect(app.admin.client.call('notifications.list', { query: { limit: 2, cursor } })).rejects.toMatchObject({
        code: 'bad_cursor',
      });
  } while (cursor !== undefined);
  expect(paged).toEqual(all);
  expect(all.length).toBeGreaterThan(4);
});

test('the pending count covers the requests that the caller can decide now', async () => {
  const before = {
    max: await counts(max),
    admin: await counts(app.admin),
    ada: await counts(ada),
    otto: await counts(otto),
  };
  const { id } = await submitted();
  expect((await counts(max)).pending).toBe(before.max.pending + 1);
  expect((await counts(app.admin)).pending).toBe(before.admin.pending + 1);
  expect((await counts(ada)).pending).toBe(before.ada.pending);
  expect((await counts(otto)).pending).toBe(before.otto.pending);
  const own = await submitted('', '', max);
  expect((await counts(max)).pending).toBe(before.max.pending + 1);
  expect((await counts(app.admin)).pending).toBe(before.admin.pending + 2);
  for (const request of [id, own.id])
    await app.admin.client.call('approvals.approve', { params: { id: request }, body: {} });
  expect((await counts(app.admin)).pending).toBe(before.admin.pending);
});

test('without permission to read the asset a notification is hidden, and without permission to read the request its text', async () => {
  const eve = await app.user('eve@example.com', { teams: { ml: 'admin' } });
  const closed = await submitted('hidden words', 'access: {visibility: team}\n');
  const open = await submitted('team words');
  await caughtUp();
  expect(await received(eve, closed.id)).toEqual(['submitted by ada@example.com: hidden words']);
  await max.client.call('teams.remove_member', { params: { team: 'ml', principal: 'user:eve@example.com' } });
  expect(await received(eve, closed.id)).toEqual([]);
  expect(await received(eve, open.id)).toEqual(['submitted by ada@example.com: ']);
});

test('the badge counts the listed notifications, and none of an unreadable asset', async () => {
  const eve = await app.user('eva@example.com', { teams: { ml: 'admin' } });
  await submitted('open');
  await submitted('hidden', 'access: {visibility: team}\n');
  await caughtUp();
  const shown = async () =>
    (await eve.client.call('notifications.list', { query: { unread: 'true', limit: 1 } })).items.length;
  expect([await counts(eve), await shown()]).toEqual([
    {
      pending: expect.any(Number),
      waiting_runs: 0,
      waiting_calls: 0,
      waiting_questions: 0,
      waiting_consents: 0,
      unread: 2,
    },
    1,
  ]);
  await max.client.call('teams.remove_member', { params: { team: 'ml', principal: 'user:eva@example.com' } });
  expect(await counts(eve)).toEqual({
    pending: 0,
    waiting_runs: 0,
    waiting_calls: 0,
    waiting_questions: 0,
    waiting_consents: 0,
    unread: 1,
  });
  // A page is full while more visible rows exist.
  expect(await shown()).toBe(1);
  await max.client.call('teams.add_member', { params: { team: 'ml' }, body: { principal: 'user:eva@example.com' } });
  expect((await counts(eve)).unread).toBe(2);
});

test('notifications of a deleted asset are neither listed nor counted', async () => {
  const { id, agent } = await submitted();
  await caughtUp();
  const before = await counts(max);
  await ada.client.call('agents.delete', { params: { name: agent.name } });
  expect(await received(max, id)).toEqual([]);
  expect((await counts(max)).unread).toBe(before.unread - 1);
});
