// What each caller's home has, on the real service. Each part follows the rule of its own list.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { insertDeployment } from '../../agents/deploy/store.ts';
import { enqueue } from '../../ground/runs/run.ts';
import { makeSpan } from '../../testing/stored/make-span.ts';
import { serveAgent, storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { openFigures } from '../../models/traces/figures.ts';

const marker = 'zanzibar';
let app: TestApp;
let ada: TestUser;
let max: TestUser;
let olga: TestUser;
let agent: StoredAgent;
let team_id: string;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
  agent = await storeAgent(app, ada.email, { name: `${marker}-agent`, yaml: 'access: {visibility: team}\n' });
  team_id = (await app.db.one<{ id: string }>(sql`select id from team where name = 'ml'`))?.id ?? '';
});
afterAll(async () => await app?.stop());

const homeOf = async ({ client }: TestUser, query: { team?: string } = {}) => await client.call('home.show', { query });

/** An operation that ended in this state. */
async function deployed(
  state: 'done' | 'failed' | 'cancelled',
  operation: 'deploy' | 'restart' | 'scale' = 'deploy',
): Promise<string> {
  const { asset_id: agent_id, name, version_id, digest } = agent;
  return await app.db.transaction(async (tx) => {
    const actor = { user_id: randomUUID(), name: ada.email };
    const { id } = await enqueue(tx, { kind: 'deploy', mutex: randomUUID(), input: {}, actor });
    await tx.run(
      sql`update run set state = ${state}, ended_at = clock_now(), lease_until = 'infinity' where id = ${id}`,
    );
    await insertDeployment(tx, {
      operation,
      run_id: id,
      agent_id,
      agent: name,
      version_id,
      version: '1.0.0',
      digest,
      target: 'local',
      approval_id: null,
    });
    return id;
  });
}

test('a request waits for its deciders, and a rejected one for its submitter until the next submission', async () => {
  const { id } = await ada.client.call('approvals.submit', { body: { asset: agent.ref, message: 'kinder' } });
  const { requests } = await homeOf(max);
  expect(requests).toMatchObject({ count: 1, items: [{ id, asset_version: '1.0.0', submitted_by: ada.email }] });
  await max.client.call('notifications.list', {});
  expect((await homeOf(max)).unread).toBe(1);
  expect((await homeOf(ada)).requests).toEqual({ count: 0, items: [] });
  await max.client.call('approvals.reject', { params: { id }, body: { reason: 'too kind' } });
  expect((await homeOf(max)).requests.count).toBe(0);
  expect((await homeOf(ada)).rejected).toMatchObject([{ id, reason: 'too kind' }]);
  expect((await homeOf(max)).rejected).toEqual([]);
  await ada.client.call('approvals.submit', { body: { asset: agent.ref } });
  expect((await homeOf(ada)).rejected).toEqual([]);
});

test('a failed deploy is shown until a later one succeeds; a cancelled one replaces nothing', async () => {
  const failed = async (who: TestUser) => (await homeOf(who)).failed_deployments.map(({ id }) => id);
  await deployed('failed');
  const last = await deployed('failed');
  await deployed('cancelled');
  expect([await failed(ada), await failed(max), await failed(olga)]).toEqual([[last], [last], []]);
  await app.db.run(sql`update deployment set created_at = created_at - interval '8 days'`);
  expect(await failed(ada)).toEqual([]);
  const again = await deployed('failed');
  expect(await failed(ada)).toEqual([again]);
  await deployed('done');
  expect(await failed(ada)).toEqual([]);
});

test('another failed operation is shown until a later one ends, and hides no failed deploy', async () => {
  const failed = async () => (await homeOf(ada)).failed_deployments.map(({ id }) => id);
  const scale = await deployed('failed', 'scale');
  expect(await failed()).toEqual([scale]);
  const deploy = await deployed('failed');
  const restart = await deployed('failed', 'restart');
  expect(await failed()).toEqual([restart, deploy]);
  await deployed('done', 'restart');
  expect(await failed()).toEqual([deploy]);
  await deployed('done');
  expect(await failed()).toEqual([]);
});

describe('keys and budgets:', () => {
  const day_seconds = 86_400;

  test('a key waits for its own user, and one that expires is for its user and for its admins', async () => {
    const make = async (who: TestUser, body: { scope?: 'team'; scope_id?: string; days?: number }) => {
      const { days, ...of } = body;
      const expires_in_seconds = days === undefined ? {} : { expires_in_seconds: days * day_seconds };
      return (await who.client.call('keys.create', { body: { ...of, ...expires_in_seconds } })).id;
    };
    await make(ada, { days: 30 });
    const ending = await make(ada, { days: 3 });
    const ofTeam = await make(max, { scope: 'team', scope_id: 'ml', days: 5 });
    const waiting = await make(ada, {});
    await app.governed(
      sql`update gateway_key set activated_at = null, issued = true where id = ${waiting} returning id`,
    );
    const due = async (who: TestUser) => (await homeOf(who)).keys.map(({ id }) => id);
    expect([await due(ada), await due(max), await due(olga)]).toEqual([[waiting, ending], [ending, ofTeam], []]);
  });

  test('a budget is shown from 80 % on, with its end, to those who may read it', async () => {
    const spent = async (id: string, usd: number) =>
      await app.db.run(sql`
        insert into account as a (id, day, day_spent, week_spent, month_spent)
        select ${id}, (clock_now() at time zone 'UTC')::date, n, n, n from (select ${usd * 1e9}::bigint as n) as nano
        on conflict (id) do update set day_spent = excluded.day_spent, week_spent = excluded.week_spent,
          month_spent = excluded.month_spent`);
    const limit = async (scope: 'team' | 'agent', scope_id: string, daily_usd: string) =>
      await app.admin.client.call('budgets.set', { body: { scope, scope_id, limits: { daily_usd } } });
    await limit('team', 'ml', '10');
    await limit('agent', agent.name, '10');
    await spent(team_id, 7.99);
    await spent(agent.asset_id, 10);
    const near = async (who: TestUser) => (await homeOf(who)).budgets;
    const ofAgent = { of: `agents/${agent.name}`, window: 'day', limit_usd: '10.00', spent_usd: '10.00', percent: 100 };
    expect(await near(max)).toEqual([{ ...ofAgent, ends_at: expect.any(String) }]);
    await spent(team_id, 8);
    expect((await near(max)).map(({ of, percent, ends_at }) => [of, percent, ends_at])).toEqual([
      [ofAgent.of, 100, expect.any(String)],
      ['team:ml', 80, null],
    ]);
    expect([await near(ada), await near(olga)]).toEqual([[], []]);
    // Yesterday's spending is over.
    await app.db.run(sql`update account set day = day - 1`);
    expect(await near(max)).toEqual([]);
    await app.db.run(sql`update account set day = day + 1`);
  });
});

test('the deployed agents have those that need attention first, then those with the most calls, with their cost for those who may edit them', async () => {
  await serveAgent(app, agent, 'http://127.0.0.1:1');
  await storeAgent(app, ada.email, { name: 'later' });
  const quiet = await storeAgent(app, ada.email, { name: 'quiet' });
  const busy = await storeAgent(app, ada.email, { name: 'busy' });
  const orphan = await storeAgent(app, ada.email, { name: 'orphan', yaml: 'model: {primary: nobody}\n' });
  for (const one of [quiet, busy, orphan]) await serveAgent(app, one, 'http://127.0.0.1:1');
  // A look of the future is not too old, however long the test takes.
  await app.db.run(sql`update instance set state = 'serving', detail = 'x', seen_at = clock_now() + interval '1 hour'`);
  const span = { agent_id: busy.asset_id, run_id: null, source: 'gateway', status: 'error' } as const;
  const figures = openFigures({ db: app.db, onError: () => {} });
  for (const one of [busy, agent])
    figures.add([makeSpan({ agent_id: one.asset_id, run_id: randomUUID(), name: 'invoke' })]);
  figures.add([makeSpan({ ...span, error: 'budget_exceeded' })]);
  await figures.flush();
  const { agents, undeployed } = await homeOf(ada);
  expect(agents.map(({ name, attention }) => [name, attention.map(({ kind }) => kind)])).toEqual([
    ['busy', ['budget']],
    [agent.name, ['budget']],
    ['orphan', ['model']],
    ['quiet', []],
  ]);
  expect(agents.slice(0, 2).map(({ attention }) => attention[0]?.detail)).toEqual([
    '$8.00 of $10.00 per day of team:ml is spent, and the rest did not pay for its last call.',
    `$10.00 of $10.00 per day of agents/${agent.name} is spent.`,
  ]);
  expect(undeployed).toBe(1);
  expect(agents[1]).toMatchObject({ ref: agent.ref, last_24h: { calls: 1, errors: 0 }, cost: { today_usd: '10.00' } });
  const viewer = await app.user('vi@example.com', { teams: { ml: 'viewer' } });
  expect((await homeOf(viewer)).agents.map(({ cost, attention }) => [cost, attention.length])).toEqual([
    [null, 1],
    [null, 1],
    [null, 0],
    [null, 0],
  ]);
  await figures.close();
});

test('home shows nothing of another team, with a team and without one', async () => {
  const body = { name: 'machine', team: 'ops', role: 'admin', allowed_assets: ['*/*'] as string[] } as const;
  const { key = '' } = await olga.client.call('principals.create', { body });
  const machine = app.as((await app.anonymous.call('auth.exchange_key', { body: { key } })).access_token);
  expect(JSON.stringify(await homeOf(max))).toContain(marker);
  expect(JSON.stringify(await homeOf(max, { team: 'ml' }))).toContain(marker);
  for (const home of [await homeOf(olga), await homeOf(olga, { team: 'ops' }), await machine.call('home.show', {})]) {
    expect(JSON.stringify(home)).not.toContain(marker);
    expect(home.budgets).toEqual([]);
  }
  const ofOps = await homeOf(app.admin, { team: 'ops' });
  expect(JSON.stringify(ofOps)).not.toContain(marker);
  expect(JSON.stringify(await homeOf(app.admin))).toContain(marker);
  await expect(homeOf(olga, { team: 'ml' })).rejects.toMatchObject({ code: 'not_found' });
});
