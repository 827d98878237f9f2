import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Group } from '@gantry/contract/people/groups.ts';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let max: TestUser;
let ada: TestUser;
let vera: TestUser;
let olga: TestUser;
let made = 0;

beforeAll(async () => {
  app = await testApp();
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'contributor' } });
  olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
});
afterAll(async () => await app?.stop());

const group = async (team = 'ml', by = max): Promise<Group> =>
  await by.client.call('groups.create', { body: { name: `group-${++made}`, team } });
const add = async ({ id }: Group, { email }: TestUser, by = max) =>
  await by.client.call('groups.add_member', { params: { id }, body: { email } });
const agent = async () =>
  await storeAgent(app, ada.email, { name: `agent-${++made}`, yaml: 'access: { visibility: private }' });
const reads = async ({ client }: TestUser, name: string) =>
  (
    await client.call('permissions.check', {
      query: { resource_type: 'agent', resource_id: name, action: 'read' },
    })
  ).allowed;
const grantTo = async ({ name: principal_id }: Group, name: string, actions: ('read' | 'write' | 'admin')[]) =>
  await ada.client.call('permissions.grant', {
    body: { resource_type: 'agent', resource_id: name, principal_type: 'group', principal_id, actions },
  });

test('a grant to a group acts for its members on the next request', async () => {
  const [oncall, { name }] = [await group(), await agent()];
  await grantTo(oncall, name, ['read', 'write']);
  expect(await reads(vera, name)).toBe(false);
  const { members } = await add(oncall, vera);
  expect(members.map(({ email }) => email)).toEqual([vera.email]);
  expect(await reads(vera, name)).toBe(true);
  const listed = (await vera.client.call('registry.list', { params: { kind: 'agent' }, query: { limit: 200 } })).items;
  expect(listed.map((each) => each.name)).toContain(name);
  const explained = await ada.client.call('permissions.explain', {
    query: { resource_type: 'agent', resource_id: name, action: 'write', principal: `user:${vera.email}` },
  });
  expect(explained).toMatchObject({ allowed: true, reason: 'write entry of the group' });
  expect(explained.would_change).toContainEqual([
    `svc acl revoke --asset agents/${name} --principal group:${oncall.name} --actions write`,
  ]);
  await max.client.call('groups.remove_member', { params: { id: oncall.id, member_id: members[0]?.id ?? '' } });
  expect(await reads(vera, name)).toBe(false);
});

test('a user who leaves the team leaves its groups', async () => {
  const [oncall, { name }] = [await group(), await agent()];
  const guest = await app.user(`guest-${++made}@example.com`, { teams: { ml: 'viewer' } });
  await grantTo(oncall, name, ['read']);
  await add(oncall, guest);
  expect(await reads(guest, name)).toBe(true);
  const params = { team: 'ml', principal: `user:${guest.email}` };
  await max.client.call('teams.remove_member', { params });
  expect(await reads(guest, name)).toBe(false);
  await max.client.call('teams.add_member', { params: { team: 'ml' }, body: { principal: params.principal } });
  expect(await reads(guest, name)).toBe(false);
});

test('nobody adds themselves to a group, and a group accepts nobody of another team', async () => {
  const oncall = await group();
  await expect(add(oncall, vera, vera)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(add(oncall, olga, olga)).rejects.toMatchObject({ code: 'not_found' });
  await expect(add(oncall, olga)).rejects.toMatchObject({ code: 'invalid' });
  expect((await max.client.call('groups.show', { params: { id: oncall.id } })).members).toEqual([]);
});

test('a member is removed only from the named group', async () => {
  const [oncall, other] = [await group(), await group('ops', olga)];
  await add(oncall, vera);
  const { members } = await add(other, olga, olga);
  const remove = async (by: TestUser, { id }: Group, member_id = '') =>
    await by.client.call('groups.remove_member', { params: { id, member_id } });
  await expect(remove(max, oncall, members[0]?.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(remove(max, other, members[0]?.id)).rejects.toMatchObject({ code: 'not_found' });
  expect((await olga.client.call('groups.show', { params: { id: other.id } })).members).toHaveLength(1);
});

test('a deleted group’s entries are deleted too, and a new group with its name inherits nothing', async () => {
  const [oncall, { name }] = [await group(), await agent()];
  await grantTo(oncall, name, ['read']);
  await add(oncall, vera);
  await max.client.call('groups.delete', { params: { id: oncall.id } });
  expect(await reads(vera, name)).toBe(false);
  const again = await max.client.call('groups.create', { body: { name: oncall.name, team: 'ml' } });
  await add(again, vera);
  expect(await reads(vera, name)).toBe(false);
});

test('a group with the only admin entry of an asset cannot be deleted', async () => {
  const [oncall, { name, asset_id }] = [await group(), await agent()];
  await grantTo(oncall, name, ['read', 'admin']);
  await app.governed(
    sql`delete from permission where asset_id = ${asset_id} and principal_type = 'user' and 'admin' = any(actions) returning id`,
  );
  await expect(max.client.call('groups.delete', { params: { id: oncall.id } })).rejects.toMatchObject({
    code: 'last_admin',
    detail: expect.stringContaining(`agents/${name}`),
  });
});

test('only their team and platform admins can list groups', async () => {
  const oncall = await group();
  const names = async ({ client }: TestUser) =>
    (await client.call('groups.list', { query: { limit: 200 } })).items.map(({ name }) => name);
  for (const one of [vera, max, app.admin]) expect(await names(one)).toContain(oncall.name);
  expect(await names(olga)).not.toContain(oncall.name);
  expect((await olga.client.call('groups.list', { query: { team: 'ml' } })).items).toEqual([]);
});
