// Spending is set in the accounts, as a settlement leaves it. The service's own sweep runs beside those of the test.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { append } from '../../governance/audit/append.ts';
import { canonicalJson } from '../../governance/audit/canonical-json.ts';
import { openDatabase, type Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { receiver, type Receiver } from '../../testing/servers/receiver.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { alertBudgets } from './alert-budgets.ts';
import { tell } from './tell.ts';

let app: TestApp;
let at: Receiver;
let replicas: Database[];
const people: Record<string, TestUser> = {};
let made = 0;

beforeAll(async () => {
  at = await receiver();
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [at.host] } });
  replicas = [openDatabase(app.connection, { max: 2 }), openDatabase(app.connection, { max: 2 })];
  people['root'] = app.admin;
  people['ada'] = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  people['max'] = await app.user('max@example.com', { teams: { ml: 'admin' } });
  people['olga'] = await app.user('olga@example.com', { teams: { ops: 'admin' } });
  people['eva'] = await app.user('eva@example.com', { teams: { leaderless: 'contributor' } });
});
afterAll(async () => {
  for (const replica of replicas ?? []) await replica.close();
  await app?.stop();
  await at?.close();
});

type Window = 'daily' | 'weekly' | 'monthly';
interface Given {
  scope: 'org' | 'team' | 'user' | 'agent';
  scope_id: string;
  team?: string;
}

const limit = async (given: Given, window: Window, usd: string | null) =>
  await app.admin.client.call('budgets.set', { body: { ...given, limits: { [`${window}_usd`]: usd } } });

async function account(name: 'team' | 'membership' | 'asset' | 'org', of: string): Promise<string> {
  const rows = await app.db.all<{ id: string }>(sql`
    select id from team where ${name} = 'team' and name = ${of}
    union all select m.id from membership m join app_user u on u.id = m.user_id where ${name} = 'membership' and u.email = ${of}
    union all select id from asset where ${name} = 'asset' and name = ${of}
    union all select id from org where ${name} = 'org'`);
  return rows[0]?.id ?? '';
}

/** In the windows of today. */
async function spend(id: string, usd: number): Promise<void> {
  const nano = Math.round(usd * 1e9);
  await app.db.run(sql`
    insert into account (id, day, day_spent, week_spent, month_spent)
    values (${id}, (clock_now() at time zone 'UTC')::date, ${nano}, ${nano}, ${nano})
    on conflict (id) do update set day = excluded.day, day_spent = excluded.day_spent, week_spent = excluded.week_spent,
      month_spent = excluded.month_spent`);
}

const faults: unknown[] = [];
const sweep = async (db: Database = app.db) => {
  while (await alertBudgets(db, { onError: (error) => faults.push(error) }));
};

const alerts = async (account_id: string) =>
  (
    await app.db.all<{ alert: string }>(sql`
      select (body::jsonb #>> '{detail,window}') || ' ' || (body::jsonb #>> '{detail,percent}') as alert from audit.entry
      where event = 'budget.reached' and body::jsonb #>> '{detail,account_id}' = ${account_id} order by seq`)
  ).map(({ alert }) => alert);

/** A team with a budget of $10 per month. */
async function team(): Promise<string> {
  const { name } = await app.admin.client.call('teams.create', { body: { name: `team-${++made}` } });
  await limit({ scope: 'team', scope_id: name }, 'monthly', '10');
  return await account('team', name);
}

test.each([
  [[4.999_999_999], []],
  [[5], ['month 50']],
  [[5, 5.1, 7.9], ['month 50']],
  [
    [5, 8, 9.899_999_999, 9.9, 10],
    ['month 50', 'month 80', 'month 100'],
  ],
  [[9], ['month 80']],
  [[10], ['month 100']],
])('spending %j of 10 USD alerts %j: the highest threshold at once, each one once', async (steps, expected) => {
  const id = await team();
  for (const usd of steps) {
    await spend(id, usd);
    await sweep();
    await sweep();
  }
  expect(await alerts(id)).toEqual(expected);
});

test('a budget whose alert fails stops no other alert, and an entry that cannot be told stops no later one', async () => {
  const [ill, well] = [await team(), await team()];
  const refuse = `create function refuse_alert() returns trigger language plpgsql as $$
    begin if new.account_id = '${ill}' then raise exception 'poison'; end if; return new; end $$`;
  const trigger = 'create trigger refuse before insert on budget_alert for each row execute function refuse_alert()';
  for (const text of [refuse, trigger]) await app.db.run({ strings: [text], values: [] });
  for (const id of [ill, well]) await spend(id, 5);
  await sweep();
  expect([await alerts(ill), await alerts(well)]).toEqual([[], ['month 50']]);
  expect(faults.splice(0)).toMatchObject([{ message: '1 budgets alert nobody' }]);

  const notifications = async () => {
    // The service's own look can be first.
    while (await tell(app.db, { mail: false, onError: () => {} }));
    return (await app.db.all(sql`select id from notification`)).length;
  };
  const before = await notifications();
  const actor = { kind: 'system', id: null, name: 'system' };
  const about = { team: null, asset: null, ip: null, request_id: null };
  const detail = { account_id: ill, spent_usd: 'no amount' };
  await app.db.transaction(
    async (tx) => await append(tx, { event: 'budget.reached', outcome: 'done', actor, ...about, detail }, []),
  );
  await app.db.run({ strings: ['drop function refuse_alert cascade'], values: [] });
  await sweep();
  expect(await alerts(ill)).toContain('month 50');
  expect(await notifications()).toBeGreaterThan(before);
});

test('each limit of an account alerts on its own, and a limit of zero never', async () => {
  const id = await team();
  const { name = '' } = (await app.db.one<{ name: string }>(sql`select name from team where id = ${id}`)) ?? {};
  await limit({ scope: 'team', scope_id: name }, 'daily', '6');
  await limit({ scope: 'team', scope_id: name }, 'weekly', '0');
  await spend(id, 5);
  await sweep();
  expect((await alerts(id)).toSorted()).toEqual(['day 80', 'month 50']);
});

test('spending of an ended window alerts nobody, and the next window alerts again', async () => {
  const id = await team();
  await spend(id, 8);
  await sweep();
  await app.db.run(sql`update account set day = day - interval '1 month' where id = ${id}`);
  await app.db.run(sql`update budget_alert set start = start - interval '1 month' where account_id = ${id}`);
  await sweep();
  expect(await alerts(id)).toEqual(['month 80']);
  await spend(id, 5);
  await sweep();
  expect(await alerts(id)).toEqual(['month 80', 'month 50']);
});

test('under a raised limit its own thresholds count, and the raise itself alerts nobody', async () => {
  const id = await team();
  const { name = '' } = (await app.db.one<{ name: string }>(sql`select name from team where id = ${id}`)) ?? {};
  await spend(id, 8);
  await sweep();
  await limit({ scope: 'team', scope_id: name }, 'monthly', '16');
  await sweep();
  expect(await alerts(id)).toEqual(['month 80']);
  await spend(id, 13);
  await sweep();
  expect(await alerts(id)).toEqual(['month 80', 'month 80']);
});

test('of several processes at once, one alerts', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, async () => await team()));
  for (const id of ids) await spend(id, 8);
  await Promise.all([...replicas, ...replicas].map(async (db) => await sweep(db)));
  for (const id of ids) expect(await alerts(id)).toEqual(['month 80']);
});

test('a process that dies before the commit leaves the alert to the next one', async () => {
  const id = await team();
  await spend(id, 8);
  const [dying] = replicas;
  let outcome: Promise<unknown> = Promise.resolve();
  await app.db.transaction(async (tx) => {
    // The entry waits for the head of the chain, after its row was written.
    await tx.run(sql`select from audit.head where chain = 'governance' for update`);
    outcome = sweep(dying).catch((error: unknown) => error);
    await vi.waitFor(async () => {
      const killed = await app.db.all(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and query like '%audit%'`);
      expect(killed.length).toBeGreaterThan(0);
    }, 20_000);
  });
  expect(await outcome).toBeInstanceOf(Error);
  await sweep();
  expect(await alerts(id)).toEqual(['month 80']);
});

describe('an alert is for the owner and for the admins of the team', () => {
  const names = async () => {
    const told: string[] = [];
    const texts = new Set<string>();
    for (const [name, { client }] of Object.entries(people)) {
      const { items } = await client.call('notifications.list', { query: { unread: 'true' } });
      const { unread } = await client.call('notifications.count', {});
      expect(unread).toBe(items.length);
      if (items.length === 0) continue;
      told.push(name);
      for (const { id, account: about, text } of items) {
        texts.add(`${about}: ${text.split(';')[0]}`);
        await client.call('notifications.read', { body: { ids: [id] } });
      }
    }
    return { told: told.toSorted(), texts: [...texts] };
  };
  beforeAll(async () => {
    await sweep();
    await names();
    await storeAgent(app, 'ada@example.com', { name: 'greeter' });
  });

  test.each([
    ['team', 'ml', undefined, 'team', ['max'], 'team:ml'],
    ['team', 'leaderless', undefined, 'team', ['root'], 'team:leaderless'],
    ['user', 'ada@example.com', 'ml', 'membership', ['ada', 'max'], 'ada@example.com in team:ml'],
    ['agent', 'greeter', undefined, 'asset', ['ada', 'max'], 'agents/greeter'],
    ['org', '', undefined, 'org', ['root'], 'org'],
  ] as const)('scope %s %s %s', async (scope, scope_id, of_team, table, told, name) => {
    await limit({ scope, scope_id, ...(of_team !== undefined && { team: of_team }) }, 'weekly', '4');
    await spend(await account(table, scope_id), 3.5);
    await sweep();
    expect(await names()).toEqual({ told: [...told], texts: [`${name}: 87 % of $4.00 per week is spent`] });
  });

  test.each([
    ['ada', { scope: 'user' }, ['ada', 'max']],
    ['max', { scope: 'team', scope_id: 'ml' }, ['max']],
    ['max', { scope: 'agent', scope_id: 'greeter' }, ['ada', 'max']],
    ['root', { scope: 'org' }, ['root']],
  ] as const)('a key that %s creates as %j', async (creator, scope, told) => {
    const { client } = people[creator] ?? app.admin;
    const { id, prefix } = await client.call('keys.create', { body: { ...scope, max_budget: '2' } });
    await spend(id, 2);
    await sweep();
    expect(await names()).toEqual({ told: [...told], texts: [`key:${prefix}: 100 % of $2.00 per month is spent`] });
  });

  test('a paused key is also for platform admins', async () => {
    const { id, prefix } = await app.admin.client.call('keys.create', { body: { scope: 'team', scope_id: 'ml' } });
    const detail = { account_id: id, key: prefix, model: 'small', cost_usd: '2.00', held_usd: '1.00' };
    const body = {
      schema: 1,
      event: 'key.paused',
      outcome: 'done',
      actor: { kind: 'system', id: null, name: 'system.pause_key' },
      team: 'ml',
      asset: null,
      ip: null,
      request_id: null,
      detail,
    };
    await app.db.run(sql`select audit.append('governance', ${canonicalJson(body)}, '{}')`);
    const text = `key:${prefix}: a call of small cost $2.00, and $1.00 was held for it`;
    expect(await names()).toEqual({ told: ['max', 'root'], texts: [text] });
  });

  test('a user who can no longer act on the budget does not see the alert', async () => {
    const eve = await app.user('eve@example.com', { teams: { ml: 'admin' } });
    const shown = async () => {
      const { items } = await eve.client.call('notifications.list', { query: {} });
      return [items.length, (await eve.client.call('notifications.count', {})).unread];
    };
    await spend(await account('team', 'ml'), 4);
    await sweep();
    expect(await shown()).toEqual([1, 1]);
    await people['max']?.client.call('teams.remove_member', {
      params: { team: 'ml', principal: 'user:eve@example.com' },
    });
    expect(await shown()).toEqual([0, 0]);
    await names();
  });
});

test('an alert arrives once at a webhook for budgets, with the account and its amounts', async () => {
  await app.admin.client.call('webhooks.create', {
    body: { name: 'spending', url: `${at.url}/spending`, events: ['budget.reached'] },
  });
  const id = await team();
  await spend(id, 8.25);
  await sweep();
  await vi.waitFor(async () => expect(await at.received()).toHaveLength(1), 15_000);
  const [received] = await at.received();
  expect(JSON.parse(received?.body ?? '')).toMatchObject({
    event: 'budget.reached',
    team: expect.stringMatching(/^team-/),
    detail: { account_id: id, window: 'month', percent: 80, spent_usd: '8.25', limit_usd: '10.00' },
  });
});
