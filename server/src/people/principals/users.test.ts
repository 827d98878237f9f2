import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let max: TestUser;
let grace: TestUser;
let made = 0;

beforeAll(async () => {
  app = await testApp();
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  grace = await app.user('grace@example.com', { teams: { ml: 'contributor' } });
});
afterAll(async () => await app?.stop());

const person = async (teams = { ml: 'contributor' } as const) =>
  await app.user(`person-${++made}@example.com`, { teams });
const agentOf = async ({ email }: TestUser) => await storeAgent(app, email, { name: `agent-${++made}` });
async function idOf({ email }: TestUser): Promise<string> {
  const { items } = await app.admin.client.call('users.list', { query: { email } });
  return items[0]?.id ?? '';
}
const may = async ({ client }: TestUser, name: string, action: 'write' | 'admin') =>
  (await client.call('permissions.check', { query: { resource_type: 'agent', resource_id: name, action } })).allowed;

test('users are found by a part of their address or name, and by their role', async () => {
  await app.user('hedy@example.com');
  const found = async (query: object) =>
    (await app.admin.client.call('users.list', { query })).items.map(({ email }) => email);
  expect(await found({ text: 'HEDY@ex' })).toEqual(['hedy@example.com']);
  expect(await found({ text: 'hedy', role: 'viewer' })).toEqual(['hedy@example.com']);
  expect(await found({ text: 'hedy', role: 'admin' })).toEqual([]);
  const { total } = await app.admin.client.call('users.list', { query: { text: 'hedy', limit: 1, total: 'true' } });
  expect(total).toBe(1);
});

test('a role change acts on the next request, up and down, and is recorded', async () => {
  const ada = await person();
  const id = await idOf(ada);
  await expect(ada.client.call('users.list', {})).rejects.toMatchObject({ code: 'forbidden' });
  await app.admin.client.call('users.update', { params: { id }, body: { role: 'admin' } });
  await ada.client.call('users.list', {});
  await app.admin.client.call('users.update', { params: { id }, body: { role: 'viewer' } });
  await expect(ada.client.call('users.list', {})).rejects.toMatchObject({ code: 'forbidden' });
  const [, last] = await app.db.all<{ detail: object }>(
    sql`select body::json -> 'detail' as detail from audit.entry where event = 'user.changed' and body::json -> 'detail' ->> 'user' = ${ada.email} order by seq`,
  );
  expect(last?.detail).toMatchObject({ before: { role: 'admin' }, after: { role: 'viewer' } });
});

test('a disabled user is signed out and cannot sign in; an enabled user can sign in again', async () => {
  const ada = await person();
  const id = await idOf(ada);
  await app.admin.client.call('users.update', { params: { id }, body: { active: false } });
  await expect(ada.client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
  const login = async () =>
    await app.anonymous.call('auth.login', { body: { email: ada.email, password: ada.password } });
  await expect(login()).rejects.toMatchObject({ code: 'bad_credentials' });
  await app.admin.client.call('users.update', { params: { id }, body: { active: true } });
  await expect(ada.client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
  await login();
});

test('the last platform admin cannot be disabled, demoted or removed, not even by two simultaneous requests', async () => {
  const root = await app.user(`root-${++made}@example.com`, { role: 'admin' });
  const [one, two] = [await idOf(app.admin), await idOf(root)];
  const disable = async (by: TestUser, id: string) =>
    await by.client.call('users.update', { params: { id }, body: { active: false } });
  // Each request alone would succeed.
  const both = await Promise.allSettled([disable(app.admin, two), disable(root, one)]);
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const left = both[0]?.status === 'fulfilled' ? app.admin : root;
  const id = left === root ? two : one;
  await expect(disable(left, id)).rejects.toMatchObject({ code: 'last_admin' });
  await expect(left.client.call('users.update', { params: { id }, body: { role: 'viewer' } })).rejects.toMatchObject({
    code: 'last_admin',
  });
  await expect(left.client.call('users.remove', { params: { id }, query: {} })).rejects.toMatchObject({
    code: 'last_admin',
  });
  await app.governed(sql`update app_user set active = true where id = ${one} returning id`);
  app.admin.client = app.as(
    (await app.anonymous.call('auth.login', { body: { email: app.admin.email, password: app.admin.password } }))
      .access_token,
  );
  await app.admin.client.call('users.update', { params: { id: two }, body: { role: 'viewer' } });
});

test('if admins need an approval, the second-last admin stays too', async () => {
  const root = await app.user(`root-${++made}@example.com`, { role: 'admin' });
  const id = await idOf(root);
  await app.settings({ require_approval_for_admins: true });
  await expect(
    app.admin.client.call('users.update', { params: { id }, body: { role: 'viewer' } }),
  ).rejects.toMatchObject({ code: 'last_admin', detail: expect.stringContaining('require_approval_for_admins needs') });
  await app.settings({ require_approval_for_admins: false });
  await app.admin.client.call('users.update', { params: { id }, body: { role: 'viewer' } });
});

test('the assets of a user who leaves a team get another owner, with an owner’s rights', async () => {
  const ada = await person();
  const { name } = await agentOf(ada);
  const params = { team: 'ml', principal: `user:${ada.email}` };
  await expect(max.client.call('teams.remove_member', { params, query: {} })).rejects.toMatchObject({
    code: 'owns_assets',
    fields: { assets: [`agents/${name}`] },
  });
  const outsider = await app.user(`otto-${++made}@example.com`, { teams: { ops: 'contributor' } });
  await expect(
    max.client.call('teams.remove_member', { params, query: { assets_to: outsider.email } }),
  ).rejects.toMatchObject({ code: 'invalid' });
  expect(await may(ada, name, 'admin')).toBe(true);
  await max.client.call('teams.remove_member', { params, query: { assets_to: grace.email } });
  expect([await may(ada, name, 'admin'), await may(grace, name, 'admin'), await may(grace, name, 'write')]).toEqual([
    false,
    true,
    true,
  ]);
  const shown = await grace.client.call('registry.show', { params: { kind: 'agent', name } });
  expect(shown.owner).toBe(grace.email);
});

test('only past actions of a removed user stay; a new user with the same address inherits nothing', async () => {
  const ada = await person();
  const { name, ref } = await agentOf(ada);
  const { id: request } = await ada.client.call('approvals.submit', { body: { asset: ref } });
  const id = await idOf(ada);
  await expect(app.admin.client.call('users.remove', { params: { id }, query: {} })).rejects.toMatchObject({
    code: 'owns_assets',
  });
  await app.admin.client.call('users.remove', { params: { id }, query: { assets_to: grace.email } });
  await expect(ada.client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(
    app.anonymous.call('auth.login', { body: { email: ada.email, password: ada.password } }),
  ).rejects.toMatchObject({ code: 'bad_credentials' });
  const asked = await app.admin.client.call('approvals.show', { params: { id: request } });
  expect(asked.submitted_by).toBe(ada.email);
  expect((await app.admin.client.call('users.list', { query: { email: ada.email } })).items).toEqual([]);

  const again = await app.user(ada.email, { password: 'somebody else altogether', teams: { ml: 'contributor' } });
  expect([await may(again, name, 'write'), await may(again, name, 'admin')]).toEqual([false, false]);
  expect((await again.client.call('auth.me', {})).id).not.toBe(id);
});

test('a reused address or team name reads no earlier entries of the log', async () => {
  const team = `team-${++made}`;
  const zed = await app.user(`zed-${made}@example.com`, { teams: { [team]: 'admin' } });
  await zed.client.call('groups.create', { body: { name: `${team}-group`, team } });
  const read = async ({ client }: TestUser) => (await client.call('audit.list', { query: { limit: 200 } })).items;
  expect((await read(zed)).map(({ event }) => event)).toEqual(
    expect.arrayContaining(['group.created', 'token.issued']),
  );
  const group = (await zed.client.call('groups.list', { query: { team } })).items[0]?.id ?? '';
  await zed.client.call('groups.delete', { params: { id: group } });
  await app.admin.client.call('users.remove', { params: { id: await idOf(zed) }, query: {} });
  await app.admin.client.call('teams.delete', { params: { team } });
  const began = Date.now();
  const again = await app.user(zed.email, { password: 'somebody else altogether', teams: { [team]: 'admin' } });
  const entries = await read(again);
  expect(entries.map(({ event }) => event)).toContain('token.issued');
  expect(entries.filter(({ occurred_at }) => Date.parse(occurred_at) < began - 1000)).toEqual([]);
  expect(entries.map(({ event }) => event)).not.toContain('group.created');
});

test('a team with the only admin entry of an asset cannot be deleted', async () => {
  const team = `team-${++made}`;
  await app.admin.client.call('teams.create', { body: { name: team } });
  const { name, asset_id } = await agentOf(grace);
  await grace.client.call('permissions.grant', {
    body: {
      resource_type: 'agent',
      resource_id: name,
      principal_type: 'team',
      principal_id: team,
      actions: ['read', 'admin'],
    },
  });
  await app.governed(
    sql`delete from permission where asset_id = ${asset_id} and principal_type = 'user' and 'admin' = any(actions) returning id`,
  );
  await expect(app.admin.client.call('teams.delete', { params: { team } })).rejects.toMatchObject({
    code: 'last_admin',
    detail: expect.stringContaining(`agents/${name}`),
  });
});

test('of two admins of an asset who are removed at the same moment, one stays, and so does an admin entry', async () => {
  for (let round = 0; round < 10; round++) {
    const pair = [await person(), await person()] as const;
    const [shared, ...own] = [await agentOf(grace), await agentOf(pair[0]), await agentOf(pair[1])];
    for (const { asset_id } of [shared, ...own])
      for (const { email } of pair)
        await app.governed(sql`
          insert into permission (asset_id, principal_type, principal_id, actions)
          select ${asset_id}, 'user', id, array['read', 'admin'] from app_user where email = ${email}
          on conflict do nothing returning id`);
    await app.governed(sql`
      delete from permission where asset_id = ${shared.asset_id} and principal_id = (select id from app_user where email = ${grace.email}) returning id`);
    const ids = await Promise.all(pair.map(idOf));
    const remove = async (id: string) =>
      await app.admin.client.call('users.remove', { params: { id }, query: { assets_to: grace.email } });
    const removed = await Promise.allSettled(ids.map(remove));
    expect(removed.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(removed.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'last_admin' } });
  }
});

test('an empty team can be deleted', async () => {
  const team = `team-${++made}`;
  const lead = await app.user(`lead-${made}@example.com`, { teams: { [team]: 'admin' } });
  const remove = async () => await app.admin.client.call('teams.delete', { params: { team } });
  const group = await lead.client.call('groups.create', { body: { name: `${team}-oncall`, team } });
  const machine = await lead.client.call('principals.create', { body: { name: `${team}-ci`, team } });
  await lead.client.call('registry.create', { params: { kind: 'tool' }, body: { name: `${team}-tool`, team } });
  await expect(remove()).rejects.toMatchObject({
    code: 'in_use',
    detail: expect.stringMatching(new RegExp(`tools/${team}-tool.*group:${team}-oncall.*principal:${team}-ci`)),
  });
  await lead.client.call('groups.delete', { params: { id: group.id } });
  await lead.client.call('principals.delete', { params: { id: machine.id } });
  await app.governed(
    sql`delete from version where asset_id = (select id from asset where name = ${`${team}-tool`}) returning id`,
  );
  await app.governed(
    sql`delete from permission where asset_id = (select id from asset where name = ${`${team}-tool`}) returning id`,
  );
  await app.governed(sql`delete from asset where name = ${`${team}-tool`} returning id`);
  await remove();
  await expect(app.admin.client.call('teams.show', { params: { team } })).rejects.toMatchObject({ code: 'not_found' });
  expect(await lead.client.call('auth.me', {})).toMatchObject({ teams: [], primary_team: null });
});
