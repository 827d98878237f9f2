// Hostile sign-ins: a search for accounts, guessed or altered passwords, forged tokens.
import { createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { deriveKey } from '../../ground/derive-key.ts';
import { seed, seed_email } from '../principals/seed.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let made = 0;
beforeAll(async () => {
  // Behind a trusted proxy, so that a test can use several addresses.
  app = await testApp({ config: { trusted_proxies: ['127.0.0.1'] } });
});
afterAll(async () => await app?.stop());

const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
  await fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${(++made % 200) + 1}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const login = async (email: string, password: string, from?: string) =>
  await post('/api/v1/auth/login', { email, password }, from === undefined ? {} : { 'x-forwarded-for': from });
const me = async (token: string) =>
  (await fetch(`${app.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status;

test('an unknown account, a wrong password, a disabled account and one without a password get the same bytes', async () => {
  const ada = await app.user('ada@example.com');
  await app.user('gone@example.com');
  await app.governed(sql`update app_user set active = false where email = 'gone@example.com' returning id`);
  const elsewhere = await app.user('elsewhere@example.com');
  expect((await login(elsewhere.email, elsewhere.password)).status).toBe(200);
  await app.governed(sql`update app_user set password_hash = null where email = 'elsewhere@example.com' returning id`);
  expect((await login(ada.email, ada.password)).status).toBe(200);
  const answers = new Set<string>();
  for (const email of [
    'ada@example.com',
    'nobody@example.com',
    'gone@example.com',
    'ADA@example.com',
    elsewhere.email,
  ]) {
    const wanted = email === elsewhere.email ? elsewhere.password : 'password of gone@example.com';
    const answered = await login(email, wanted);
    const headers = [...answered.headers].filter(([name]) => !['date', 'x-request-id', 'x-trace-id'].includes(name));
    const text = (await answered.text()).replaceAll(/"request_id":"[^"]+"/g, '');
    answers.add(JSON.stringify([answered.status, headers, text]));
  }
  expect([...answers]).toHaveLength(1);
});

test('guesses at an account from one address lock out that address, and no other', async () => {
  const bea = await app.user('bea@example.com');
  for (let n = 0; n < 10; n++) expect((await login(bea.email, `guess ${n}`, '203.0.113.1')).status).toBe(401);
  const blocked = await login(bea.email, bea.password, '203.0.113.1');
  expect(blocked.status).toBe(429);
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0);
  // Text to the left of the proxy's own entry is not the client's address.
  expect((await login(bea.email, bea.password, '192.0.2.77, 203.0.113.1')).status).toBe(429);
  expect((await login(bea.email, bea.password, '203.0.113.2')).status).toBe(200);
});

test('an address that tries a hundred accounts is locked out for all of them', async () => {
  const cy = await app.user('cy@example.com');
  await app.db.run(
    sql`insert into login_failure (key, failures, window_ends_at) values ('address 203.0.113.3', 99, clock_now() + interval '10 minutes')`,
  );
  expect((await login('nobody-1@example.com', 'guess', '203.0.113.3')).status).toBe(401);
  expect((await login(cy.email, cy.password, '203.0.113.3')).status).toBe(429);
  expect((await login(cy.email, cy.password, '203.0.113.4')).status).toBe(200);
});

test('guesses at one moment count one by one: of a hundred, ten are checked', async () => {
  const dan = await app.user('dan@example.com');
  const started = performance.now();
  const flood = Array.from(
    { length: 100 },
    async (_, n) => (await login(dan.email, `guess ${n}`, '203.0.113.5')).status,
  );
  expect((await fetch(`${app.url}/livez`)).status).toBe(200);
  const answered_ms = performance.now() - started;
  const statuses = await Promise.all(flood);
  expect(answered_ms).toBeLessThan(performance.now() - started);
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(90);
});

test('a hundred sign-ins from different addresses are all answered, and so are other requests meanwhile', async () => {
  const gus = await app.user('gus@example.com');
  let ended = 0;
  const all = Array.from({ length: 100 }, async (_, n) => {
    const { status } = await login(gus.email, gus.password, `198.51.100.${n + 1}`);
    ended++;
    return status;
  });
  expect((await fetch(`${app.url}/livez`)).status).toBe(200);
  expect(ended).toBeLessThan(100);
  expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
});

describe('a password is exactly its characters:', () => {
  const composed = 'caf\u00e9 au lait';
  test.each([
    ['composed and decomposed', composed, composed.normalize('NFD')],
    ['case', 'Sesame, open', 'sesame, open'],
    ['a space at its end', 'open sesame', 'open sesame '],
    ['an emoji and its half', 'open 👩‍👧 sesame', 'open 👩 sesame'],
    ['bytes after the 72nd', `${'x'.repeat(500)}1`, `${'x'.repeat(500)}2`],
  ])('%s', async (_, right, wrong) => {
    const { email } = await app.user(`exact-${++made}@example.com`, { password: right });
    expect((await login(email, right)).status).toBe(200);
    expect((await login(email, wrong)).status).toBe(401);
  });

  test('without NUL characters, and at most a thousand: others are refused before they are hashed', async () => {
    const eve = await app.user('eve@example.com');
    const started = performance.now();
    expect((await login(eve.email, `${eve.password}\0`)).status).toBe(422);
    expect((await login(eve.email, 'x'.repeat(1025))).status).toBe(422);
    expect((await login(eve.email, 'x'.repeat(60_000))).status).toBe(422);
    expect((await login(eve.email, 'x'.repeat(70_000))).status).toBe(413);
    expect(performance.now() - started).toBeLessThan(2000);
    expect((await login(eve.email, eve.password)).status).toBe(200);
  });
});

test('guesses at the current password through its change stop after ten', async () => {
  const fay = await app.user('fay@example.com');
  const change = async (old_password: string) =>
    (
      await post(
        '/api/v1/auth/change-password',
        { old_password, new_password: 'another one entirely' },
        { authorization: `Bearer ${fay.token}` },
      )
    ).status;
  for (let n = 0; n < 10; n++) expect(await change(`guess ${n}`)).toBe(422);
  expect(await change(fay.password)).toBe(429);
  await app.moveClock('16 minutes');
  expect(await change(fay.password)).toBe(200);
  await app.moveClock('0');
});

test('the first admin is created once: after a deletion, the next start does not bring them back', async () => {
  await app.user('root@example.com', { role: 'admin' });
  const admins = async () => (await app.db.all(sql`select 1 from app_user where email = ${seed_email}`)).length;
  expect(await admins()).toBe(1);
  const root = (await (await login('root@example.com', 'password of root@example.com')).json()) as {
    data: { access_token: string };
  };
  const id = (await app.db.one<{ id: string }>(sql`select id from app_user where email = ${seed_email}`))?.id ?? '';
  await app.as(root.data.access_token).call('users.remove', { params: { id } });
  expect(await seed(app.db, { password_hash: 'x', must_change: true, issueKey: async () => 'none' })).toBe(false);
  expect((await app.db.all(sql`select 1 from app_user where email = ${seed_email} and active`)).length).toBe(0);
  expect((await login(seed_email, 'gantry-admin', '127.0.0.1')).status).toBe(401);
});

describe('a token', () => {
  let kim: TestUser;
  let claims: Record<string, unknown>;
  beforeAll(async () => {
    kim = await app.user('kim@example.com');
    claims = JSON.parse(Buffer.from(kim.token.split('.')[1] ?? '', 'base64url').toString()) as typeof claims;
  });
  const encode = (value: object | string) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const sign = (body: string, key: string | Buffer) => createHmac('sha256', key).update(body).digest('base64url');
  const signed = async (more: Record<string, unknown> = {}) =>
    await new SignJWT({ ...claims, ...more })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(deriveKey(app.secret_key, 'access-token'));
  const now = Math.floor(Date.now() / 1000);

  test('with the right key and the right claims is accepted, so the next ones are refused for their fault', async () =>
    expect(await me(await signed())).toBe(200));

  test.each([
    ['no expiry', { exp: undefined }],
    ['a start in the future', { nbf: now + 3600 }],
    ['an issue in the future', { iat: now + 3600 }],
    ['an expiry that is not a number', { exp: 'never' }],
    ['no session', { jti: undefined }],
    ['an unknown session', { jti: randomUUID() }],
    ['SQL for a session', { jti: "' or '1'='1" }],
    ['SQL for a subject', { sub: "' or '1'='1" }],
    ['two other audiences', { aud: ['agents', 'agents/x'] }],
    ['another kind of principal', { kind: 'principal' }],
    ['an unknown kind', { kind: 'system' }],
  ])('with %s is refused', async (_, more) => {
    expect(await me(await signed(more))).toBe(401);
  });

  // Only the service's key verifies a token; the header's keys are ignored.
  test.each([
    ['a key of its own', { jwk: { kty: 'oct', k: encode('x'.repeat(32)) } }],
    ['an address of keys', { jku: 'http://127.0.0.1:1/keys' }],
    ['an address of certificates', { x5u: 'http://127.0.0.1:1/cert' }],
    ['a file for a key', { kid: '../../../../dev/null' }],
    ['SQL for a key', { kid: "x' union select 'a" }],
  ])('that brings %s is refused unless the service’s key signed it', async (_, header) => {
    for (const key of ['x'.repeat(32), '', 'a']) {
      const body = `${encode({ alg: 'HS256', typ: 'at+jwt', ...header })}.${encode(claims)}`;
      expect(await me(`${body}.${sign(body, key)}`)).toBe(401);
    }
  });

  test('with an unknown critical rule is refused, also with the right signature', async () => {
    const ours = deriveKey(app.secret_key, 'access-token');
    const known = `${encode({ alg: 'HS256', typ: 'at+jwt' })}.${encode(claims)}`;
    expect(await me(`${known}.${sign(known, ours)}`)).toBe(200);
    const critical = `${encode({ alg: 'HS256', typ: 'at+jwt', crit: ['rule'], rule: 1 })}.${encode(claims)}`;
    expect(await me(`${critical}.${sign(critical, ours)}`)).toBe(401);
  });

  test('signed by a key pair is refused, and so is one with a repeated claim', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const body = `${encode({ alg: 'RS256', typ: 'at+jwt' })}.${encode(claims)}`;
    expect(await me(`${body}.${createSign('sha256').update(body).sign(privateKey, 'base64url')}`)).toBe(401);
    const other = await app.user('kate@example.com');
    const [header = '', payload = '', signature = ''] = other.token.split('.');
    const twice = Buffer.from(payload, 'base64url')
      .toString()
      .replace('{', `{"sub":${JSON.stringify(claims['sub'])},`);
    expect(await me(other.token)).toBe(200);
    expect(await me(`${header}.${encode(twice)}.${signature}`)).toBe(401);
  });
});
