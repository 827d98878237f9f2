// The life of a gateway key over HTTP, from its issue to its end. The upstream's journal says what really reached the model.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GatewayKey } from '@gantry/contract/models/keys.ts';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { modelStage, type ModelStage } from '../../testing/models/model-stage.ts';
import type { TestApp, TestUser } from '../../testing/test-app.ts';

let stage: ModelStage;
let app: TestApp;
let max: TestUser;
const log: string[] = [];
let made = 0;

beforeAll(async () => {
  stage = await modelStage({ onLog: (line) => log.push(line) });
  ({ app, max } = stage);
  await app.user('otto@example.com', { teams: { ops: 'admin' } });
});
afterAll(async () => await stage?.stop());

const call = async (key: string | undefined, model?: string): Promise<number> =>
  (await stage.call(key, model === undefined ? {} : { model })).status;

/** A new member of team ml who joined through the API, and their sign-in. */
async function member(team = 'ml'): Promise<TestUser & { waiting: { id: string; prefix: string; team: string }[] }> {
  const user = await app.user(`member-${++made}@example.com`);
  await app.admin.client.call('teams.add_member', {
    params: { team },
    body: { principal: `user:${user.email}`, role: 'contributor' },
  });
  return { ...user, waiting: (await signIn(user)).waiting_keys };
}
const signIn = async ({ email, password }: TestUser) =>
  await app.anonymous.call('auth.login', { body: { email, password } });

const keysOf = async ({ client }: TestUser, all = 'false'): Promise<GatewayKey[]> =>
  (await client.call('keys.list', { query: { all } })).items;
const entries = async (action: string) =>
  (await app.admin.client.call('audit.list', { query: { action, limit: 200 } })).items;
const sealed = async (id: string) =>
  (await app.db.one<{ sealed: Buffer | null }>(sql`select sealed from gateway_key where id = ${id}`))?.sealed;

describe('a member’s key', () => {
  test('waits with the defaults of the team, and works once its owner has claimed it', async () => {
    const limits = { daily_usd: '2.00', requests_per_minute: 600 };
    const params = { team: 'ml' };
    await max.client.call('key_defaults.set', { params, body: { models: ['sm*'], limits } });
    const ada = await member();
    const [waiting] = ada.waiting;
    const id = waiting?.id ?? '';
    expect(await keysOf(ada)).toMatchObject([
      { id, state: 'waiting', issued: true, models: ['sm*'], tags: ['team:ml'], limits, team: 'ml' },
    ]);
    await expect(max.client.call('keys.claim', { params: { id } })).rejects.toMatchObject({ code: 'forbidden' });

    const { key, state } = await ada.client.call('keys.claim', { params: { id } });
    expect({ state, prefix: key?.slice(0, 12) }).toEqual({ state: 'active', prefix: waiting?.prefix });
    expect(await call(key)).toBe(200);
    expect(await call(key, 'large')).toBe(403);
    await expect(ada.client.call('keys.claim', { params: { id } })).rejects.toMatchObject({ code: 'conflict' });
    expect((await signIn(ada)).waiting_keys).toEqual([]);
    expect((await entries('key.claimed'))[0]).toMatchObject({
      actor: { name: ada.email },
      detail: { key: waiting?.prefix },
    });
    await max.client.call('key_defaults.set', { params, body: { models: ['*'], limits: { daily_usd: null } } });
  });

  test('has no effect before its owner has claimed it, not even for an admin who has it revealed', async () => {
    const [waiting] = (await member()).waiting;
    const { key } = await app.admin.client.call('keys.reveal', { params: { id: waiting?.id ?? '' } });
    expect(await call(key)).toBe(401);
  });

  test('ends when its owner leaves the team, and a new one waits after the return', async () => {
    const bob = await member();
    const id = bob.waiting[0]?.id ?? '';
    const { key } = await bob.client.call('keys.claim', { params: { id } });
    const own = await bob.client.call('keys.create', { body: {} });
    expect([await call(key), await call(own.key)]).toEqual([200, 200]);
    const params = { team: 'ml', principal: `user:${bob.email}` };
    await max.client.call('teams.remove_member', { params });
    expect([await call(key), await call(own.key)]).toEqual([401, 401]);
    expect(await sealed(id)).toBeNull();
    await max.client.call('teams.add_member', { params: { team: 'ml' }, body: { principal: params.principal } });
    expect((await signIn(bob)).waiting_keys).toMatchObject([{ team: 'ml' }]);
  });

  test('ends when its owner is disabled or removed', async () => {
    const eve = await member();
    const { key } = await eve.client.call('keys.claim', { params: { id: eve.waiting[0]?.id ?? '' } });
    const { items } = await app.admin.client.call('users.list', { query: { email: eve.email } });
    const params = { id: items[0]?.id ?? '' };
    expect(await call(key)).toBe(200);
    await app.admin.client.call('users.update', { params, body: { active: false } });
    expect(await call(key)).toBe(401);
    await app.admin.client.call('users.update', { params, body: { active: true } });
    expect(await call(key)).toBe(401);
    const { access_token, waiting_keys } = await signIn(eve);
    const next = await app.as(access_token).call('keys.claim', { params: { id: waiting_keys[0]?.id ?? '' } });
    expect(await call(next.key)).toBe(200);
    await app.admin.client.call('users.remove', { params, query: {} });
    expect(await call(next.key)).toBe(401);
  });

  test('expires by itself, and another one waits at the next sign-in', async () => {
    const params = { team: 'ml' };
    await max.client.call('key_defaults.set', { params, body: { expires_in_seconds: 3600 } });
    const ida = await member();
    const { key, expires_at } = await ida.client.call('keys.claim', { params: { id: ida.waiting[0]?.id ?? '' } });
    expect(expires_at).not.toBeNull();
    expect((await signIn(ida)).waiting_keys).toEqual([]);
    await app.moveClock('2 hours');
    try {
      expect(await call(key)).toBe(401);
      const [first, second] = await Promise.all([signIn(ida), signIn(ida)]);
      expect(first.waiting_keys).toHaveLength(1);
      expect(second.waiting_keys).toEqual(first.waiting_keys);
      const states = (await keysOf(ida, 'true')).map(({ state }) => state);
      expect(states).toEqual(['waiting', 'revoked']);
    } finally {
      await app.moveClock('0 hours');
      await max.client.call('key_defaults.set', { params, body: { expires_in_seconds: null } });
    }
  });
});

test('a service principal claims its key, which ends with it', async () => {
  const body = { name: `machine-${++made}`, team: 'ml', role: 'viewer', allowed_assets: ['models/*'] } as const;
  const machine = await max.client.call('principals.create', { body: { ...body, allowed_assets: ['models/*'] } });
  const { access_token, waiting_keys } = await app.anonymous.call('auth.exchange_key', {
    body: { key: machine.key ?? '' },
  });
  const { key } = await app.as(access_token).call('keys.claim', { params: { id: waiting_keys[0]?.id ?? '' } });
  expect(await call(key)).toBe(200);
  await max.client.call('principals.delete', { params: { id: machine.id } });
  expect(await call(key)).toBe(401);
});

test('a team’s keys end with the team', async () => {
  const team = `team-${++made}`;
  await app.admin.client.call('teams.create', { body: { name: team } });
  const fred = await member(team);
  await app.admin.client.call('key_defaults.set', { params: { team }, body: { models: ['small'] } });
  const { id } = await app.admin.client.call('keys.create', { body: { scope: 'team', scope_id: team } });
  await app.admin.client.call('teams.delete', { params: { team } });
  expect(await keysOf(fred)).toEqual([]);
  expect((await app.admin.client.call('keys.show', { params: { id } })).state).toBe('revoked');
});

test('a team’s key that its creator was shown ends when they leave the team', async () => {
  const team = `team-${++made}`;
  await app.admin.client.call('teams.create', { body: { name: team } });
  const gina = await app.user(`gina-${made}@example.com`, { teams: { [team]: 'admin' } });
  const { id } = await gina.client.call('keys.create', { body: { scope: 'team', scope_id: team } });
  expect((await app.admin.client.call('keys.show', { params: { id } })).state).toBe('active');
  await app.admin.client.call('teams.remove_member', { params: { team, principal: `user:${gina.email}` } });
  expect((await app.admin.client.call('keys.show', { params: { id } })).state).toBe('revoked');
});

test('an agent’s keys end with its transfer to another team, which pays for the next ones', async () => {
  const { name } = await storeAgent(app, max.email, { name: `agent-${++made}` });
  const { id } = await max.client.call('keys.create', { body: { scope: 'agent', scope_id: name } });
  const to = { team: 'ops', owner: 'otto@example.com' };
  await app.admin.client.call('registry.transfer', { params: { kind: 'agent', name }, body: to });
  expect((await app.admin.client.call('keys.show', { params: { id } })).state).toBe('revoked');
});

describe('the value of a key', () => {
  test('is revealed to a platform admin alone, on record, and to nobody after its end', async () => {
    const { id, key = '', prefix } = await max.client.call('keys.create', { body: { scope: 'team', scope_id: 'ml' } });
    const root = await app.user(`root-${++made}@example.com`, { role: 'admin' });
    const machine = await app.admin.client.call('principals.create', {
      body: { name: `machine-${++made}`, team: 'ml', role: 'admin', allowed_assets: ['*/*'] },
    });
    const { access_token } = await app.anonymous.call('auth.exchange_key', { body: { key: machine.key ?? '' } });
    const reveal = async (token: string) =>
      await fetch(`${app.url}/api/v1/rbac/keys/${id}/reveal`, { headers: { authorization: `Bearer ${token}` } });
    for (const token of [max.token, access_token]) expect((await reveal(token)).status).toBe(403);

    const answer = await reveal(root.token);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(((await answer.json()) as { data: { key: string } }).data.key).toBe(key);
    expect((await entries('key.revealed'))[0]).toMatchObject({ actor: { name: root.email }, detail: { key: prefix } });
    expect(log.filter((line) => line.includes(`/rbac/keys/${id}/reveal`))).not.toEqual([]);
    expect(log.filter((line) => line.includes(key))).toEqual([]);

    await app.governed(sql`update org set reveal_gateway_keys = false returning id`);
    expect((await reveal(root.token)).status).toBe(409);
    await app.governed(sql`update org set reveal_gateway_keys = true returning id`);
    await max.client.call('keys.revoke', { params: { id } });
    expect((await reveal(root.token)).status).toBe(410);
    expect(await sealed(id)).toBeNull();
  });

  test('does not leave while the audit log takes no entry', async () => {
    const { id } = await max.client.call('keys.create', { body: { scope: 'team', scope_id: 'ml' } });
    const shown = async () => await app.db.all(sql`select identity_id from gateway_key_seen where key_id = ${id}`);
    const before = await shown();
    await app.db.run(sql`alter table audit.entry add constraint down check (body not like '%key.revealed%') not valid`);
    try {
      const answer = await fetch(`${app.url}/api/v1/rbac/keys/${id}/reveal`, {
        headers: { authorization: `Bearer ${app.admin.token}` },
      });
      expect(answer.status).toBe(500);
      expect(await answer.text()).not.toContain('gtk_');
    } finally {
      await app.db.run(sql`alter table audit.entry drop constraint down`);
    }
    expect(await shown()).toEqual(before);
  });

  test('is replaced by a rotation, which keeps limits and spending', async () => {
    const max_budget = '1.00';
    const first = await max.client.call('keys.create', { body: { max_budget, tags: ['trial'] } });
    expect(await call(first.key)).toBe(200);
    await expect
      .poll(async () => await app.db.all(sql`select from hold where ${first.id} = any(accounts)`))
      .toEqual([]);
    const second = await max.client.call('keys.rotate', { params: { id: first.id } });
    expect(second).toMatchObject({
      limits: { monthly_usd: max_budget },
      tags: ['trial', 'team:ml'],
      alias: first.alias,
    });
    expect(await call(first.key)).toBe(401);
    const spent = await app.db.all<{ month_spent: number }>(
      sql`select month_spent from account where id = any(${[first.id, second.id]})`,
    );
    expect(spent[1]).toEqual(spent[0]);
    expect(spent[0]?.month_spent).toBeGreaterThan(0);
  });
});
