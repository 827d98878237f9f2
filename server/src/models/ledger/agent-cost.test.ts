// What an agent has cost, over HTTP: in its status, in a deploy, in a plan and in a request for approval.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let bob: TestUser;
let max: TestUser;
let greeter: StoredAgent;
let team_id: string;
let org_id: string;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  greeter = await storeAgent(app, ada.email, { name: 'greeter' });
  const [team, org] = await app.db.all<{ id: string }>(sql`
    select id from team where name = 'ml' union all select id from org`);
  team_id = team?.id ?? '';
  org_id = org?.id ?? '';
});
afterAll(async () => await app?.stop());

/** A settled call of the agent, or of another payer of the team, some days ago; only today's are in the accounts. */
async function called({ usd, days = 0, of = greeter.asset_id }: { usd: number; days?: number; of?: string }) {
  const nano = usd * 1e9;
  const accounts = [randomUUID(), of, team_id, org_id];
  await app.db.run(sql`
    insert into ledger (hold_id, at, day, key_id, accounts, key, team, tags, model, provider, upstream_model, attempt, outcome,
      estimated, input_tokens, output_tokens, usage, nano)
    select ${randomUUID()}, at, (at at time zone 'UTC')::date, ${randomUUID()}, ${accounts}, 'gtk_12345678', 'ml', '{}', 'small', 'openai', 'small', 1,
      'answered', false, 10, 5, '{}', ${nano} from (select clock_now() - make_interval(days => ${days}::int) as at) as t`);
  if (days > 0) return;
  for (const id of accounts)
    await app.db.run(sql`
      insert into account as a (id, day, day_spent, week_spent, month_spent)
      values (${id}, (clock_now() at time zone 'UTC')::date, ${nano}, ${nano}, ${nano})
      on conflict (id) do update set day = excluded.day, day_spent = a.day_spent + excluded.day_spent,
        week_spent = a.week_spent + excluded.week_spent, month_spent = a.month_spent + excluded.month_spent`);
}

const limit = async (scope: 'org' | 'team' | 'agent', scope_id: string, monthly_usd: string | null) =>
  await app.admin.client.call('budgets.set', { body: { scope, scope_id, limits: { monthly_usd } } });
const status = async ({ client }: TestUser) =>
  (await client.call('agents.status', { params: { name: greeter.name } })).cost;
const planned = async ({ client }: TestUser) =>
  (await client.call('deployments.plan', { body: { ref: greeter.ref } })).cost;

test('an agent without calls and limits has cost nothing', async () => {
  expect(await status(ada)).toEqual({ today_usd: '0.00', month_usd: '0.00', cap: null });
  expect(await planned(ada)).toEqual({ per_day_usd: null, days: 7, cap: null, cap_ends_at: null });
});

describe('after calls', () => {
  beforeAll(async () => {
    await called({ usd: 2, days: 20 });
    await called({ usd: 3.25, days: 3 });
    await called({ usd: 0.75 });
    await called({ usd: 1, of: randomUUID() });
    await limit('team', 'ml', '2');
    await limit('org', '', '9000');
    await limit('agent', 'greeter', '4000');
  });

  test('a status has the agent’s own cost and the limit with the least left', async () => {
    const cap = { of: 'team:ml', window: 'month', limit_usd: '2.00', spent_usd: '1.75', percent: 87 };
    expect(await status(ada)).toEqual({ today_usd: '0.75', month_usd: '0.75', cap });
  });

  test('a plan has the average since the first call of the last week, and the end at the rate of the whole team', async () => {
    const cost = await planned(ada);
    // $4.00 in 4 begun days; the team’s $5.00 in 4 days spend the last $0.25 in 4.8 hours.
    expect(cost).toMatchObject({ per_day_usd: '1.00', days: 4, cap: { of: 'team:ml' } });
    const ends_at = Date.now() + 4.8 * 3_600_000;
    // On the last day of a month its window ends first.
    expect(cost?.cap_ends_at === null).toBe(new Date(ends_at).getUTCMonth() !== new Date().getUTCMonth());
    expect(Math.abs(Date.parse(cost?.cap_ends_at ?? new Date(ends_at).toISOString()) - ends_at)).toBeLessThan(60_000);
    const budget = await max.client.call('budgets.show', { query: { scope: 'team', scope_id: 'ml' } });
    expect(budget).toMatchObject({ per_day_usd: '1.25', ends: cost?.cap_ends_at === null ? null : 'month' });
    expect(budget.ends_at === null).toBe(cost?.cap_ends_at === null);
  });

  test('a deploy and a request for approval have it too; a viewer of the team sees it nowhere', async () => {
    const { id } = await ada.client.call('approvals.submit', { body: { asset: greeter.ref } });
    const deploy = await app.admin.client.call('deployments.create', { body: { ref: greeter.ref } });
    const seenBy = async (user: TestUser) => {
      const request = await user.client.call('approvals.show', { params: { id } });
      const receipt = await user.client.call('deployments.show', { params: { id: deploy.id } });
      return [await status(user), receipt.cost, await planned(user), request.cost].map((cost) => cost !== null);
    };
    expect(await seenBy(ada)).toEqual([true, true, true, true]);
    expect(await seenBy(max)).toEqual([true, true, true, true]);
    expect(await seenBy(bob)).toEqual([false, false, false, false]);
  });
});
