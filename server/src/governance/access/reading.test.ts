// Rights to read costs and the log without a role: for finance and for auditors. On the real service.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReadingRight } from '@gantry/contract/roles.ts';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;
let fin: TestUser;
let agent: StoredAgent;
let made = 0;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  await app.user('olga@example.com', { teams: { ops: 'admin' } });
  fin = await app.user('fin@example.com');
  agent = await storeAgent(app, ada.email, { name: 'hidden', yaml: 'access: {visibility: team}\n' });
  await app.db.run(sql`
    insert into ledger (hold_id, at, day, key_id, accounts, key, team, agent, tags, model, provider, upstream_model, attempt, outcome,
      estimated, input_tokens, output_tokens, usage, nano)
    select gen_random_uuid(), clock_now(), (clock_now() at time zone 'UTC')::date, gen_random_uuid(), array[${agent.asset_id}::uuid, id],
      'sk-one', 'ml', 'hidden', '{}', 'gpt', 'openai', 'gpt', 1, 'answered', false, 10, 10, '{}', 2500000000 from team where name = 'ml'`);
});
afterAll(async () => await app?.stop());

const person = async (more: Parameters<TestApp['user']>[1] = {}) =>
  await app.user(`person-${++made}@example.com`, more);
const give = async (
  by: TestUser,
  who: string,
  team: string | null,
  right: ReadingRight = 'read_costs',
  seconds?: number,
) =>
  await by.client.call('grants.create', {
    body: {
      right,
      principal: who.includes(':') ? who : `user:${who}`,
      team,
      ...(seconds && { expires_in_seconds: seconds }),
    },
  });
const seen = async ({ client }: Pick<TestUser, 'client'>, query: object = { team: 'ml' }) => {
  const { usd, calls, whole } = await client.call('costs.report', { query });
  return { usd, calls, whole: whole.allowed };
};
const all = { usd: '2.50', calls: 1, whole: true };
const none = { usd: '0.00', calls: 0, whole: false };

test('a grant shows the whole costs of its team, also of an agent that stays hidden, and a report says what it lacks', async () => {
  expect(await seen(fin)).toEqual(none);
  const { whole } = await fin.client.call('costs.report', { query: { team: 'ml' } });
  expect(whole).toMatchObject({
    reason: expect.stringContaining('You may see only your own calls'),
    ask: 'svc grant read-costs --to user:fin@example.com --team ml',
  });
  const { id } = await give(max, fin.email, 'ml');
  expect(await seen(fin)).toEqual(all);
  expect(await seen(fin, { by: 'agent,key' })).toEqual({ ...all, whole: false });
  const budget = await fin.client.call('budgets.show', { query: { scope: 'agent', scope_id: 'hidden' } });
  expect(budget).toMatchObject({ scope_name: 'hidden', team: 'ml' });
  const hidden = { params: { kind: 'agent', name: 'hidden' } } as const;
  await expect(fin.client.call('registry.show', hidden)).rejects.toMatchObject({ code: 'not_found' });
  await expect(fin.client.call('budgets.show', { query: { scope: 'org' } })).rejects.toMatchObject({
    hint: 'Ask a platform admin: svc grant read-costs --to user:fin@example.com --org',
  });
  await max.client.call('grants.delete', { params: { id } });
  expect(await seen(fin)).toEqual(none);
});

test('a grant on the organisation shows all costs, and one to a group is of its members', async () => {
  const cora = await person();
  await give(app.admin, cora.email, null);
  expect(await seen(cora, {})).toEqual(all);
  expect((await cora.client.call('auth.me', {})).can['budgets.show']).toEqual({ allowed: true });
  const member = await person({ teams: { ml: 'viewer' } });
  const { id, name } = await max.client.call('groups.create', { body: { name: `group-${++made}`, team: 'ml' } });
  await give(max, `group:${name}`, 'ml');
  expect(await seen(member)).toEqual(none);
  await max.client.call('groups.add_member', { params: { id }, body: { email: member.email } });
  expect(await seen(member)).toEqual(all);
});

describe('nobody increases their own rights:', () => {
  test('only the admins of a team give its grants, only platform admins those of the organisation, and nobody to themselves', async () => {
    const dora = await person({ teams: { ml: 'deployer' } });
    await expect(give(dora, dora.email, 'ml')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(give(max, fin.email, 'ops')).rejects.toMatchObject({ code: 'not_found' });
    await expect(give(max, fin.email, null)).rejects.toMatchObject({ code: 'forbidden' });
    for (const [who, team] of [
      [max, 'ml'],
      [app.admin, null],
    ] as const)
      await expect(give(who, who.email, team)).rejects.toMatchObject({ detail: expect.stringContaining('themselves') });
    expect(
      await app.db.all(
        sql`select 1 from reading_grant g join app_user u on u.id = g.principal_id and u.email = ${max.email}`,
      ),
    ).toEqual([]);
  });

  test('an admin of a group’s team adds nobody to a group that reads more than they may give', async () => {
    const body = { name: `group-${++made}`, team: 'ml' };
    const { id } = await max.client.call('groups.create', { body });
    const add = async (by: TestUser, { email }: TestUser) =>
      await by.client.call('groups.add_member', { params: { id }, body: { email } });
    await add(max, ada);
    await give(app.admin, `group:${body.name}`, null, 'read_audit');
    await expect(add(max, max)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await max.client.call('groups.show', { params: { id } })).members.map(({ email }) => email)).toEqual([
      ada.email,
    ]);
    expect((await add(app.admin, max)).members).toHaveLength(2);
    await max.client.call('groups.delete', { params: { id } });
  });

  test('a service principal gives no grant and gets none on the log', async () => {
    const body = { name: 'export', team: 'ml', role: 'admin', allowed_assets: ['*/*'] as string[] } as const;
    const { key = '' } = await max.client.call('principals.create', { body });
    const client = app.as((await app.anonymous.call('auth.exchange_key', { body: { key } })).access_token);
    await expect(give({ ...max, client }, fin.email, 'ml')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(give(app.admin, 'principal:export', null, 'read_audit')).rejects.toMatchObject({ code: 'invalid' });
    await give(app.admin, 'principal:export', null);
    expect(await seen({ client }, {})).toEqual(all);
  });
});

describe('a grant ends', () => {
  test('at its time, also where the caller’s rights are kept in memory', async () => {
    const who = await person();
    await give(max, who.email, 'ml', 'read_costs', 3600);
    expect(await seen(who)).toEqual(all);
    await app.moveClock('61 minutes');
    expect(await seen(who)).toEqual(none);
    await app.moveClock('0 s');
    // Repeated, it has a new end.
    expect(await give(max, who.email, 'ml')).toMatchObject({ expires_at: null, ended: false });
  });

  test('with its holder, with their membership in the team, and with its team', async () => {
    const left = async (email: string) =>
      (
        await app.db.all(
          sql`select 1 from reading_grant g join app_user u on u.id = g.principal_id where u.email = ${email}`,
        )
      ).length;
    const [gone, leaver] = [await person(), await person({ teams: { ml: 'viewer' } })];
    await app.admin.client.call('teams.create', { body: { name: 'short' } });
    for (const { email } of [gone, leaver])
      for (const team of ['ml', 'short', null]) await give(app.admin, email, team);
    await max.client.call('teams.remove_member', { params: { team: 'ml', principal: `user:${leaver.email}` } });
    await app.admin.client.call('teams.delete', { params: { team: 'short' } });
    expect([await left(gone.email), await left(leaver.email)]).toEqual([2, 1]);
    const { items } = await app.admin.client.call('users.list', { query: { email: gone.email } });
    await app.admin.client.call('users.remove', { params: { id: items[0]?.id ?? '' } });
    expect(await left(gone.email)).toBe(0);
  });
});

test('each grant and its end is an entry, which a reader of the team’s log sees, and no entry of another team', async () => {
  const aud = await person();
  const { id } = await give(max, aud.email, 'ml', 'read_audit');
  await give(app.admin, aud.email, 'ops');
  const read = async (action: string) => (await aud.client.call('audit.list', { query: { action } })).items;
  const [newest, ...others] = await read('grant');
  expect(newest).toMatchObject({
    event: 'grant.created',
    team: 'ml',
    actor: { name: max.email },
    detail: { right: 'read_audit', principal: `user:${aud.email}`, on: 'team:ml' },
  });
  expect(new Set(others.map(({ team }) => team))).toEqual(new Set(['ml']));
  await expect(aud.client.call('audit.verify', {})).rejects.toMatchObject({
    detail: 'This needs the platform role admin or the right read_audit; yours is viewer.',
  });
  await max.client.call('grants.delete', { params: { id } });
  expect((await max.client.call('audit.list', { query: { action: 'grant.revoked' } })).items[0]).toMatchObject({
    detail: { principal: `user:${aud.email}`, right: 'read_audit' },
  });
  expect(await read('grant')).toEqual([]);
});

test('an explanation names the role or the grant, who else has it, and what would change it', async () => {
  const who = await person();
  const explain = async (by: TestUser, principal?: string) =>
    await by.client.call('grants.explain', {
      query: { right: 'read_costs', team: 'ml', ...(principal && { principal }) },
    });
  expect(await explain(max, `user:${who.email}`)).toMatchObject({
    allowed: false,
    would_change: [[`svc grant read-costs --to user:${who.email} --team ml`]],
  });
  const { id } = await give(max, who.email, 'ml');
  expect(await explain(who)).toMatchObject({
    allowed: true,
    reason: 'grant read_costs on team:ml',
    holders: null,
    would_change: [[`svc grant remove ${id}`]],
  });
  const { holders } = await explain(max, `user:${who.email}`);
  expect(holders).toContainEqual({ principal: `user:${who.email}`, because: `grant on team:ml, ${id}` });
  expect(holders).toContainEqual({ principal: `user:${max.email}`, because: 'role admin in team:ml' });
  expect(await explain(max)).toMatchObject({ reason: 'role admin in team:ml' });
  await expect(explain(who, `user:${max.email}`)).rejects.toMatchObject({ status: 404 });
});

// A page of the console could say that it asks only to draw itself. So could everybody else.
test('no header of a request keeps its refusal out of the log', async () => {
  const { email, token } = await person();
  const headers = [
    { origin: app.url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'x-gantry-console': '1', 'x-requested-with': 'XMLHttpRequest', purpose: 'prefetch', 'sec-purpose': 'prefetch' },
  ];
  const paths = ['/api/v1/users', '/api/v1/webhooks'];
  for (const [at, path] of paths.entries()) {
    const answer = await fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers[at] } });
    expect(answer.status).toBe(403);
  }
  const { items } = await app.admin.client.call('audit.list', { query: { user: email, action: 'refused' } });
  expect(items.map(({ detail }) => detail['operation'])).toEqual(['webhook.read', 'user.list']);
});
