import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import type { Role } from '@gantry/contract/roles.ts';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { serviceKeys } from '../../ground/config/key-form.ts';

let app: TestApp;
let max: TestUser;
let ada: TestUser;
let olga: TestUser;
let made = 0;

beforeAll(async () => {
  app = await testApp();
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
});
afterAll(async () => await app?.stop());

interface Machine {
  id: string;
  name: string;
  key: string;
}

async function machine(role: Role = 'viewer', allowed_assets = ['*/*']): Promise<Machine> {
  const body = { name: `machine-${++made}`, team: 'ml', role, allowed_assets };
  const { id, name, key = '' } = await max.client.call('principals.create', { body });
  return { id, name, key };
}

const exchange = async (key: string) => await app.anonymous.call('auth.exchange_key', { body: { key } });
const as = async ({ key }: Machine): Promise<Client> => app.as((await exchange(key)).access_token);
const agent = async (name = `agent-${++made}`) => await storeAgent(app, ada.email, { name });
const events = async (event: string) =>
  await app.db.all<{ detail: Record<string, unknown> }>(
    sql`select body::json -> 'detail' as detail from audit.entry where event = ${event} order by chain, seq`,
  );

describe('a key', () => {
  test('is shown once, and is stored nowhere', async () => {
    const ci = await machine('deployer');
    expect(serviceKeys.isKey(ci.key)).toBe(true);
    const shown = await max.client.call('principals.show', { params: { id: ci.id } });
    expect(shown).toMatchObject({ role: 'deployer', allowed_assets: ['*/*'], key_age_days: 0, key_is_old: false });
    expect(shown.keys).toMatchObject([{ prefix: ci.key.slice(0, 12), issued_to: max.email, last_used_at: null }]);
    expect(JSON.stringify(shown)).not.toContain(ci.key);
    await as(ci);
    const kept = await app.db.all<{ kept: string }>(sql`
      select row_to_json(k)::text as kept from service_key k union all select row_to_json(u)::text from service_key_use u
      union all select body from audit.entry`);
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.filter((row) => row.kept.includes(ci.key))).toEqual([]);
  });

  test('is exchanged for a 15-minute token that identifies the caller', async () => {
    const ci = await machine('contributor', ['agents/*']);
    const before = Date.now();
    const { access_token, expires_at } = await exchange(ci.key);
    expect(Date.parse(expires_at) - before).toBeGreaterThan(14 * 60_000);
    expect(Date.parse(expires_at) - before).toBeLessThan(16 * 60_000);
    expect(await app.as(access_token).call('auth.me', {})).toMatchObject({
      kind: 'principal',
      name: ci.name,
      email: null,
      role: 'viewer',
      teams: [{ name: 'ml', role: 'contributor' }],
      allowed_assets: ['agents/*'],
    });
    const [use] = (await max.client.call('principals.show', { params: { id: ci.id } })).keys;
    expect(Date.parse(use?.last_used_at ?? '')).toBeGreaterThanOrEqual(before - 1000);
  });

  test('is no token itself, and a malformed key is refused without a database query', async () => {
    const { key } = await machine();
    await expect(app.as(key).call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
    const other = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    expect([serviceKeys.isKey(other), serviceKeys.isKey(serviceKeys.newKey()), serviceKeys.isKey('')]).toEqual([
      false,
      true,
      false,
    ]);
    for (const wrong of [other, serviceKeys.newKey(), "gsp_' or 1=1 --"])
      await expect(exchange(wrong)).rejects.toMatchObject({ code: 'bad_credentials' });
    await exchange(key);
  });

  test('that is rotated ends at once, with all its tokens', async () => {
    const ci = await machine();
    const client = await as(ci);
    await client.call('auth.me', {});
    const { key: next = '' } = await max.client.call('principals.rotate_key', { params: { id: ci.id }, body: {} });
    await expect(client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(exchange(ci.key)).rejects.toMatchObject({ code: 'bad_credentials' });
    await (await as({ ...ci, key: next })).call('auth.me', {});
    expect((await events('principal.key_rotated')).at(-1)?.detail).toMatchObject({
      principal: `principal:${ci.name}`,
      key: next.slice(0, 12),
      ended: [ci.key.slice(0, 12)],
    });
  });

  test('that is rotated with a grace period works until its end, beside the new key', async () => {
    const ci = await machine();
    const body = { grace_seconds: 3600 };
    const { key: next = '', keys } = await max.client.call('principals.rotate_key', { params: { id: ci.id }, body });
    expect(keys.map(({ ends_at }) => ends_at === null)).toEqual([true, false]);
    for (const key of [ci.key, next]) await exchange(key);
    await app.moveClock('61 minutes');
    try {
      await expect(exchange(ci.key)).rejects.toMatchObject({ code: 'bad_credentials' });
      await exchange(next);
    } finally {
      await app.moveClock('0 minutes');
    }
  });
});

describe('the allowed assets of a service principal', () => {
  test('are those that its globs match: all others are hidden', async () => {
    const [near, far] = [await agent(`near-${++made}`), await agent(`far-${++made}`)];
    const ci = await as(await machine('viewer', ['agents/near-*']));
    const show = async (name: string) => await ci.call('registry.show', { params: { kind: 'agent', name } });
    expect((await show(near.name)).name).toBe(near.name);
    const [hidden, nothing] = await Promise.allSettled([show(far.name), show('nothing-of-that-name')]);
    expect(hidden).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    expect((hidden as PromiseRejectedResult).reason.message).toBe((nothing as PromiseRejectedResult).reason.message);
    const listed = (await ci.call('registry.list', { params: { kind: 'agent' }, query: { limit: 200 } })).items;
    expect(listed.map(({ name }) => name)).toContain(near.name);
    expect(listed.filter(({ name }) => !name.startsWith('near-'))).toEqual([]);
    const entries = (await ci.call('permissions.list', { query: { limit: 200 } })).items;
    expect(entries.filter(({ asset }) => !asset.startsWith('agents/near-'))).toEqual([]);
    expect(entries.length).toBeGreaterThan(0);
  });

  test('are none without globs', async () => {
    const { name } = await agent();
    const ci = await as(await machine('admin', []));
    await expect(ci.call('registry.show', { params: { kind: 'agent', name } })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await ci.call('registry.list', { params: { kind: 'agent' }, query: {} })).items).toEqual([]);
  });

  test('give no rights: an asset that its team may not read stays hidden', async () => {
    const own = await app.user(`own-${++made}@example.com`, { teams: { ops: 'contributor' } });
    const secret = await storeAgent(app, own.email, {
      name: `secret-${++made}`,
      team: 'ops',
      yaml: 'access: { visibility: team }',
    });
    const ci = await as(await machine('admin', ['*/*']));
    await expect(ci.call('registry.show', { params: { kind: 'agent', name: secret.name } })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('cannot contain a pattern that matches no kind of asset', async () => {
    const body = { name: `machine-${++made}`, team: 'ml', allowed_assets: ['agent/*'] };
    await expect(max.client.call('principals.create', { body })).rejects.toMatchObject({ code: 'invalid' });
    await max.client.call('principals.create', { body: { ...body, allowed_assets: ['agents/*', 'to*/search'] } });
  });

  test('include an asset by an entry, only for this service principal', async () => {
    const { name } = await agent();
    const [ci, other] = [await machine('viewer'), await machine('viewer')];
    const use = async (one: Machine) =>
      await (
        await as(one)
      ).call('permissions.check', { query: { resource_type: 'agent', resource_id: name, action: 'publish' } });
    const grant = { resource_type: 'agent', resource_id: name, actions: ['publish'] } as const;
    await ada.client.call('permissions.grant', {
      body: { ...grant, actions: ['publish'], principal_type: 'principal', principal_id: ci.name },
    });
    await max.client.call('principals.update', { params: { id: ci.id }, body: { role: 'contributor' } });
    await max.client.call('principals.update', { params: { id: other.id }, body: { role: 'contributor' } });
    expect(await use(ci)).toMatchObject({ allowed: true });
    expect(await use(other)).toMatchObject({ allowed: false });
  });
});

describe('a service principal', () => {
  test('acts with its changes from its next request', async () => {
    const { name } = await agent();
    const ci = await machine('contributor');
    const client = await as(ci);
    const read = async () => await client.call('registry.show', { params: { kind: 'agent', name } });
    await read();
    await max.client.call('principals.update', { params: { id: ci.id }, body: { allowed_assets: ['tools/*'] } });
    await expect(read()).rejects.toMatchObject({ code: 'not_found' });
    expect((await events('principal.changed')).at(-1)?.detail).toMatchObject({
      before: { allowed_assets: ['*/*'] },
      after: { allowed_assets: ['tools/*'] },
    });
  });

  test('approves nothing, whatever its role', async () => {
    const { ref } = await agent();
    const { id } = await ada.client.call('approvals.submit', { body: { asset: ref } });
    const ci = await as(await machine('admin'));
    await expect(ci.call('approvals.approve', { params: { id }, body: {} })).rejects.toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('a person'),
    });
    await app.admin.client.call('approvals.approve', { params: { id }, body: {} });
  });

  test('with the role admin deploys nothing without an approval', async () => {
    const { ref } = await agent();
    const ci = await as(await machine('admin'));
    await expect(ci.call('deployments.create', { body: { ref } })).rejects.toMatchObject({ code: 'approval_required' });
  });

  test('does not hide its people: a user who was shown its key cannot approve its requests', async () => {
    const { ref, asset_id } = await agent();
    const ci = await machine('contributor');
    await ada.client.call('permissions.grant', {
      body: {
        resource_type: 'agent',
        resource_id: asset_id,
        principal_type: 'principal',
        principal_id: ci.name,
        actions: ['read', 'write'],
      },
    });
    const request = await (await as(ci)).call('approvals.submit', { body: { asset: ref } });
    expect(request.submitted_by).toBe(`principal:${ci.name}`);
    await expect(max.client.call('approvals.approve', { params: { id: request.id }, body: {} })).rejects.toMatchObject({
      code: 'own_request',
    });
    const decided = await app.admin.client.call('approvals.approve', { params: { id: request.id }, body: {} });
    expect(decided.status).toBe('approved');
  });

  test('that is deleted leaves no right behind, and a new one with its name inherits none', async () => {
    const { name, asset_id } = await agent();
    const ci = await machine('contributor');
    const client = await as(ci);
    await ada.client.call('permissions.grant', {
      body: {
        resource_type: 'agent',
        resource_id: name,
        principal_type: 'principal',
        principal_id: ci.name,
        actions: ['write'],
      },
    });
    await max.client.call('principals.delete', { params: { id: ci.id } });
    await expect(client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(exchange(ci.key)).rejects.toMatchObject({ code: 'bad_credentials' });
    const again = { name: ci.name, team: 'ml', role: 'contributor', allowed_assets: ['*/*'] } as const;
    await max.client.call('principals.create', { body: { ...again, allowed_assets: ['*/*'] } });
    expect(
      await app.db.all(sql`select 1 from permission where asset_id = ${asset_id} and principal_type = 'principal'`),
    ).toEqual([]);
  });

  test('is managed only by admins of its team: not by a deployer, another team or another machine', async () => {
    const ci = await machine('viewer');
    const boss = await as(await machine('admin'));
    const body = { role: 'admin' } as const;
    await expect(ada.client.call('principals.update', { params: { id: ci.id }, body })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(olga.client.call('principals.update', { params: { id: ci.id }, body })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(olga.client.call('principals.rotate_key', { params: { id: ci.id }, body: {} })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(boss.call('principals.update', { params: { id: ci.id }, body })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(
      boss.call('principals.create', { body: { name: `machine-${++made}`, team: 'ml', role: 'viewer' } }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    for (const extra of [{ key: 'mine' }, { team: 'ops' }, { created_by: ada.email }, { id: ci.id }])
      await expect(
        max.client.call('principals.update', { params: { id: ci.id }, body: { ...body, ...extra } }),
      ).rejects.toMatchObject({ code: 'invalid' });
    expect(await max.client.call('principals.show', { params: { id: ci.id } })).toMatchObject({ role: 'viewer' });
  });
});

test.each(['disabled', 'taken out of the team', 'removed'] as const)(
  'a key and its tokens end when a user who was shown it is %s',
  async (how) => {
    const lead = await app.user(`lead-${++made}@example.com`, { teams: { ml: 'admin' } });
    const body = { name: `machine-${++made}`, team: 'ml', allowed_assets: ['*/*'] };
    const { id, key = '' } = await lead.client.call('principals.create', { body });
    const others = await machine();
    const client = app.as((await exchange(key)).access_token);
    await client.call('auth.me', {});
    const user = (await app.admin.client.call('users.list', { query: { email: lead.email } })).items[0]?.id ?? '';
    if (how === 'disabled')
      await app.admin.client.call('users.update', { params: { id: user }, body: { active: false } });
    else if (how === 'removed') await app.admin.client.call('users.remove', { params: { id: user }, query: {} });
    else
      await max.client.call('teams.remove_member', {
        params: { team: 'ml', principal: `user:${lead.email}` },
        query: {},
      });
    await expect(client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(exchange(key)).rejects.toMatchObject({ code: 'bad_credentials' });
    await exchange(others.key);
    expect((await max.client.call('principals.show', { params: { id } })).keys).toEqual([]);
    const event = { disabled: 'user.changed', removed: 'user.removed', 'taken out of the team': 'member.removed' }[how];
    expect((await events(event)).at(-1)?.detail).toMatchObject({ keys_ended: [`principal:${body.name}`] });
  },
);

test('a key counts as old after 90 days', async () => {
  const ci = await machine();
  await app.moveClock('91 days');
  // All sessions have ended by then.
  const { access_token } = await app.anonymous.call('auth.login', {
    body: { email: max.email, password: max.password },
  });
  const client = app.as(access_token);
  expect(await client.call('principals.show', { params: { id: ci.id } })).toMatchObject({
    key_age_days: 91,
    key_is_old: true,
  });
});
