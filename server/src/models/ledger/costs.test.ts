// Rows of the ledger → reports, over HTTP. The sums agree however they are split, and each caller sees the own part.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { costDimensions } from '@gantry/contract/models/costs.ts';
import { parseUsd } from '@gantry/contract/formats/money.ts';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { storeCost } from '../../testing/stored/stored-costs.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
const people: Record<string, TestUser> = {};
const ids: Record<string, string> = {};

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  people['ada'] = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  people['bob'] = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
  people['max'] = await app.user('max@example.com', { teams: { ml: 'admin' } });
  people['olga'] = await app.user('olga@example.com', { teams: { ops: 'admin' } });
  people['root'] = app.admin;
  ids['greeter'] = (await storeAgent(app, 'ada@example.com', { name: 'greeter' })).asset_id;
  for (const row of await app.db.all<{ id: string; name: string }>(
    sql`select id, name from team union all select id, split_part(email, '@', 1) from app_user`,
  ))
    ids[row.name] = row.id;
  await app.db.run(sql`insert into account (id, day) values (${ids['greeter']}, '2026-11-20')`);
  await call({ agent: 'greeter', team: 'ml', model: 'small', tags: ['prod', 'eu'], nano: 3 });
  await call({ agent: 'greeter', team: 'ml', model: 'large', tags: ['prod'], nano: 1_000_000_001, estimated: true });
  await call({ user: 'bob', team: 'ml', model: 'small', tags: [], nano: 50 });
  await call({ user: 'olga', team: 'ops', model: 'small', tags: ['eu'], nano: 700 });
});
afterAll(async () => await app?.stop());

interface Called {
  agent?: string;
  user?: string;
  team: string;
  model: string;
  tags: string[];
  nano: number;
  estimated?: boolean;
}

async function call({ agent, user, team, ...cost }: Called): Promise<void> {
  // The account of a user is the membership in the team.
  const accounts = [agent === undefined ? randomUUID() : (ids[agent] ?? ''), ids[team] ?? ''];
  const email = user === undefined ? {} : { user: `${user}@example.com` };
  await storeCost(app, { ...cost, ...email, ...(agent === undefined ? {} : { agent }), team, accounts });
}

test('a report is split by names, the dearest first, to the nano-dollar', async () => {
  const { usd, estimated_usd, calls, rows } = await app.admin.client.call('costs.report', {
    query: { by: 'agent,model' },
  });
  expect({ usd, estimated_usd, calls }).toEqual({
    usd: '1.000000754',
    estimated_usd: rows[0]?.estimated_usd,
    calls: 4,
  });
  expect(parseUsd(estimated_usd)).toBeGreaterThan(0);
  const estimates = await app.admin.client.call('costs.report', { query: { by: 'model', estimated: 'true' } });
  expect(estimates).toMatchObject({ usd: estimated_usd, estimated_usd, calls: 1 });
  expect(rows.map(({ of, usd: cost, estimated_calls }) => [of, cost, estimated_calls])).toEqual([
    [{ agent: 'greeter', model: 'large' }, '1.000000001', 1],
    [{ agent: null, model: 'small' }, '0.00000075', 0],
    [{ agent: 'greeter', model: 'small' }, '0.000000003', 0],
  ]);
});

test.each(costDimensions.filter((name) => name !== 'tag'))('the rows by %s have the sum of all', async (by) => {
  const { usd, rows } = await app.admin.client.call('costs.report', { query: { by } });
  expect(rows.reduce((sum, row) => sum + parseUsd(row.usd), 0)).toBe(parseUsd(usd));
});

test('a call with two tags is in the row of each, and once in the sum', async () => {
  const { usd, rows } = await app.admin.client.call('costs.report', { query: { by: 'tag' } });
  expect(usd).toBe('1.000000754');
  expect(rows.map(({ of, usd: cost }) => [of.tag, cost])).toEqual([
    ['prod', '1.000000004'],
    ['eu', '0.000000703'],
    [null, '0.00000005'],
  ]);
});

describe('each sees the own part', () => {
  test.each([
    ['root', '1.000000754'],
    ['max', '1.000000054'],
    ['ada', '1.000000004'],
    ['bob', '0.00000005'],
    ['olga', '0.00000070'],
  ])('%s sees $%s', async (name, usd) => {
    const report = await people[name]?.client.call('costs.report', { query: {} });
    expect(parseUsd(report?.usd ?? '0')).toBe(parseUsd(usd));
  });
});

test.each([
  [{ team: 'ops' }, '0.0000007'],
  [{ agent: 'greeter', model: 'small' }, '0.000000003'],
  [{ tag: 'eu' }, '0.000000703'],
  [{ until: '2026-01-01T00:00:00Z' }, '0.00'],
])('the filter %j leaves $%s', async (query, usd) => {
  expect((await app.admin.client.call('costs.report', { query })).usd).toBe(usd);
});

test('an unknown dimension is refused', async () => {
  await expect(app.admin.client.call('costs.report', { query: { by: 'shoe' } })).rejects.toMatchObject({
    code: 'invalid',
  });
});

test('an admin lowers estimates to the bill, once, and the accounts get the difference back', async () => {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const today = sql`(clock_now() at time zone 'UTC')::date`;
  await app.db.run(sql`insert into account (id, day, day_spent, week_spent, month_spent)
    values (${ids['ml']}, ${today}, 5000000000, 5000000000, 5000000000)
    on conflict (id) do update set day = excluded.day, day_spent = 5000000000, week_spent = 5000000000, month_spent = 5000000000`);
  const body = { since, model: 'killed', reason: 'the bill of November' };
  await call({ agent: 'greeter', team: 'ml', model: 'killed', tags: [], nano: 700_000_001, estimated: true });
  await call({ agent: 'greeter', team: 'ml', model: 'killed', tags: [], nano: 300_000_000, estimated: true });
  await call({ agent: 'greeter', team: 'ml', model: 'killed', tags: [], nano: 40 });
  const costs = async () => await app.admin.client.call('costs.report', { query: { by: 'model', model: 'killed' } });
  const before = await costs();

  await expect(
    app.admin.client.call('costs.correct', { body: { ...body, billed_usd: '1.000000002' } }),
  ).rejects.toMatchObject({ code: 'invalid' });
  await expect(
    people['max']?.client.call('costs.correct', { body: { ...body, billed_usd: '0' } }),
  ).rejects.toMatchObject({ code: 'forbidden' });
  expect(await costs()).toEqual({ ...before, until: expect.any(String), since: expect.any(String) });

  // Two at the same time: one of them finds nothing left.
  const both = await Promise.allSettled(
    [1, 2].map(async () => await app.admin.client.call('costs.correct', { body: { ...body, billed_usd: '0.25' } })),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(both.find(({ status }) => status === 'fulfilled')).toMatchObject({
    value: { calls: 2, charged_usd: '1.000000001', billed_usd: '0.25' },
  });
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });

  expect(await costs()).toMatchObject({ usd: '0.25000004', calls: 3, estimated_usd: '0.00' });
  expect(await app.db.one(sql`select day_spent, week_spent, month_spent from account where id = ${ids['ml']}`)).toEqual(
    { day_spent: 4_249_999_999, week_spent: 4_249_999_999, month_spent: 4_249_999_999 },
  );
  const { items } = await app.admin.client.call('audit.list', { query: { action: 'cost.corrected' } });
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({
    detail: { calls: 2, charged_usd: '1.000000001', billed_usd: '0.25', model: 'killed' },
  });
});
