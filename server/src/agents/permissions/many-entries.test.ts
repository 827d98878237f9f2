// Correct answers on large data: 10,000 entries on one asset, a caller in 999 groups, a group with a thousand members. The benchmark measures
// the speed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Action } from '@gantry/contract/roles.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;
let gil: TestUser;
let ned: TestUser;
let asset_id: string;
const one = 'group-777';

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  gil = await app.user('gil@example.com', { teams: { ml: 'contributor' } });
  ned = await app.user('ned@example.com', { teams: { ml: 'contributor' } });
  const stored = await storeAgent(app, ada.email, { name: 'crowded', yaml: 'access: {visibility: private}\n' });
  asset_id = stored.asset_id;
  await storeAgent(app, ada.email, { name: 'empty', yaml: 'access: {visibility: private}\n' });
  // The owner of the database writes without the log: 30,000 single changes would take too long.
  await past(
    'app_user',
    sql`insert into app_user (email, name, role, password_hash)
    select 'user-' || n || '@example.com', 'user', 'viewer', 'x' from generate_series(1, 8999) n`,
  );
  await past(
    'membership',
    sql`insert into membership (team_id, user_id, role)
    select (select id from team where name = 'ml'), id, 'viewer' from app_user where email like 'user-%'`,
  );
  await past(
    'user_group',
    sql`insert into user_group (name, team_id)
    select 'group-' || n, (select id from team where name = 'ml') from generate_series(1, 1000) n`,
  );
  // Gil is in every group but one. Ned is only in that one, which has a thousand members.
  await past(
    'group_member',
    sql`insert into group_member (group_id, team_id, user_id)
    select g.id, g.team_id, u.id from user_group g, app_user u
    where (g.name = ${one} and (u.email = 'ned@example.com' or u.email in (select email from app_user where email like 'user-%' limit 999)))
      or (g.name <> ${one} and u.email = 'gil@example.com')`,
  );
  await past(
    'permission',
    sql`insert into permission (asset_id, principal_type, principal_id, actions)
    select ${asset_id}::uuid, 'user', id, array['read'] from app_user where email like 'user-%'
    union all select ${asset_id}::uuid, 'group', id, case name when ${one} then array['read', 'write'] else array['read', 'use'] end from user_group`,
  );
}, 120_000);
afterAll(async () => await app?.stop());

async function past(table: string, statement: Sql): Promise<void> {
  const say = (what: string): Sql => ({ strings: [`alter table ${table} ${what} trigger all`], values: [] });
  await app.db.run(say('disable'));
  await app.db.run(statement);
  await app.db.run(say('enable'));
}

const check = async ({ client }: TestUser, action: Action, name = 'crowded') =>
  (await client.call('permissions.check', { query: { resource_type: 'agent', resource_id: name, action } })).allowed;
const may = async (who: TestUser) => ({
  read: await check(who, 'read'),
  use: await check(who, 'use'),
  write: await check(who, 'write'),
  admin: await check(who, 'admin'),
});

test('of 10,000 entries only the matching one decides', async () => {
  const counted = sql`select (select count(*) from permission where asset_id = ${asset_id}) as entries,
    (select count(*) from group_member) as members`;
  expect(await app.db.one(counted)).toEqual({ entries: 10_000, members: 1999 });
  expect(await may(ada)).toEqual({ read: true, use: true, write: true, admin: true });
  expect(await may(gil)).toEqual({ read: true, use: true, write: false, admin: false });
  expect(await may(ned)).toEqual({ read: true, use: false, write: true, admin: false });
  const nemo = await app.user('nemo@example.com', { teams: { ops: 'contributor' } });
  expect(await may(nemo)).toEqual({ read: false, use: false, write: false, admin: false });
  for (const who of [gil, ned]) expect(await check(who, 'read', 'empty')).toBe(false);
});

test('a deleted entry or membership among 10,000 acts on the next request', async () => {
  const query = {
    resource_type: 'agent',
    resource_id: 'crowded',
    principal: `user:${ned.email}`,
    action: 'write',
  } as const;
  expect(await ada.client.call('permissions.explain', { query })).toMatchObject({ allowed: true });
  const groups = (await max.client.call('groups.list', { query: { name: one } })).items;
  const [group] = groups;
  const member = group?.members.find(({ email }) => email === ned.email);
  expect(group?.members).toHaveLength(1000);
  await max.client.call('groups.remove_member', { params: { id: group?.id ?? '', member_id: member?.id ?? '' } });
  expect(await may(ned)).toEqual({ read: false, use: false, write: false, admin: false });
  expect(await ada.client.call('permissions.explain', { query })).toMatchObject({ allowed: false });
  expect(await check(gil, 'use')).toBe(true);
});

test('a list of 10,000 entries shows each group entry once, page by page', async () => {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await ada.client.call('permissions.list', {
      query: { resource_type: 'agent', resource_id: 'crowded', principal_type: 'group', limit: 200, cursor },
    });
    for (const { id } of page.items) seen.add(id);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  expect(seen.size).toBe(1000);
});
