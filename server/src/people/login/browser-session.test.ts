// The session of a browser, and the attempts of other pages, services and machines to use it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { installationId } from '../principals/find.ts';
import { ask, askToSignIn, of_own_page, signInBrowser } from '../../testing/browser.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

const over_https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7', host: 'gantry.example.com' };
const me = '/api/v1/auth/me';
let app: TestApp;
/** Behind a trusted proxy. */
let proxied: TestApp;
let ada: TestUser;
let bob: TestUser;
let cookie: string;
let secure_cookie: string;
beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com');
  cookie = await signInBrowser(app.url, ada);
  proxied = await testApp({ config: { trusted_proxies: ['127.0.0.1'], base_url: 'https://gantry.example.com:8443' } });
  bob = await proxied.user('bob@example.com');
  secure_cookie = await signInBrowser(proxied.url, bob, { ...of_own_page, ...over_https });
});
afterAll(async () => {
  await app?.stop();
  await proxied?.stop();
});

const codeOf = ({ status, body }: { status: number | undefined; body: Buffer }) => [
  status,
  body.length === 0 ? undefined : (JSON.parse(String(body)) as { code?: string }).code,
];
const get = async (headers: Record<string, string>, path = me) => codeOf(await ask(app.url, path, { headers }));
const write = async (headers: Record<string, string>) =>
  codeOf(
    await ask(app.url, '/api/v1/notifications/read', {
      method: 'POST',
      headers,
      body: { ids: ['00000000-0000-4000-8000-000000000000'] },
    }),
  );
const behindProxy = async (headers: Record<string, string>) => codeOf(await ask(proxied.url, me, { headers }));
const own = () => new URL(app.url).origin;

test('a browser signs in like a program, and gets a cookie instead of a token', async () => {
  const { status, headers, body } = await askToSignIn(app.url, ada);
  const { data } = JSON.parse(String(body)) as { data: object };
  expect([status, Object.keys(data).toSorted()]).toEqual([200, ['expires_at', 'must_change_password', 'waiting_keys']]);
  const [pair = '', ...attributes] = headers['set-cookie']?.[0]?.split('; ') ?? [];
  expect(pair.split('=')[0]).toBe(`gantry-${await installationId(app.db)}`);
  expect(attributes).toEqual(['Path=/', 'Max-Age=86400', 'HttpOnly', 'SameSite=Strict']);
  expect(String(body)).not.toContain(pair.split('=')[1]);
  const { items } = await app.admin.client.call('audit.list', { query: { user: ada.email, limit: 2 } });
  expect(items.map(({ event }) => event)).toEqual(['token.issued', 'login.succeeded']);
});

test('over https the cookie is of this host alone', async () => {
  const { headers } = await askToSignIn(proxied.url, bob, { ...of_own_page, ...over_https });
  const [pair = '', ...attributes] = headers['set-cookie']?.[0]?.split('; ') ?? [];
  expect(pair.split('=')[0]).toBe(`__Host-gantry-${await installationId(proxied.db)}`);
  expect(attributes).toEqual(['Path=/', 'Max-Age=86400', 'HttpOnly', 'SameSite=Strict', 'Secure']);
  expect(await behindProxy({ ...of_own_page, ...over_https, cookie: secure_cookie })).toEqual([200, undefined]);
});

test('a wrong password is refused, counted and recorded as for a program, and sets no cookie', async () => {
  const eve = await app.user('eve@example.com');
  const guess = { email: eve.email, password: 'a guess' };
  for (let n = 0; n < 10; n++) {
    const { status, headers } = await askToSignIn(app.url, guess);
    expect([status, headers['set-cookie']]).toEqual([401, undefined]);
  }
  expect(codeOf(await askToSignIn(app.url, eve))).toEqual([429, 'rate_limited']);
  const login = app.anonymous.call('auth.login', { body: { email: eve.email, password: eve.password } });
  await expect(login).rejects.toMatchObject({ code: 'rate_limited' });
  const { items } = await app.admin.client.call('audit.list', { query: { action: 'login.failed' } });
  expect(items.filter(({ actor }) => actor.name === eve.email)).toHaveLength(11);
});

test('a sign-in from a page of another site is refused', async () => {
  expect((await askToSignIn(app.url, ada)).status).toBe(200);
  for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example.com' }])
    expect(codeOf(await askToSignIn(app.url, ada, headers as Record<string, string>))).toEqual([403, 'cross_site']);
});

describe('only a page of the service uses the cookie:', () => {
  const allowed: [string, () => Record<string, string>][] = [
    ['a script of it', () => of_own_page],
    ['one in a browser without Sec-Fetch-Site', () => ({ origin: own() })],
    ['one that sends both headers', () => ({ ...of_own_page, origin: own() })],
  ];
  test.each(allowed)('%s reads and writes', async (_, headers) => {
    expect(await get({ cookie, ...headers() })).toEqual([200, undefined]);
    expect((await write({ cookie, ...headers() }))[0]).toBe(200);
  });

  const refused: [string, () => Record<string, string>][] = [
    ['no header names the page', () => ({})],
    ['a page of another site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['a page of another port of this host', () => ({ 'sec-fetch-site': 'same-site' })],
    ['an address that a person typed', () => ({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })],
    ['a link in the console', () => ({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' })],
    ['another origin', () => ({ origin: 'https://evil.example.com' })],
    ['an origin that starts the same', () => ({ origin: `${own()}.evil.example.com` })],
    ['an origin of another port', () => ({ origin: 'http://127.0.0.1:1' })],
    ['an origin of another scheme', () => ({ origin: own().replace('http', 'https') })],
    ['an opaque origin', () => ({ origin: 'null' })],
    ['another origin, beside the right site', () => ({ ...of_own_page, origin: 'https://evil.example.com' })],
    ['another site, beside the right origin', () => ({ 'sec-fetch-site': 'cross-site', origin: own() })],
    ['two sites in one header', () => ({ 'sec-fetch-site': 'same-origin, cross-site' })],
  ];
  test.each(refused)('%s is refused', async (_, headers) => {
    expect(await get({ cookie, ...headers() })).toEqual([403, 'cross_site']);
    expect(await write({ cookie, ...headers() })).toEqual([403, 'cross_site']);
  });

  test('a refusal is the same for every cookie, leaves the cookie in the browser, and is recorded', async () => {
    const name = cookie.split('=')[0];
    const answers = [];
    for (const sent of [cookie, `${name}=garbage.garbage.garbage`, `${name}=`]) {
      const { status, headers, body } = await ask(app.url, me, { headers: { cookie: sent } });
      expect(headers['set-cookie']).toBeUndefined();
      answers.push({ status, ...(JSON.parse(String(body)) as object), request_id: '' });
    }
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(await get({ cookie, ...of_own_page })).toEqual([200, undefined]);
    const { items } = await app.admin.client.call('audit.list', { query: { action: 'refused', limit: 100 } });
    expect(items.map(({ detail }) => detail)).toContainEqual(
      expect.objectContaining({ operation: 'session.read', code: 'cross_site' }),
    );
  });
});

describe('plain http is only for this machine:', () => {
  const plain = { 'x-forwarded-proto': 'http', 'x-forwarded-for': '203.0.113.7' };
  test('a sign-in and a cookie from another machine are refused', async () => {
    expect((await askToSignIn(proxied.url, bob)).status).toBe(200);
    expect(codeOf(await askToSignIn(proxied.url, bob, { ...of_own_page, ...plain }))).toEqual([403, 'https_required']);
    const local = await signInBrowser(proxied.url, bob);
    expect(await behindProxy({ ...of_own_page, cookie: local })).toEqual([200, undefined]);
    expect(await behindProxy({ ...of_own_page, ...plain, cookie: local })).toEqual([403, 'https_required']);
  });

  test.each(['attacker.example:4000', 'localhost.attacker.example', '127.0.0.1.attacker.example', '[::2]'])(
    'the page of %s, a name that leads to this machine, is not from this machine',
    async (host) => {
      const headers = { host, origin: `http://${host}` };
      expect(codeOf(await askToSignIn(app.url, ada, headers))).toEqual([403, 'https_required']);
      expect(await get({ ...headers, cookie })).toEqual([403, 'https_required']);
    },
  );

  test.each(['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via'])(
    '%s of an unknown proxy proves no https',
    async (header) => {
      const headers = { ...of_own_page, [header]: 'https' };
      expect(codeOf(await askToSignIn(app.url, ada, headers))).toEqual([403, 'https_required']);
      expect(await get({ ...headers, cookie })).toEqual([403, 'https_required']);
    },
  );
});

test('over https the plain cookie is ignored, and the other way round', async () => {
  const local = await signInBrowser(proxied.url, bob);
  expect(await behindProxy({ ...of_own_page, ...over_https, cookie: local })).toEqual([401, 'unauthenticated']);
  expect(await behindProxy({ ...of_own_page, cookie: secure_cookie })).toEqual([401, 'unauthenticated']);
});

test('behind a proxy, the origin is the one of the request or of BASE_URL', async () => {
  const sent = async (origin: string) => await behindProxy({ ...over_https, cookie: secure_cookie, origin });
  expect(await sent('https://gantry.example.com')).toEqual([200, undefined]);
  expect(await sent('https://gantry.example.com:8443')).toEqual([200, undefined]);
  expect(await sent('http://gantry.example.com')).toEqual([403, 'cross_site']);
  expect(await sent('https://gantry.example.com:9443')).toEqual([403, 'cross_site']);
});

test('cookies of other services and of other installations are ignored', async () => {
  const token = cookie.split('=')[1];
  const others = `theme=dark; gantry-00000000-0000-4000-8000-000000000000=${token}; __Host-${cookie}; x${cookie}`;
  expect(await get({ ...of_own_page, cookie: others })).toEqual([401, 'unauthenticated']);
  expect(await get({ ...of_own_page, cookie: `${others}; ${cookie}; a=b` })).toEqual([200, undefined]);
  // A program's request has no page, and its other cookies do not matter.
  expect(await get({ cookie: others, authorization: `Bearer ${ada.token}` })).toEqual([200, undefined]);
});

test('a cookie and a bearer token together, or two cookies, are refused', async () => {
  const authorization = `Bearer ${ada.token}`;
  expect(await get({ ...of_own_page, cookie, authorization })).toEqual([400, 'malformed']);
  expect(await get({ ...of_own_page, cookie: `${cookie}; ${cookie}` })).toEqual([400, 'malformed']);
});

test('a cookie’s token is no bearer token, and a bearer token is no cookie', async () => {
  const [name = '', in_cookie = ''] = cookie.split('=');
  const asBearer = async (token: string, path = me) => await get({ authorization: `Bearer ${token}` }, path);
  const asCookie = async (token: string, path = me) => await get({ ...of_own_page, cookie: `${name}=${token}` }, path);
  // A token is remembered after its first use; the second round meets the remembered one.
  for (const _ of ['first use', 'remembered'])
    for (const [path, answer] of [
      [me, [200, undefined]],
      ['/agents/nothing/input', [404, 'not_found']],
    ] as const) {
      expect(await asCookie(in_cookie, path)).toEqual(answer);
      expect(await asBearer(ada.token, path)).toEqual(answer);
      expect(await asBearer(in_cookie, path)).toEqual([401, 'unauthenticated']);
      expect(await asCookie(ada.token, path)).toEqual([401, 'unauthenticated']);
    }
});

test('the gateway takes no cookie', async () => {
  const headers = { ...of_own_page, cookie };
  expect(await get(headers)).toEqual([200, undefined]);
  expect((await ask(app.url, '/v1/models', { headers })).status).toBe(401);
});

test('the ingress takes the cookie', async () => {
  const path = '/agents/nothing/input';
  expect(await get({ ...of_own_page, cookie }, path)).toEqual([404, 'not_found']);
  expect(await get({ cookie }, path)).toEqual([403, 'cross_site']);
});

test('a sign-out ends the session on the server and clears its cookie', async () => {
  const session = await signInBrowser(app.url, ada);
  expect(await get({ ...of_own_page, cookie: session })).toEqual([200, undefined]);
  const headers = { ...of_own_page, cookie: session };
  const revoked = await ask(app.url, '/api/v1/auth/revoke', { method: 'POST', headers, body: {} });
  const name = session.split('=')[0];
  expect([revoked.status, revoked.headers['set-cookie']]).toEqual([
    204,
    [`${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`],
  ]);
  const after = await ask(app.url, me, { headers });
  expect([codeOf(after), after.headers['set-cookie']]).toEqual([[401, 'unauthenticated'], undefined]);
  // Not the other sessions of the account.
  expect(await get({ ...of_own_page, cookie })).toEqual([200, undefined]);
});

test('a program’s sign-out sets no cookie', async () => {
  const { token } = await app.user('pat@example.com');
  const headers = { authorization: `Bearer ${token}` };
  const revoked = await ask(app.url, '/api/v1/auth/revoke', { method: 'POST', headers, body: {} });
  expect([revoked.status, revoked.headers['set-cookie']]).toEqual([204, undefined]);
});

test('a cookie works for 24 hours, and a flagged account can only change its password with it', async () => {
  const flo = await app.user('flo@example.com', { must_change: true });
  const { headers: set, body } = await askToSignIn(app.url, flo);
  expect(JSON.parse(String(body))).toMatchObject({ data: { must_change_password: true } });
  const headers = { ...of_own_page, cookie: set['set-cookie']?.[0]?.split(';')[0] ?? '' };
  const teams = async () => await get(headers, '/api/v1/teams');
  expect(await teams()).toEqual([200, undefined]);
  await app.settings({ enforce_password_change: true });
  expect(await teams()).toEqual([403, 'password_change_required']);
  const new_password = 'a new one of mine';
  const changed = { method: 'POST', headers, body: { old_password: flo.password, new_password } };
  expect((await ask(app.url, '/api/v1/auth/change-password', changed)).status).toBe(200);
  expect(await teams()).toEqual([200, undefined]);
  await app.settings({ enforce_password_change: false });
  await app.moveClock('25 hours');
  expect(await teams()).toEqual([401, 'unauthenticated']);
  await app.moveClock('0');
});

test('a disabled account’s cookie ends at once', async () => {
  const gus = await app.user('gus@example.com');
  const headers = { ...of_own_page, cookie: await signInBrowser(app.url, gus) };
  expect(await get(headers)).toEqual([200, undefined]);
  await app.governed(sql`update app_user set active = false where email = ${gus.email} returning id`);
  expect(await get(headers)).toEqual([401, 'unauthenticated']);
});
