// What a key may call and spend at most: never more than its holder, its team and its creator. The upstream's journal is the witness.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { modelStage, type ModelStage } from '../../testing/models/model-stage.ts';
import type { TestApp, TestUser } from '../../testing/test-app.ts';

let stage: ModelStage;
let app: TestApp;
let max: TestUser;
let made = 0;

beforeAll(async () => {
  stage = await modelStage();
  ({ app, max } = stage);
});
afterAll(async () => await stage?.stop());

async function member(): Promise<TestUser> {
  const user = await app.user(`member-${++made}@example.com`);
  const body = { principal: `user:${user.email}`, role: 'contributor' } as const;
  await max.client.call('teams.add_member', { params: { team: 'ml' }, body });
  return user;
}
const reached = () => stage.upstream.mock.getRequests().length;
// 30 tokens at $0.0001.
const cost_usd = 0.003;

test('of 64 calls at once with a budget for one, one reaches the model', async () => {
  const refused = await stage.call((await max.client.call('keys.create', { body: { max_budget: '0' } })).key);
  const [, max_budget = ''] = /can cost \$(\d+\.\d+)/.exec(refused.message ?? '') ?? [];
  const { key } = await max.client.call('keys.create', { body: { max_budget } });
  const before = reached();
  const answers = await Promise.all(Array.from({ length: 64 }, async () => await stage.call(key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(63);
  expect(reached()).toBe(before + 1);
});

test('after a revocation has answered, no service admits a call with the key', async () => {
  const other = await app.another();
  const { id, key } = await max.client.call('keys.create', { body: {} });
  const urls = [app.url, other.url];
  const from = async (callers: number) =>
    await Promise.all(
      Array.from({ length: callers }, async (_, n) => await stage.call(key, { url: urls[n % 2] ?? '' })),
    );
  expect((await from(2)).map(({ status }) => status)).toEqual([200, 200]);
  const under_way = from(32);
  await max.client.call('keys.revoke', { params: { id } });
  for (const { status } of await under_way) expect([200, 401]).toContain(status);
  const admitted = reached();
  const later = await from(64);
  expect(later.filter(({ status, code }) => status !== 401 || code !== 'invalid_api_key')).toEqual([]);
  expect(reached()).toBe(admitted);
});

test('an expired key admits no call', async () => {
  const { key } = await max.client.call('keys.create', { body: { expires_in_seconds: 3600 } });
  expect((await stage.call(key)).status).toBe(200);
  await app.moveClock('2 hours');
  const late = await stage.call(key);
  await app.moveClock('0 hours');
  expect(late).toMatchObject({ status: 401, code: 'invalid_api_key' });
});

test('a key allows only models that its creator may use', async () => {
  const olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
  await olga.client.call('registry.create', {
    params: { kind: 'model' },
    body: { name: 'private-one', team: 'ops', visibility: 'team', config: { provider: 'test', model: 'x' } },
  });
  const ada = await member();
  const create = async (models: string[]) => await ada.client.call('keys.create', { body: { models } });
  expect((await create(['sm*', 'private-*'])).models).toEqual(['sm*']);
  await expect(create(['private-*'])).rejects.toMatchObject({ code: 'invalid', hint: 'You may use large, small.' });
  // `*` is all that its holder may use.
  const { key } = await create(['*']);
  expect((await stage.call(key)).status).toBe(200);
  expect((await stage.call(key, { model: 'private-one' })).code).toBe('model_not_allowed');
});

test('a member’s keys together stay within the limits that the team gave them, whatever the keys allow', async () => {
  const params = { team: 'ml' };
  await max.client.call('key_defaults.set', { params, body: { limits: { daily_usd: '0.11' } } });
  const ada = await member();
  await max.client.call('key_defaults.set', { params, body: { limits: { daily_usd: null } } });
  const keys: (string | undefined)[] = [];
  for (let n = 0; n < 2; n++)
    keys.push((await ada.client.call('keys.create', { body: { limits: { daily_usd: '1000' } } })).key);
  let answered = 0;
  while ((await stage.call(keys[answered % 2])).status === 200) answered++;
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThan(40);
  await expect.poll(async () => (await stage.call(keys[0])).code).toBe('budget_exceeded');
  const own = { scope: 'user', team: 'ml' } as const;
  const { spent } = await ada.client.call('budgets.show', { query: own });
  expect(Number(spent.daily_usd)).toBeCloseTo(answered * cost_usd, 9);

  // Only an admin of the team raises it.
  const limits = { daily_usd: '5.00' };
  await expect(ada.client.call('budgets.set', { body: { ...own, limits } })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await max.client.call('budgets.set', { body: { ...own, scope_id: ada.email, limits } });
  expect((await stage.call(keys[0])).status).toBe(200);
});

test('a limit under the spending is accepted, ends the calls, and the answer says when the next one is admitted', async () => {
  const { key } = await max.client.call('keys.create', { body: { scope: 'team', scope_id: 'ml' } });
  expect((await stage.call(key)).status).toBe(200);
  const body = { scope: 'team', scope_id: 'ml' } as const;
  await expect.poll(async () => (await max.client.call('budgets.show', { query: body })).held.daily_usd).toBe('0.00');
  const low = await max.client.call('budgets.set', { body: { ...body, limits: { weekly_usd: '0.001' } } });
  expect(low.limits).toMatchObject({ weekly_usd: '0.001', daily_usd: null });
  expect(new Date(low.next_call_at ?? '').getUTCDay()).toBe(1);
  expect((await stage.call(key)).code).toBe('budget_exceeded');
  const none = await max.client.call('budgets.set', { body: { ...body, limits: { weekly_usd: null } } });
  expect(none.next_call_at).toBeNull();
  expect((await stage.call(key)).status).toBe(200);
});

test('the budget of the organisation is for platform admins', async () => {
  const body = { scope: 'org', limits: { monthly_usd: '0.000001' } } as const;
  await expect(max.client.call('budgets.show', { query: { scope: 'org' } })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(max.client.call('budgets.set', { body })).rejects.toMatchObject({ code: 'forbidden' });
  const { key } = await max.client.call('keys.create', { body: {} });
  await app.admin.client.call('budgets.set', { body });
  expect((await stage.call(key)).code).toBe('budget_exceeded');
  await app.admin.client.call('budgets.set', { body: { ...body, limits: { monthly_usd: null } } });
  expect((await stage.call(key)).status).toBe(200);
});

test('nobody writes the service’s own tags, and no request changes who is charged', async () => {
  for (const tag of ['team:ops', 'agent:other'])
    await expect(max.client.call('keys.create', { body: { tags: [tag] } })).rejects.toMatchObject({ code: 'invalid' });
  const { id, key, tags } = await max.client.call('keys.create', { body: { tags: ['nightly'] } });
  expect(tags).toEqual(['nightly', 'team:ml']);
  const headers = { 'x-service-team': 'ops', 'x-tags': 'agent:other' };
  const body = { user: 'someone-else', metadata: { tags: 'team:ops', agent: 'other' } };
  expect((await stage.call(key, { headers, body })).status).toBe(200);
  const row = sql`select team, "user", agent, tags from ledger where key_id = ${id}`;
  await expect
    .poll(async () => await app.db.all(row))
    .toEqual([{ team: 'ml', user: max.email, agent: null, tags: ['nightly'] }]);
});
