import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Problem } from '@gantry/contract/problems.ts';
import { deriveKey } from '../../ground/derive-key.ts';
import { sql } from '../../ground/database/sql.ts';
import { ask } from '../../testing/browser.ts';
import { testApp, type TestApp } from '../../testing/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => await app.stop());

const login = async (email: string, password: string, headers: Record<string, string> = {}) =>
  await app.anonymous.call('auth.login', { body: { email, password } }, { headers });
const lastEvents = async (count: number) =>
  (
    await app.db.all<{ event: string; actor: string }>(
      sql`select event, actor from audit.entry where chain = 'signin' order by seq desc limit ${count}`,
    )
  ).map(({ event, actor }) => `${event} ${actor}`);

test('the right password opens a session, names its user, and is recorded', async () => {
  const ada = await app.user('ada@example.com');
  const { access_token, token_type } = await login('Ada@Example.com', ada.password);
  expect(token_type).toBe('bearer');
  expect(await app.as(access_token).call('auth.me', {})).toMatchObject({
    email: 'ada@example.com',
    role: 'viewer',
    must_change_password: false,
  });
  expect(await lastEvents(2)).toEqual(['token.issued ada@example.com', 'login.succeeded ada@example.com']);
});

test('a wrong password and an unknown account get the same answer, and both are recorded', async () => {
  await app.user('bea@example.com');
  const answers = await Promise.all(
    ['bea@example.com', 'nobody@example.com'].map(
      async (email) =>
        await login(email, 'not the password').catch((error: Problem) => ({
          code: error.code,
          status: error.status,
          detail: error.detail,
          hint: error.hint,
        })),
    ),
  );
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]).toMatchObject({ code: 'bad_credentials', status: 401 });
  expect((await lastEvents(2)).toSorted()).toEqual(['login.failed bea@example.com', 'login.failed nobody@example.com']);
});

test('guesses stop after ten failures from one address, even with the right password, and continue after the window', async () => {
  const cy = await app.user('cy@example.com');
  for (let n = 0; n < 10; n++)
    await expect(login('cy@example.com', `guess ${n}`)).rejects.toMatchObject({ code: 'bad_credentials' });
  await expect(login('cy@example.com', cy.password)).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(login('cy@example.com', cy.password, { 'x-forwarded-for': '203.0.113.9' })).rejects.toMatchObject({
    code: 'rate_limited',
  });
  await app.moveClock('16 minutes');
  expect(await login('cy@example.com', cy.password)).toMatchObject({ token_type: 'bearer' });
});

test('passwords that differ only after byte 72 are different passwords', async () => {
  const long = 'x'.repeat(100);
  await app.user('dan@example.com', { password: `${long}1` });
  expect(await login('dan@example.com', `${long}1`)).toMatchObject({ token_type: 'bearer' });
  await expect(login('dan@example.com', `${long}2`)).rejects.toMatchObject({ code: 'bad_credentials' });
});

test('the documented password of a fresh installation works only from this machine, and not through a proxy', async () => {
  const fresh = await testApp({ seeded: 'default' });
  const seed = { email: 'admin@gantry.local', password: 'gantry-admin' };
  await expect(
    fresh.anonymous.call('auth.login', { body: seed }, { headers: { 'x-forwarded-for': '127.0.0.1' } }),
  ).rejects.toMatchObject({ code: 'bad_credentials' });
  const rebound = { method: 'POST', headers: { host: 'attacker.example:4000' }, body: seed };
  expect((await ask(fresh.url, '/api/v1/auth/login', rebound)).status).toBe(401);
  const { must_change_password, access_token } = await fresh.anonymous.call('auth.login', { body: seed });
  expect(must_change_password).toBe(true);
  const admin = fresh.as(access_token);
  expect(
    await admin.call('auth.change_password', {
      body: { old_password: seed.password, new_password: 'a new one of mine' },
    }),
  ).toMatchObject({ must_change_password: false });
  await expect(fresh.anonymous.call('auth.login', { body: seed })).rejects.toMatchObject({ code: 'bad_credentials' });
  await fresh.stop();
});

test.each([
  ['short', 'eve1@example.com', 'seven77'],
  ['the current one', 'eve2@example.com', 'correct horse battery'],
  ['very common', 'eve3@example.com', 'password1'],
  ['the e-mail', 'eve4@example.com', 'eve4@example.com'],
])('a new password that is %s is refused', async (_, email, new_password) => {
  const eve = await app.user(email, { password: 'correct horse battery' });
  await expect(
    eve.client.call('auth.change_password', { body: { old_password: eve.password, new_password } }),
  ).rejects.toMatchObject({ code: 'weak_password' });
});

test('a change of password ends the other sessions and keeps the present one', async () => {
  const fay = await app.user('fay@example.com');
  const other = app.as((await login('fay@example.com', fay.password)).access_token);
  expect(await other.call('auth.me', {})).toMatchObject({ email: 'fay@example.com' });
  await fay.client.call('auth.change_password', {
    body: { old_password: fay.password, new_password: 'another one entirely' },
  });
  await expect(other.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(await fay.client.call('auth.me', {})).toMatchObject({ email: 'fay@example.com' });
});

test('revoke ends a session on the server', async () => {
  const gus = await app.user('gus@example.com');
  await gus.client.call('auth.revoke', { body: { all: true } });
  await expect(gus.client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a token works for 24 hours', async () => {
  const hal = await app.user('hal@example.com');
  expect(await hal.client.call('auth.me', {})).toMatchObject({ email: 'hal@example.com' });
  await app.moveClock('25 hours');
  await expect(hal.client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
  await app.moveClock('0');
});

test('a demotion acts on the next request', async () => {
  const ida = await app.user('ida@example.com', { role: 'admin' });
  expect((await ida.client.call('users.list', {})).items.length).toBeGreaterThan(0);
  await app.governed(sql`update app_user set role = 'viewer' where email = 'ida@example.com' returning id`);
  await expect(ida.client.call('users.list', {})).rejects.toMatchObject({ code: 'forbidden' });
  await app.governed(sql`update app_user set active = false where email = 'ida@example.com' returning id`);
  await expect(ida.client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('enforce_password_change allows a flagged account only the change', async () => {
  const jo = await app.user('jo@example.com', { must_change: true });
  expect((await jo.client.call('teams.list', {})).items).toEqual([]);
  await app.settings({ enforce_password_change: true });
  await expect(jo.client.call('teams.list', {})).rejects.toMatchObject({ code: 'password_change_required' });
  await jo.client.call('auth.change_password', {
    body: { old_password: jo.password, new_password: 'a new one of mine' },
  });
  expect((await jo.client.call('teams.list', {})).items).toEqual([]);
  await app.settings({ enforce_password_change: false });
});

test('a forged, foreign or mangled token is refused', async () => {
  const kim = await app.user('kim@example.com');
  const good = kim.token;
  const [header = '', payload = '', signature = ''] = good.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const signed = async (
    key: Uint8Array,
    protectedHeader: { alg: string; typ?: string },
    more: Record<string, unknown> = {},
  ) => await new SignJWT({ ...claims, ...more }).setProtectedHeader(protectedHeader).sign(key);
  const ours = deriveKey(app.secret_key, 'access-token');
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = {
    'alg none': `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
    'HS512 with our key': await signed(new Uint8Array(64).fill(1), { alg: 'HS512', typ: 'at+jwt' }),
    'signed with SECRET_KEY itself': await signed(Buffer.from(app.secret_key), { alg: 'HS256', typ: 'at+jwt' }),
    'signed with the key of another purpose': await signed(deriveKey(app.secret_key, 'cursor'), {
      alg: 'HS256',
      typ: 'at+jwt',
    }),
    'another typ': await signed(ours, { alg: 'HS256', typ: 'JWT' }),
    'another audience': await signed(ours, { alg: 'HS256', typ: 'at+jwt' }, { aud: 'agents/greeter' }),
    'another issuer': await signed(ours, { alg: 'HS256', typ: 'at+jwt' }, { iss: 'somebody' }),
    'another subject in the same session': await signed(
      ours,
      { alg: 'HS256', typ: 'at+jwt' },
      { sub: '00000000-0000-4000-8000-000000000000' },
    ),
    expired: await signed(ours, { alg: 'HS256', typ: 'at+jwt' }, { exp: 1000 }),
    'old, without an expiry': await signed(ours, { alg: 'HS256', typ: 'at+jwt' }, { exp: undefined, iat: 1000 }),
    'changed signature': `${header}.${payload}.${signature.slice(0, -2)}AA`,
    'five parts': `${good}.x.y`,
    'a megabyte': `${header}.${'A'.repeat(8000)}.${signature}`,
    'a space before it': ` ${good}`,
  };
  expect(await app.as(good).call('auth.me', {})).toMatchObject({ email: 'kim@example.com' });
  for (const [what, token] of Object.entries(forged)) {
    const answered = await fetch(`${app.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    expect([what, answered.status]).toEqual([what, 401]);
  }
});

test('X-Service-Team selects one of the caller’s teams and grants no other', async () => {
  const root = await app.user('root@example.com', { role: 'admin' });
  await root.client.call('teams.create', { body: { name: 'one' } });
  await root.client.call('teams.create', { body: { name: 'two' } });
  const lea = await app.user('lea@example.com');
  await root.client.call('teams.add_member', {
    params: { team: 'one' },
    body: { principal: 'user:lea@example.com', role: 'viewer' },
  });
  const as = async (team: string) => await lea.client.call('auth.me', {}, { headers: { 'x-service-team': team } });
  expect(await as('one')).toMatchObject({ active_team: 'one', primary_team: 'one' });
  const foreign = await as('two').catch((error: Error) => error);
  const missing = await as('zwei').catch((error: Error) => error);
  expect(foreign).toMatchObject({ code: 'not_in_team' });
  expect(missing).toMatchObject({ code: 'not_in_team' });
  for (const bad of ['one,two', 'One', 'one two', '../one'])
    await expect(as(bad)).rejects.toMatchObject({ code: 'malformed' });
  expect(await root.client.call('auth.me', {}, { headers: { 'x-service-team': 'two' } })).toMatchObject({
    active_team: 'two',
  });
});

test('a wrong current password changes nothing', async () => {
  const eve = await app.user('eve@example.com');
  const changing = eve.client.call('auth.change_password', {
    body: { old_password: 'not the one', new_password: 'something else entirely' },
  });
  await expect(changing).rejects.toMatchObject({ code: 'wrong_password' });
  expect((await login(eve.email, eve.password)).token_type).toBe('bearer');
});

test('old failures and ended sessions leave no rows', async () => {
  const zoe = await app.user('zoe@example.com');
  await expect(login('nobody@example.com', 'a guess')).rejects.toMatchObject({ code: 'bad_credentials' });
  const kept = async () => {
    const sessions = sql`select count(*)::int from session where user_id = (select id from app_user where email = ${zoe.email})`;
    return await app.db.one(
      sql`select (${sessions}) as sessions, (select count(*)::int from login_failure where key like 'account nobody%') as failures`,
    );
  };
  expect(await kept()).toEqual({ sessions: 1, failures: 1 });
  await app.moveClock('25 hours');
  await login(zoe.email, zoe.password);
  expect(await kept()).toEqual({ sessions: 1, failures: 0 });
});
