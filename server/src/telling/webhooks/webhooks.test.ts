// Against a receiver in a separate process. The standardwebhooks package, an independent implementation, verifies the signatures.
import { delivery_days } from '@gantry/contract/telling/webhooks.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { openOutbound } from '../../ground/outbound/outbound.ts';
import { startQueues } from '../../ground/queue/work.ts';
import { signatureHeaders } from '../../ground/signature-headers.ts';
import { receiver, type Received, type Receiver } from '../../testing/servers/receiver.ts';
import { testApp, type TestApp } from '../../testing/test-app.ts';
import { delivering } from './deliver.ts';

let at: Receiver;
let app: TestApp;
let made = 0;
let moved_hours = 0;

beforeAll(async () => {
  at = await receiver();
  app = await testApp({ config: { outbound_private_hosts: [at.host, '127.0.0.1:9'] } });
});
afterAll(async () => {
  await app?.stop();
  await at?.close();
});
beforeEach(() => at.answer(200));

const call: TestApp['admin']['client']['call'] = async (name, parts) => await app.admin.client.call(name, parts);

async function webhook(events = ['team.created'], url = `${at.url}/${++made}`) {
  const { secret = '', ...rest } = await call('webhooks.create', { body: { name: `hook-${++made}`, url, events } });
  return { ...rest, secret, path: new URL(url).pathname };
}

/** Any governed change. */
async function teamCreated(): Promise<string> {
  const { name } = await call('teams.create', { body: { name: `team-${++made}` } });
  return name;
}

const arrivals = async ({ path }: { path: string }) => (await at.received()).filter(({ url }) => url === path);
const teams = (received: Received[]) =>
  received.map(({ body }) => (JSON.parse(body) as { detail: { team: string } }).detail.team);
const verify = (secret: string, { body, headers }: Received) => new Webhook(secret).verify(body, headers);
const deliveries = async (name: string) =>
  (await call('webhooks.deliveries', { params: { name }, query: {} })).items.toReversed();

async function arrived(hook: { path: string }, names: unknown[]): Promise<Received[]> {
  await vi.waitFor(async () => expect(teams(await arrivals(hook))).toEqual(names), { timeout: 15_000, interval: 50 });
  return await arrivals(hook);
}

/** Moves the database's clock forward, for waits of hours. */
async function later(hours: number): Promise<void> {
  moved_hours += hours;
  await app.moveClock(`${moved_hours * 60} minutes`);
}

async function tried(name: string, attempts: number) {
  await vi.waitFor(
    async () => {
      const [first] = await deliveries(name);
      expect([first?.attempts, first?.problem === null]).toEqual([attempts, false]);
    },
    { timeout: 15_000, interval: 50 },
  );
  return await deliveries(name);
}

test('every matching entry arrives once, in order and unchanged, and no other entry does', async () => {
  const hook = await webhook();
  const names = [await teamCreated(), await teamCreated(), await teamCreated()];
  await call('users.create', { body: { email: `user-${++made}@example.com` } });
  const received = await arrived(hook, names);
  const { items } = await call('audit.list', { query: { action: 'team.created', limit: 3 } });
  expect(received.map(({ body }) => JSON.parse(body) as unknown)).toEqual(items.toReversed());
  await vi.waitFor(
    async () =>
      expect(await deliveries(hook.name)).toMatchObject(
        names.map(() => ({ state: 'delivered', attempts: 1, status: 200 })),
      ),
    20_000,
  );
  expect((await deliveries(hook.name)).map(({ id }) => id)).toEqual(
    received.map(({ headers }) => headers['webhook-id']),
  );
});

test.each([
  [['*'], ['webhook.created', 'team.created', 'user.created']],
  [
    ['team.*', 'user.created'],
    ['team.created', 'user.created'],
  ],
])('the events %j select %j', async (events, expected) => {
  const hook = await webhook(events);
  await teamCreated();
  await call('users.create', { body: { email: `user-${++made}@example.com` } });
  await vi.waitFor(async () => {
    const got = (await arrivals(hook)).map(({ body }) => (JSON.parse(body) as { event: string }).event);
    expect(got).toEqual(expected);
  }, 10_000);
  await call('webhooks.delete', { params: { name: hook.name } });
});

test.each(['nothing.there', 'login.failed', 'team.', '**', ''])(
  '%j is not an event of the governance chain',
  async (event) => {
    await expect(webhook([event])).rejects.toMatchObject({ code: 'invalid' });
  },
);

test('a delivery is signed: another byte, another time and another secret are detected', async () => {
  const hook = await webhook();
  const [one] = await arrived(hook, [await teamCreated()]);
  if (one === undefined) throw new Error('nothing arrived');
  expect(verify(hook.secret, one)).toMatchObject({ event: 'team.created', chain: 'governance' });
  expect(() => verify(hook.secret, { ...one, body: one.body.replace('team', 'Team') })).toThrow();
  expect(() => verify(hook.secret, { ...one, headers: { ...one.headers, 'webhook-id': 'another' } })).toThrow();
  expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, one)).toThrow();
  // Signed with the right secret, ten minutes ago and in ten minutes.
  for (const offset of [-600, 600]) {
    const timestamp = Math.floor(Date.now() / 1000) + offset;
    const key = Buffer.from(hook.secret.slice('whsec_'.length), 'base64');
    const headers = signatureHeaders({ id: 'x', timestamp, body: '{}' }, [key]);
    expect(() => verify(hook.secret, { url: '', headers, body: '{}' })).toThrow(/too (old|new)/);
  }
});

test('a rotated secret signs beside the new one until the end of the grace', async () => {
  const hook = await webhook();
  const rotated = await call('webhooks.rotate', { params: { name: hook.name }, body: { grace_seconds: 3600 } });
  const next = rotated.secret ?? '';
  const first = await teamCreated();
  const [during] = await arrived(hook, [first]);
  if (during === undefined) throw new Error('nothing arrived');
  expect(verify(hook.secret, during)).toEqual(verify(next, during));
  await later(1.1);
  const [, after] = await arrived(hook, [first, await teamCreated()]);
  if (after === undefined) throw new Error('nothing arrived');
  expect(verify(next, after)).toMatchObject({ event: 'team.created' });
  expect(() => verify(hook.secret, after)).toThrow();
  expect((await call('webhooks.show', { params: { name: hook.name } })).previous_secret_until).toBeNull();
});

test('without a grace the previous secret signs nothing more', async () => {
  const hook = await webhook();
  const { secret = '' } = await call('webhooks.rotate', { params: { name: hook.name }, body: { grace_seconds: 0 } });
  const [one] = await arrived(hook, [await teamCreated()]);
  if (one === undefined) throw new Error('nothing arrived');
  expect(verify(secret, one)).toMatchObject({ event: 'team.created' });
  expect(() => verify(hook.secret, one)).toThrow();
});

test('a receiver gets everything in order after a kill, and meanwhile no other webhook waits', async () => {
  const down = await webhook(['team.created'], 'http://127.0.0.1:9/down');
  const hook = await webhook();
  await at.kill();
  const names = await Promise.all(Array.from({ length: 20 }, teamCreated));
  const [queued, ...more] = await tried(hook.name, 1);
  // There is one job for any number of due entries.
  expect([queued?.state, queued?.problem, more]).toEqual(['queued', 'it cannot be reached (ECONNREFUSED)', []]);
  await at.start();
  await later(0.1);
  const { items } = await call('audit.list', { query: { action: 'team.created', limit: 20 } });
  const in_order = items.toSorted((one, other) => one.seq - other.seq);
  const received = await arrived(
    hook,
    in_order.map(({ detail }) => detail['team']),
  );
  expect(teams(received).toSorted()).toEqual(names.toSorted());
  expect(received[0]?.headers['webhook-id']).toBe(queued?.id);
  expect(await call('webhooks.show', { params: { name: down.name } })).toMatchObject({
    last_problem: 'it cannot be reached (ECONNREFUSED)',
  });
  await call('webhooks.delete', { params: { name: down.name } });
});

test('a delivery fails after a day, is listed as failed, and can be sent again under its id', async () => {
  const hook = await webhook();
  at.answer(500);
  const lost = await teamCreated();
  await tried(hook.name, 1);
  await later(25);
  const admin = await signedInAnew();
  const listed = async () =>
    (await admin.call('webhooks.deliveries', { params: { name: hook.name }, query: { state: 'dead' } })).items;
  await vi.waitFor(async () => expect(await listed()).toHaveLength(1), 15_000);
  const [dead] = await listed();
  expect(dead).toMatchObject({
    state: 'dead',
    attempts: 2,
    status: 500,
    problem: 'it answered 500',
    next_attempt_at: null,
  });
  expect(await admin.call('webhooks.show', { params: { name: hook.name } })).toMatchObject({
    dead: 1,
    last_problem: 'it answered 500',
  });

  at.answer(200);
  const next = await teamCreated();
  await arrived(hook, [lost, lost, next]);
  const again = { name: hook.name, id: dead?.id ?? '' };
  await admin.call('webhooks.redeliver', { params: again });
  const received = await arrived(hook, [lost, lost, next, lost]);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  await vi.waitFor(async () => expect(await listed()).toEqual([]), 20_000);
  await expect(admin.call('webhooks.redeliver', { params: { ...again, id: hook.id } })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a second delivery that fails is final at once, and delays nothing', async () => {
  const hook = await webhook();
  const first = await teamCreated();
  await arrived(hook, [first]);
  await vi.waitFor(async () => expect((await deliveries(hook.name))[0]?.state).toBe('delivered'), 20_000);
  at.answer(503);
  const params = { name: hook.name, id: (await deliveries(hook.name))[0]?.id ?? '' };
  await call('webhooks.redeliver', { params });
  await vi.waitFor(async () => expect((await deliveries(hook.name))[0]?.state).toBe('dead'), 20_000);
  at.answer(200);
  const next = await teamCreated();
  await arrived(hook, [first, first, next]);
});

test('a redirect is not followed, an endless answer is not read, and the receiver’s text is not shown', async () => {
  const hook = await webhook();
  const test_it = async () => await call('webhooks.test', { params: { name: hook.name } });
  expect(await test_it()).toEqual({ delivered: true, status: 200, problem: null });
  at.answer('redirect');
  expect(await test_it()).toEqual({
    delivered: false,
    status: 302,
    problem: 'it answered 302, and redirects are not followed',
  });
  at.answer('endless');
  expect(await test_it()).toMatchObject({ delivered: true, status: 200 });
  at.answer(418);
  await teamCreated();
  const shown = [
    await test_it(),
    await tried(hook.name, 1),
    await call('webhooks.show', { params: { name: hook.name } }),
  ];
  expect(JSON.stringify(shown)).not.toContain('receiver says');
  const tests = (await arrivals(hook)).filter(({ body }) => body.includes('webhook.test'));
  expect(tests).toHaveLength(4);
  expect((await at.received()).filter(({ url }) => url === '/elsewhere')).toEqual([]);
  expect(verify(hook.secret, tests[0] ?? { url: '', headers: {}, body: '' })).toMatchObject({ webhook: hook.name });
  await call('webhooks.delete', { params: { name: hook.name } });
});

test.each([
  'http://127.0.0.1/hook',
  'http://127.0.0.1:8/hook',
  'http://[::1]/hook',
  'http://0.0.0.0/hook',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00::1]/hook',
  'http://[::ffff:127.0.0.1]/hook',
  'http://2130706433/hook',
  'http://0177.0.0.1/hook',
  'http://0x7f.1/hook',
  'http://127.1/hook',
  'http://localhost/hook',
  'http://localhost./hook',
  'https://user:word@example.com/hook',
  'file:///etc/passwd',
  'gopher://example.com/',
  'unix:///var/run/docker.sock',
  'ftp://example.com/hook',
  'not an address',
])('nothing is ever sent to %s', async (url) => {
  await expect(webhook(['*'], url)).rejects.toMatchObject({ code: 'invalid' });
});

test('a webhook is governed: the log has its former and present state, and never its secret', async () => {
  const hook = await webhook();
  const { secret = '' } = await call('webhooks.rotate', { params: { name: hook.name }, body: {} });
  await call('webhooks.delete', { params: { name: hook.name } });
  await expect(call('webhooks.show', { params: { name: hook.name } })).rejects.toMatchObject({ code: 'not_found' });
  const { items } = await call('audit.list', { query: { action: 'webhook', limit: 3 } });
  const is = { url: hook.url, events: ['team.created'] };
  expect(items.map(({ event, detail }) => ({ event, before: detail['before'], after: detail['after'] }))).toMatchObject(
    [
      { event: 'webhook.deleted', before: is, after: null },
      { event: 'webhook.rotated', before: { previous_secret_until: null }, after: {} },
      { event: 'webhook.created', before: null, after: is },
    ],
  );
  const keys = [hook.secret, secret].map((shown) => Buffer.from(shown.slice('whsec_'.length), 'base64'));
  const [everything] = await app.db.all<{ text: string }>(sql`
    select (select string_agg(body, '') from audit.entry) || (select coalesce(string_agg(w::text, ''), '') from webhook w) as text`);
  for (const key of keys) {
    expect(everything?.text).not.toContain(key.toString('base64'));
    expect(everything?.text).not.toContain(key.toString('hex'));
  }
  expect(JSON.stringify(await call('webhooks.list', { query: {} }))).not.toContain('whsec_');
});

test('the log has the sender of a delivery and the delivery; a refused or queued one adds no entry', async () => {
  const hook = await webhook();
  await arrived(hook, [await teamCreated()]);
  await vi.waitFor(async () => expect((await deliveries(hook.name))[0]?.state).toBe('delivered'), 20_000);
  const id = (await deliveries(hook.name))[0]?.id ?? '';
  at.answer(500);
  await call('webhooks.test', { params: { name: hook.name } });
  await call('webhooks.redeliver', { params: { name: hook.name, id } });
  await Promise.allSettled([
    call('webhooks.redeliver', { params: { name: hook.name, id: hook.id } }),
    call('webhooks.test', { params: { name: 'nowhere' } }),
  ]);
  const { items } = await call('audit.list', { query: { action: 'webhook', limit: 3 } });
  expect(items.map(({ event, actor, detail }) => [event, actor.name, detail])).toMatchObject([
    [
      'webhook.redelivered',
      app.admin.email,
      { webhook: hook.name, url: hook.url, delivery: id, of: { event: 'team.created' } },
    ],
    ['webhook.tested', app.admin.email, { webhook: hook.name, url: hook.url }],
    ['webhook.created', app.admin.email, { after: { url: hook.url } }],
  ]);
});

test('a name is unique', async () => {
  const hook = await webhook();
  const again = { name: hook.name, url: hook.url, events: ['*'] };
  await expect(call('webhooks.create', { body: again })).rejects.toMatchObject({ code: 'exists' });
});

test('ended deliveries are deleted a month later, and not before', async () => {
  const [fine, lost] = [await webhook(), await webhook(['team.created'], 'http://127.0.0.1:9/down')];
  await arrived(fine, [await teamCreated()]);
  await tried(lost.name, 1);
  await later(25);
  await signedInAnew();
  const states = async () =>
    await Promise.all([fine, lost].map(async ({ name }) => (await deliveries(name)).map(({ state }) => state)));
  await vi.waitFor(async () => expect(await states()).toEqual([['delivered'], ['dead']]), 15_000);
  for (const [hours, left] of [
    [delivery_days * 24 - 26, [['delivered'], ['dead']]],
    [2, [[], ['dead']]],
    [25, [[], []]],
  ] as const) {
    await later(hours);
    await signedInAnew();
    await restarted();
    expect(await states()).toEqual(left);
  }
});

/** The sender after a restart of the service, until the old rows are deleted. */
async function restarted(): Promise<void> {
  const outbound = openOutbound({ private_hosts: [at.host] });
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const secret_key = app.keys['webhook-secret'];
  const queue = delivering({ db: app.db, outbound, secret_key });
  await (await startQueues(app.db, [queue], { alone: false, onError })).stop();
  await outbound.close();
  expect(errors).toEqual([]);
}

async function signedInAnew() {
  const { email, password } = app.admin;
  const { access_token } = await app.anonymous.call('auth.login', { body: { email, password } });
  app.admin.client = app.as(access_token);
  return app.admin.client;
}
