import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Permission } from '@gantry/contract/people/permissions.ts';
import type { Action } from '@gantry/contract/roles.ts';
import { sql } from '../../ground/database/sql.ts';
import { serveAgent, storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let dora: TestUser;
let otto: TestUser;
let made = 0;

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  await app.user('bob@example.com', { teams: { ml: 'contributor' } });
  dora = await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'contributor' } });
});
afterAll(async () => await app?.stop());

/** A new agent of ada in team ml. The whole organisation may read it. */
const agent = async () => await storeAgent(app, ada.email, { name: `agent-${++made}` });
const resource = ({ name }: StoredAgent) => ({ resource_type: 'agent', resource_id: name }) as const;
const user = (email: string) => ({ principal_type: 'user', principal_id: email }) as const;
const ops = { principal_type: 'team', principal_id: 'ops' } as const;

const grant = async (
  by: TestUser,
  to: StoredAgent,
  who: Pick<Permission, 'principal_type' | 'principal_id'>,
  actions: Action[],
) => await by.client.call('permissions.grant', { body: { ...resource(to), ...who, actions } });
const revoke = async (by: TestUser, { id }: { id: string }, actions?: Action[]) =>
  await by.client.call('permissions.revoke', {
    params: { id },
    query: actions === undefined ? {} : { actions: actions.join(',') },
  });
const check = async (by: TestUser, of: StoredAgent, action: Action) =>
  await by.client.call('permissions.check', { query: { ...resource(of), action } });
const entries = async (by: TestUser, of: StoredAgent) =>
  (await by.client.call('permissions.list', { query: { ...resource(of), limit: 200 } })).items;
const entry = async (of: StoredAgent, type: Permission['principal_type'], id: string | null = null) => {
  const found = (await entries(app.admin, of)).find(
    (each) => each.principal_type === type && (id === null || each.principal_id === id),
  );
  if (found === undefined) throw new Error(`${type} has no entry`);
  return found;
};
const changes = async ({ name }: StoredAgent) =>
  await app.db.all<{ detail: object }>(
    sql`select body::json -> 'detail' as detail from audit.entry where event = 'permission.changed' and asset = ${`agents/${name}`} order by seq`,
  );

test('a new asset has the entries of the spec', async () => {
  const made_now = await agent();
  expect(
    (await entries(ada, made_now)).map(({ principal_type, principal_id, actions }) => [
      principal_type,
      principal_id,
      actions,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['user', 'ada@example.com', ['read', 'use', 'write', 'publish', 'admin']],
      ['team', 'ml', ['read', 'use']],
      ['org', null, ['read']],
    ]),
  );
});

test('a grant allows exactly its actions, acts on the next request and is recorded; so does its revocation', async () => {
  const given = await agent();
  expect(await check(otto, given, 'use')).toEqual({
    allowed: false,
    reason: `You have no use permission on agents/${given.name}.`,
  });
  const made_now = await grant(ada, given, ops, ['use']);
  expect(made_now).toMatchObject({ asset: `agents/${given.name}`, ...ops, actions: ['use'] });
  expect(await check(otto, given, 'use')).toEqual({ allowed: true, reason: 'use entry of the team' });
  expect(await check(otto, given, 'write')).toMatchObject({ allowed: false });
  expect(await grant(ada, given, ops, ['write', 'read'])).toMatchObject({
    id: made_now.id,
    actions: ['read', 'use', 'write'],
  });
  await revoke(ada, made_now, ['use', 'write']);
  expect(await check(otto, given, 'use')).toMatchObject({ allowed: false });
  await revoke(ada, made_now);
  expect((await entries(ada, given)).some(({ principal_id }) => principal_id === 'ops')).toBe(false);
  const principal = 'team:ops';
  expect((await changes(given)).map(({ detail }) => detail)).toEqual([
    { principal, before: [], after: ['use'] },
    { principal, before: ['use'], after: ['read', 'use', 'write'] },
    { principal, before: ['read', 'use', 'write'], after: ['read'] },
    { principal, before: ['read'], after: [] },
  ]);
});

test('a repeated grant of the same actions leaves no trace', async () => {
  const given = await agent();
  const first = await grant(ada, given, ops, ['use']);
  expect(await grant(ada, given, ops, ['use'])).toEqual(first);
  expect(await changes(given)).toHaveLength(1);
});

test('`write` in an entry gives no rights above the role: a viewer stays a viewer', async () => {
  const given = await agent();
  const vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  await grant(ada, given, user(vera.email), ['write', 'admin', 'deploy']);
  for (const action of ['write', 'admin', 'deploy'] as const)
    expect(await check(vera, given, action)).toMatchObject({ allowed: false, reason: expect.stringContaining('role') });
  await expect(grant(vera, given, user(vera.email), ['publish'])).rejects.toMatchObject({ code: 'forbidden' });
});

describe('the last admin of an asset', () => {
  test('keeps `admin` until somebody else has it', async () => {
    const kept = await agent();
    const own = await entry(kept, 'user', ada.email);
    for (const actions of [undefined, ['admin'] as Action[]])
      await expect(revoke(app.admin, own, actions)).rejects.toMatchObject({ code: 'last_admin' });
    await revoke(ada, own, ['publish']);
    await grant(ada, kept, user('bob@example.com'), ['admin']);
    await revoke(ada, own, ['admin']);
    await expect(grant(ada, kept, ops, ['use'])).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('is never removed by two simultaneous revocations', async () => {
    for (let round = 0; round < 10; round++) {
      const kept = await agent();
      const bobs = await grant(ada, kept, user('bob@example.com'), ['admin']);
      const own = await entry(kept, 'user', ada.email);
      const both = await Promise.allSettled([revoke(app.admin, own), revoke(app.admin, bobs)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect((await entries(app.admin, kept)).filter(({ actions }) => actions.includes('admin'))).toHaveLength(1);
    }
  });
});

test('a push with a narrower visibility keeps the last admin, and shows the resulting visibility', async () => {
  const name = `agent-${++made}`;
  const kept = await storeAgent(app, ada.email, { name });
  await grant(ada, kept, { principal_type: 'team', principal_id: 'ml' }, ['admin']);
  await revoke(app.admin, await entry(kept, 'user', ada.email), ['admin']);
  await storeAgent(app, ada.email, { name, version: '1.1.0', yaml: 'access: {visibility: private}\n' });
  const left = await entries(app.admin, kept);
  expect(left.map(({ principal_type }) => principal_type).toSorted()).toEqual(['team', 'user']);
  expect(left.find(({ principal_type }) => principal_type === 'team')?.actions).toEqual(['read', 'use', 'admin']);
  expect((await ada.client.call('registry.show', { params: { kind: 'agent', name } })).visibility).toBe('team');
});

test('the shown visibility follows from the entries', async () => {
  const shown = await agent();
  const visibility = async () =>
    (await ada.client.call('registry.show', { params: { kind: 'agent', name: shown.name } })).visibility;
  expect(await visibility()).toBe('org');
  await revoke(ada, await entry(shown, 'org'));
  expect(await visibility()).toBe('team');
  await revoke(ada, await entry(shown, 'team', 'ml'));
  expect(await visibility()).toBe('private');
  await expect(
    dora.client.call('registry.show', { params: { kind: 'agent', name: shown.name } }),
  ).rejects.toMatchObject({ code: 'not_found' });
  await grant(ada, shown, { principal_type: 'org', principal_id: null }, ['read']);
  expect(await visibility()).toBe('org');
});

describe('a hidden asset', () => {
  test('is in no list, is checked like a missing one, and its entries cannot be revoked', async () => {
    const hidden = await storeAgent(app, ada.email, { name: 'hidden', yaml: 'access: {visibility: private}\n' });
    expect(await entries(otto, hidden)).toEqual([]);
    const { items } = await otto.client.call('permissions.list', { query: { limit: 200 } });
    expect(items.some(({ asset }) => asset === 'agents/hidden')).toBe(false);
    const nothing = { resource_type: 'agent', resource_id: 'nothing', action: 'use' } as const;
    expect(await check(otto, hidden, 'use')).toEqual(await otto.client.call('permissions.check', { query: nothing }));
    await expect(revoke(otto, await entry(hidden, 'user', ada.email))).rejects.toMatchObject({ code: 'not_found' });
    await expect(grant(otto, hidden, ops, ['use'])).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('a grant to a missing principal is refused, and nothing is written', async () => {
  const given = await agent();
  for (const [principal_type, principal_id] of [
    ['user', 'nobody@example.com'],
    ['team', 'nothing'],
    ['group', 'oncall'],
    ['principal', 'ci'],
    ['team', null],
    ['org', 'ml'],
  ] as const)
    await expect(grant(ada, given, { principal_type, principal_id }, ['use'])).rejects.toMatchObject({
      code: 'invalid',
    });
  expect(await changes(given)).toEqual([]);
});

test('check gives the same answer as a deploy', async () => {
  const deployed = await agent();
  expect(await check(ada, deployed, 'deploy')).toMatchObject({
    allowed: false,
    reason: expect.stringContaining('deployer'),
  });
  expect(await check(dora, deployed, 'deploy')).toMatchObject({
    allowed: false,
    reason: expect.stringContaining('approval'),
  });
  const { id } = await ada.client.call('approvals.submit', { body: { asset: deployed.ref } });
  await app.admin.client.call('approvals.approve', { params: { id }, body: {} });
  expect(await check(dora, deployed, 'deploy')).toEqual({
    allowed: true,
    reason: `deployer of team:ml, approval ${id}`,
  });
  expect(await check(otto, deployed, 'deploy')).toMatchObject({ allowed: false });
});

describe('explain', () => {
  const explain = async (by: TestUser, of: StoredAgent, action: Action, principal?: string) =>
    await by.client.call('permissions.explain', {
      query: { ...resource(of), action, ...(principal === undefined ? {} : { principal }) },
    });

  test('names the deciding entries and role, and changes that really reverse the answer', async () => {
    const explained = await agent();
    const before = await explain(ada, explained, 'write', 'user:otto@example.com');
    expect(before).toMatchObject({
      allowed: false,
      role: 'viewer',
      team_role: null,
      entries: [{ principal_type: 'org', actions: ['read'] }],
      would_change: [
        ['svc team add ml user:otto@example.com --role admin'],
        [
          `svc acl grant --asset agents/${explained.name} --principal user:otto@example.com --actions read,write`,
          'svc team add ml user:otto@example.com --role contributor',
        ],
      ],
    });
    await grant(ada, explained, user(otto.email), ['read', 'write']);
    await app.admin.client.call('teams.add_member', {
      params: { team: 'ml' },
      body: { principal: 'user:otto@example.com', role: 'contributor' },
    });
    expect(await explain(ada, explained, 'write', 'user:otto@example.com')).toMatchObject({
      allowed: true,
      reason: 'write entry of the user',
      would_change: [
        [`svc acl revoke --asset agents/${explained.name} --principal user:otto@example.com --actions write`],
        ['svc team remove ml user:otto@example.com'],
      ],
    });
    await app.admin.client.call('teams.remove_member', { params: { team: 'ml', principal: 'user:otto@example.com' } });
  });

  test('names the missing approval of a deploy', async () => {
    const explained = await agent();
    expect(await explain(dora, explained, 'deploy')).toMatchObject({
      allowed: false,
      would_change: expect.arrayContaining([[`an approval: svc submit --asset agents/${explained.name}`]]),
    });
  });

  test('answers about others only to admins of the asset, and never about hidden assets', async () => {
    const explained = await agent();
    await expect(explain(dora, explained, 'use', 'user:otto@example.com')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await explain(dora, explained, 'use', 'user:dora@example.com')).toMatchObject({ allowed: true });
    await expect(explain(ada, explained, 'use', 'user:nobody@example.com')).rejects.toMatchObject({ code: 'invalid' });
    await expect(explain(ada, explained, 'use', 'team:ml')).rejects.toMatchObject({ code: 'invalid' });
    const hidden = await storeAgent(app, ada.email, { name: 'dark', yaml: 'access: {visibility: private}\n' });
    await expect(explain(otto, hidden, 'use')).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('check and explain give the ingress’s answer on a call: allowed_callers of the serving version narrow it', async () => {
  const narrow = await storeAgent(app, ada.email, {
    name: 'narrow',
    yaml: 'access: {allowed_callers: ["team:ops"]}\n',
  });
  expect(await check(dora, narrow, 'use')).toMatchObject({ allowed: true });
  await serveAgent(app, narrow, 'http://127.0.0.1:9');
  const reason = 'agents/narrow accepts calls only from team:ops (access.allowed_callers).';
  expect(await check(dora, narrow, 'use')).toEqual({ allowed: false, reason });
  await expect(dora.client.call('invoke.health', { params: { name: 'narrow' } })).rejects.toMatchObject({
    code: 'forbidden',
    detail: reason,
  });
  expect(await check(ada, narrow, 'use')).toMatchObject({ allowed: true });
  const explained = await dora.client.call('permissions.explain', { query: { ...resource(narrow), action: 'use' } });
  expect(explained).toMatchObject({
    allowed: false,
    reason,
    would_change: [['svc team add ops user:dora@example.com']],
  });
});

test('lists narrow by asset and principal, and page without gaps', async () => {
  const listed = await agent();
  await grant(ada, listed, ops, ['use']);
  const by = async (query: object) =>
    (await ada.client.call('permissions.list', { query: { ...query, limit: 200 } })).items.map(({ asset }) => asset);
  expect(await by({ ...ops, ...resource(listed) })).toEqual([`agents/${listed.name}`]);
  expect(await by({ resource_type: 'tool' })).toEqual([]);
  expect(await by(user('nobody@example.com'))).toEqual([]);
  await expect(by({ principal_id: 'ops' })).rejects.toMatchObject({ code: 'malformed' });
  await expect(by({ resource_id: listed.name })).rejects.toMatchObject({ code: 'malformed' });
  const all = await by({});
  const paged: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ada.client.call('permissions.list', {
      query: { limit: 3, ...(cursor === undefined ? {} : { cursor }) },
    });
    paged.push(...page.items.map(({ asset }) => asset));
    cursor = page.next_cursor;
    if (cursor === undefined) break;
    await expect(otto.client.call('permissions.list', { query: { limit: 3, cursor } })).rejects.toMatchObject({
      code: 'bad_cursor',
    });
  }
  expect(paged).toEqual(all);
});

test('a deleted asset has no entries, and accepts none', async () => {
  const gone = await agent();
  const own = await entry(gone, 'user', ada.email);
  await ada.client.call('agents.delete', { params: { name: gone.name } });
  await expect(revoke(ada, own)).rejects.toMatchObject({ code: 'not_found' });
  await expect(grant(ada, gone, ops, ['use'])).rejects.toMatchObject({ code: 'not_found' });
  expect(await app.db.all(sql`select id from permission where asset_id = ${gone.asset_id}`)).toEqual([]);
});
