// The end of a day, an ISO week and a month, with calls under way on two services. The database's clock decides.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { answer, faultyUpstream, type FaultyUpstream } from '../../../testing/models/faulty-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let upstream: FaultyUpstream;
let app: TestApp;
let urls: string[];
let ada: TestUser;

beforeAll(async () => {
  upstream = await faultyUpstream();
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  urls = [app.url, (await app.another()).url];
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const price_usd_per_million = { input: '0.15', output: '0.60' };
  for (const name of ['quick', 'slow']) {
    const config = { provider: 'test', model: name, base_url: upstream.at(name), price_usd_per_million };
    await ada.client.call('registry.create', { params: { kind: 'model' }, body: { name, team: 'ml', config } });
  }
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});

// 20 × $0.15 + 10 × $0.60 per million.
const cost_nano = 9000;
const moveTo = async (time: string) => await app.moveClock(`${(Date.parse(time) - Date.now()) / 1000} seconds`);

// A clock that is set back starts no window, so the times ascend.
test.each([
  ['week', '2027-03-28T23:59:00Z', '2027-03-29T00:00:00Z', ['day', 'week']],
  ['day', '2027-03-30T23:59:00Z', '2027-03-31T00:00:00Z', ['day']],
  ['month', '2027-03-31T23:59:00Z', '2027-04-01T00:00:00Z', ['day', 'month']],
] as const)(
  'at the end of a %s, calls under way are charged to it, and the next one starts at zero on each service (I11)',
  async (window, before, after, ended) => {
    await app.moveClock('0 seconds');
    const { id, key } = await ada.client.call('keys.create', { body: { max_budget: '1' } });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let begun = 0;
    upstream.behave('slow', (response) => {
      begun += 1;
      void released.then(() =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      );
    });
    const call = async (url: string, model: string) => {
      const answered = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] }),
      });
      await answered.text();
      return answered.status;
    };
    const onEach = async (model: string) => await Promise.all(urls.map(async (url) => await call(url, model)));
    const counters = async () =>
      (await app.db.one<Record<string, number>>(sql`select day_spent, week_spent, month_spent,
        day_held, week_held, month_held, (select count(*)::int from hold where ${id} = any(accounts)) as holds
        from account where id = ${id}`)) ?? {};

    await moveTo(before);
    expect(await onEach('quick')).toEqual([200, 200]);
    const slow = onEach('slow');
    await expect.poll(() => begun).toBe(2);
    await expect.poll(async () => (await counters())['holds']).toBe(2);
    const { [`${window}_held`]: held = 0 } = await counters();
    const limit = 2 * cost_nano + held;
    const column = {
      strings: [`update budget set ${window}_nano = `, ' where id = ', ' returning id'],
      values: [limit, id],
    };
    await app.governed(column);
    expect(await onEach('quick')).toEqual([429, 429]);

    await moveTo(after);
    expect(await onEach('quick')).toEqual([200, 200]);
    await expect.poll(async () => (await counters())['holds']).toBe(2);
    expect(await counters()).toMatchObject({ [`${window}_spent`]: 2 * cost_nano, [`${window}_held`]: 0 });

    release();
    expect(await slow).toEqual([200, 200]);
    await expect.poll(async () => (await counters())['holds']).toBe(0);
    for (const one of ['day', 'week', 'month'] as const) {
      const calls = ended.some((name) => name === one) ? 2 : 6;
      expect(await counters()).toMatchObject({ [`${one}_spent`]: calls * cost_nano, [`${one}_held`]: 0 });
    }
    const days = await app.db.all(
      sql`select day::text as day, sum(nano)::int as nano from ledger where key_id = ${id} group by 1 order by 1`,
    );
    expect(days).toEqual([
      { day: before.slice(0, 10), nano: 4 * cost_nano },
      { day: after.slice(0, 10), nano: 2 * cost_nano },
    ]);
  },
);
