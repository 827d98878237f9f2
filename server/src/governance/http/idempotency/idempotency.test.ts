// A killed server leaves a row that is only begun, or a marked row without an answer. For the first, an attempt waits for longer than its
// lease and then continues. This is the harder case. For the second, a trigger fails the statement that stores the answer, after the change
// has committed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { authorize } from '../../access/authorize.ts';
import type { Origin } from '../../access/caller.ts';
import { change } from '../../access/change.ts';
import { theOrg } from '../../access/subject.ts';
import { sql } from '../../../ground/database/sql.ts';
import { loadCaller } from '../../../people/principals/load-caller.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { carryOutOnce } from './idempotency.ts';
import { jsonReply, type Reply } from '../answer/reply.ts';

let app: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { role: 'admin', teams: { ml: 'admin' } });
  bob = await app.user('bob@example.com', { role: 'admin' });
});
afterAll(async () => await app?.stop());

interface Answer {
  data?: Record<string, unknown>;
  code?: string;
  detail?: string;
}

async function post(path: string, body: unknown, key: string | undefined, { token } = ada) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answered = await fetch(`${app.url}/api/v1/${path}`, {
    method: 'POST',
    headers: key === undefined ? headers : { ...headers, 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  const text = await answered.text();
  const { data, code, detail } = JSON.parse(text) as Answer;
  const replayed = answered.headers.get('idempotency-replayed');
  return { status: answered.status, headers: answered.headers, text, data, code, detail, replayed };
}

const createTeam = async (name: string, key?: string, user = ada) => await post('teams', { name }, key, user);

async function teams(...names: string[]): Promise<number> {
  return (await app.db.all(sql`select id from team where name = any(${names})`)).length;
}

async function entries(event: string, member: 'team' | 'user', value: string): Promise<number> {
  const rows = await app.db.all(
    sql`select seq from audit.entry where event = ${event} and body::jsonb -> 'detail' ->> ${member} = ${value}`,
  );
  return rows.length;
}

test('the same request with the same key is done once, has one audit entry, and gets the same answer', async () => {
  const first = await createTeam('once', 'key-1');
  expect(first).toMatchObject({ status: 201, replayed: null, data: { name: 'once' } });
  expect(first.headers.get('x-audit-entry')).toMatch(/^governance\//);
  const again = await createTeam('once', 'key-1');
  expect(again).toMatchObject({ status: 201, replayed: 'true', text: first.text });
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(again.headers.get('x-audit-entry')).toBeNull();
  expect(again.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await teams('once')).toBe(1);
  expect(await entries('team.created', 'team', 'once')).toBe(1);
});

test('without a key a second request is a new request', async () => {
  expect((await createTeam('plain')).status).toBe(201);
  expect(await createTeam('plain')).toMatchObject({ status: 409, code: 'exists' });
});

test('a request with another order of members, or with written defaults, is the same request', async () => {
  const first = await post('users', { email: 'order@example.com', name: 'Order' }, 'key-order');
  const again = await post('users', { role: 'viewer', name: 'Order', email: 'order@example.com' }, 'key-order');
  expect([first.status, again.status, again.replayed]).toEqual([201, 201, 'true']);
});

test('a key with another body or on another endpoint is refused, and nothing is created', async () => {
  await createTeam('mine', 'key-2');
  expect(await createTeam('another', 'key-2')).toMatchObject({
    status: 409,
    code: 'idempotency_conflict',
    detail: expect.stringContaining('another request: POST /api/v1/teams'),
  });
  const tool = { name: 'mine', team: 'ml' };
  expect(await post('registry/tool', tool, 'key-3')).toMatchObject({ status: 201 });
  expect(await post('registry/mcp-server', tool, 'key-3')).toMatchObject({ code: 'idempotency_conflict' });
  expect(await post('users', { email: 'x@example.com' }, 'key-2')).toMatchObject({ code: 'idempotency_conflict' });
  expect(await teams('another')).toBe(0);
});

test('another user may use the same key', async () => {
  await createTeam('of-ada', 'key-4', ada);
  expect(await createTeam('of-bob', 'key-4', bob)).toMatchObject({ status: 201, replayed: null });
  expect(await createTeam('of-ada', 'key-5', ada)).toMatchObject({ code: 'exists' });
  expect(await createTeam('of-bob', 'key-4', bob)).toMatchObject({ data: { name: 'of-bob' }, replayed: 'true' });
});

test('a refused request may be sent again with its key', async () => {
  const tool = { name: 'refused', team: 'late' };
  expect(await post('registry/tool', tool, 'key-6')).toMatchObject({ status: 404 });
  expect(await createTeam('late')).toMatchObject({ status: 201 });
  expect(await post('registry/tool', tool, 'key-6')).toMatchObject({ status: 201, replayed: null });
});

test('an answer is repeated only to its owner with a working session', async () => {
  const eve = await app.user('eve@example.com', { role: 'admin' });
  await createTeam('of-eve', 'key-7', eve);
  await app.governed(sql`update app_user set role = 'viewer' where email = ${eve.email} returning id`);
  expect(await createTeam('of-eve', 'key-7', eve)).toMatchObject({ status: 201, replayed: 'true' });
  expect(await createTeam('of-eve-2', 'key-8', eve)).toMatchObject({ status: 403, code: 'forbidden' });
  await app.governed(sql`update app_user set active = false where email = ${eve.email} returning id`);
  expect(await createTeam('of-eve', 'key-7', eve)).toMatchObject({ status: 401 });
});

test('a one-time password is answered once, and is stored in no row', async () => {
  const user = { email: 'secret@example.com' };
  const first = await post('users', user, 'key-9');
  const { one_time_password, ...rest } = first.data ?? {};
  expect(one_time_password).toMatch(/.{12,}/);
  const again = await post('users', user, 'key-9');
  expect(again).toMatchObject({ status: 201, replayed: 'true' });
  expect(again.data).toEqual(rest);
  const rows = await app.db.all<{ row: string }>(sql`select k::text as row from idempotency_key k`);
  expect(rows.filter(({ row }) => row.includes('secret@example.com'))).toHaveLength(1);
  expect(rows.filter(({ row }) => row.includes(String(one_time_password)))).toEqual([]);
});

test.each([
  ['empty', ''],
  ['longer than 255 characters', 'k'.repeat(256)],
  ['of two words', 'a key'],
  ['not ASCII', 'clé'],
])('a key that is %s is refused', async (_, key) => {
  expect(await createTeam('malformed', key)).toMatchObject({ status: 400, code: 'malformed' });
  expect(await teams('malformed')).toBe(0);
});

test('a key may have 255 visible characters', async () => {
  const key = `!~"${'k'.repeat(252)}`;
  expect(await createTeam('long-key', key)).toMatchObject({ status: 201 });
  expect(await createTeam('long-key', key)).toMatchObject({ replayed: 'true' });
});

test('an endpoint that creates nothing ignores the header', async () => {
  const add = { principal: 'user:bob@example.com', role: 'viewer' };
  for (const key of ['key-1', 'not a key', 'key-1'])
    expect(await post('teams/ml/members', add, key)).toMatchObject({ status: 200, replayed: null });
});

test('a thousand concurrent requests with ten keys create ten teams, with an audit entry each', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `swarm-${n}`);
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async (_, n) => await createTeam(names[n % 10] ?? '', `swarm-key-${n % 10}`)),
  );
  const made = answers.filter(({ status, replayed }) => status === 201 && replayed === null);
  expect(made).toHaveLength(10);
  for (const { status, replayed, text, code, headers, data } of answers) {
    if (status === 201 && replayed === 'true')
      expect(made.find((first) => first.data?.name === data?.name)?.text).toBe(text);
    if (status !== 201) expect([status, code, headers.get('retry-after')]).toEqual([409, 'idempotency_conflict', '1']);
  }
  expect(await teams(...names)).toBe(10);
  for (const name of names) expect(await entries('team.created', 'team', name)).toBe(1);
});

test('a second request for a pending approval changes nothing, and its answer is kept too', async () => {
  await storeAgent(app, ada.email, { name: 'greeter' });
  const submission = { asset: 'agents/greeter', version: '1.0.0' };
  const first = await post('rbac/approvals', submission, 'key-10');
  const waiting = await post('rbac/approvals', submission, 'key-11');
  expect(waiting).toMatchObject({ status: 201, replayed: null, data: { id: first.data?.id } });
  expect(await post('rbac/approvals', submission, 'key-11')).toMatchObject({ replayed: 'true', text: waiting.text });
});

test('a request whose answer was lost in a crash is not done again: its key is marked', async () => {
  await app.db.run(sql`create function lose_answer() returns trigger language plpgsql as
    'begin if new.state = ''answered'' then raise exception ''killed''; end if; return new; end'`);
  await app.db.run(
    sql`create trigger lost before update on idempotency_key for each row execute function lose_answer()`,
  );
  expect(await createTeam('crashed', 'key-12')).toMatchObject({ status: 500 });
  await app.db.run(sql`drop trigger lost on idempotency_key`);
  expect(await createTeam('crashed', 'key-12')).toMatchObject({
    code: 'idempotency_conflict',
    detail: expect.stringContaining('is still running'),
  });
  await app.moveClock('31 seconds');
  const late = await createTeam('crashed', 'key-12');
  expect(late).toMatchObject({
    status: 409,
    code: 'idempotency_conflict',
    detail: expect.stringContaining('was done, but its answer is lost'),
  });
  expect(late.headers.get('retry-after')).toBeNull();
  expect(await teams('crashed')).toBe(1);
  expect(await entries('team.created', 'team', 'crashed')).toBe(1);
});

/** Below HTTP, so a test decides when and how the request ends. */
async function attempt(
  key: string,
  carryOut: (create: (name: string) => Promise<Reply>) => Promise<Reply>,
  endpoint: Endpoint = endpoints['teams.create'],
) {
  const user = await app.db.one<{ id: string }>(sql`select id from app_user where email = ${ada.email}`);
  const origin: Origin = { request_id: null, ip: null, receipts: [] };
  const caller = await loadCaller(app.db, user?.id ?? '', origin);
  if (caller === undefined) throw new Error('ada is not active');
  const headers = new Headers({ 'idempotency-key': key });
  const asked = { endpoint, caller, headers, parsed: {} };
  const grant = authorize(caller, 'team.create', theOrg);
  return await carryOutOnce(app.db, Buffer.from('a key of the test'))(asked, async () =>
    carryOut(async (name) => {
      await change(app.db, grant, 'team.created', async (tx, note) => {
        await tx.write('team', sql`insert into team (name) values (${name}) returning id`);
        note({ team: name });
      });
      return jsonReply({ data: { name } }, 201);
    }),
  );
}

test('the same parts on another endpoint are another request', async () => {
  await attempt('key-17', async (create) => await create('here'));
  const there = attempt('key-17', async (create) => await create('there'), endpoints['users.create']);
  await expect(there).rejects.toMatchObject({ code: 'idempotency_conflict' });
  expect(await teams('here', 'there')).toBe(1);
});

test('a request that fails after its change is not done again', async () => {
  const failing = attempt('key-16', async (create) => {
    await create('unread');
    throw new Error('it cannot be read back');
  });
  await expect(failing).rejects.toThrow('it cannot be read back');
  const again = attempt('key-16', async (create) => await create('unread-again'));
  await expect(again).rejects.toMatchObject({ code: 'idempotency_conflict' });
  expect(await teams('unread', 'unread-again')).toBe(1);
});

test('a stalled request is taken over when its lease has run out, and changes nothing if it continues', async () => {
  await app.moveClock('0 seconds');
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow = attempt('key-13', async (create) => {
    begun.resolve();
    await goOn.promise;
    return await create('slow');
  });
  await begun.promise;
  const early = attempt('key-13', async (create) => await create('early'));
  await expect(early).rejects.toMatchObject({ code: 'idempotency_conflict', retry_after_seconds: 1 });
  await app.moveClock('31 seconds');
  const second = await attempt('key-13', async (create) => {
    goOn.resolve();
    await expect(slow).rejects.toMatchObject({ code: 'idempotency_conflict' });
    return await create('second');
  });
  expect(second.headers).not.toHaveProperty('idempotency-replayed');
  const third = await attempt('key-13', async (create) => await create('third'));
  expect(third.headers).toMatchObject({ 'idempotency-replayed': 'true' });
  expect(JSON.parse(third.body as string)).toEqual({ data: { name: 'second' } });
  expect(await teams('slow', 'early', 'second', 'third')).toBe(1);
  expect(await entries('team.created', 'team', 'slow')).toBe(0);
});

test('after a day a key is new again, and a new key removes old ones', async () => {
  await createTeam('old', 'key-14');
  await createTeam('older', 'key-15');
  await app.moveClock('24 hours 1 minute');
  const { access_token } = await app.anonymous.call('auth.login', {
    body: { email: ada.email, password: ada.password },
  });
  const later = { ...ada, token: access_token };
  expect(await createTeam('new', 'key-14', later)).toMatchObject({ status: 201, replayed: null });
  const left = await app.db.all<{ key: string }>(sql`select key from idempotency_key`);
  expect(left).toEqual([{ key: 'key-14' }]);
});
