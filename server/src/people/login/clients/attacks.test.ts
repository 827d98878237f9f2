// One walk through the attacks on an authorization server (RFC 9700), each beside what is allowed.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuthorizationRequest } from '@gantry/contract/people/clients.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../../ground/database/sql.ts';
import { openOutbound, type Outbound } from '../../../ground/outbound/outbound.ts';
import { contains, databaseAsText } from '../../../testing/database-as-text.ts';
import { askMcp, redirect_uri } from '../../../testing/servers/oauth-client.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { forgetOldClients } from './forget-old.ts';
import { findClient } from './find-client.ts';
import { isRegistered } from './redirect-uri.ts';

let app: TestApp;
let ada: TestUser;
let bob: TestUser;
let client_id: string;
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
  client_id = await register();
});
afterAll(async () => await app?.stop());

const registering = async (uri: string) => {
  const answer = await fetch(`${app.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [uri],
      client_name: 'Coder',
      scope: 'everything',
      grant_types: ['password'],
    }),
  });
  return { status: answer.status, ...((await answer.json()) as { client_id?: string; error?: string }) };
};
const register = async () => (await registering(redirect_uri)).client_id ?? '';

const verifier = randomBytes(32).toString('base64url');
const code_challenge = createHash('sha256').update(verifier).digest('base64url');
const request = (more: Partial<AuthorizationRequest> = {}): AuthorizationRequest => ({
  response_type: 'code',
  client_id,
  redirect_uri,
  code_challenge,
  code_challenge_method: 'S256',
  resource: `${app.url}/mcp`,
  scope: '',
  ...more,
});
const ask = async (more: Partial<AuthorizationRequest> = {}, by = ada) =>
  await by.client.call('clients.ask', { body: request(more) });
const allowed = async (more: Partial<AuthorizationRequest> = {}) => {
  const { id } = await ask(more);
  const { address } = await ada.client.call('clients.decide', { params: { id }, body: { decision: 'allow' } });
  return new URL(address);
};
const codeOf = async (more: Partial<AuthorizationRequest> = {}) => (await allowed(more)).searchParams.get('code') ?? '';

interface Answered {
  status: number;
  error?: string;
  access_token?: string;
  refresh_token?: string;
  scope?: string;
}
async function send(path: 'token' | 'revoke', fields: Record<string, string>): Promise<Answered> {
  const answer = await fetch(`${app.url}/oauth/${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return { status: answer.status, ...((await answer.json()) as object) };
}
const exchange = async (code: string, more: Record<string, string> = {}) =>
  await send('token', {
    grant_type: 'authorization_code',
    code,
    client_id,
    redirect_uri,
    code_verifier: verifier,
    ...more,
  });
const refresh = async (token = '', more: Record<string, string> = {}) =>
  await send('token', { grant_type: 'refresh_token', refresh_token: token, client_id, ...more });
const statusAt = async (path: string, token = '') => (await askMcp(app.url + path, token)).status;

const codeOfRefusal = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Problem)) throw error;
  return error.code;
};
const grants = async () => (await ada.client.call('clients.list', {})).length;

test('a request without a token learns where to sign in, and not whether an agent or a server exists', async () => {
  for (const [path, scope] of [
    ['/mcp', 'read change'],
    ['/mcp/nothing', 'tools'],
    ['/agents/nothing/mcp', 'tools'],
  ] as const)
    for (const token of [undefined, 'gct_a.b.c', 'a.b.c']) {
      const answer = await askMcp(app.url + path, token);
      const metadata = `${app.url}/.well-known/oauth-protected-resource${path}`;
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer resource_metadata="${metadata}", scope="${scope}"`,
      ]);
      const told = (await (await fetch(metadata)).json()) as object;
      expect(told).toMatchObject({ resource: app.url + path, authorization_servers: [app.url] });
    }
  const server = await app.anonymous.call('clients.metadata', {});
  expect(server).toMatchObject({
    issuer: app.url,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });
});

test('a browser is sent to a registered address alone, and nowhere before the decision', async () => {
  expect(await ask()).toMatchObject({ host: '127.0.0.1:49152' });
  for (const uri of [
    'http://127.0.0.1:49152/other',
    'https://evil.example/callback',
    `${redirect_uri}?more`,
    'http://localhost:49152/callback',
  ])
    expect([uri, await codeOfRefusal(ask({ redirect_uri: uri }))]).toEqual([uri, 'invalid_redirect_uri']);
  expect(await codeOfRefusal(ask({ client_id: 'c_of_nobody' }))).toBe('invalid_client');
  for (const uri of [
    'http://evil.example/',
    'javascript://%0aalert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://a@b.example/',
    `${redirect_uri}#x`,
    '//x',
  ])
    expect(await registering(uri)).toMatchObject({ status: 400, error: 'invalid_redirect_uri' });
  expect(isRegistered(['http://127.0.0.1/callback'], 'http://127.0.0.1:5000/callback')).toBe(true);
  expect(isRegistered(['https://a.example/callback'], 'https://a.example:5000/callback')).toBe(false);
});

test('a code is given for a proof with S256 alone, and is exchanged by its client with this proof', async () => {
  for (const more of [{ code_challenge: '' }, { code_challenge_method: 'plain' }, { response_type: 'token' }])
    expect(await codeOfRefusal(ask(more))).toBe('invalid');
  expect(await exchange(await codeOf())).toMatchObject({ status: 200, scope: 'read change' });
  const another = await register();
  const before = await grants();
  const wrongs: Record<string, string>[] = [
    { code_verifier: 'a'.repeat(43) },
    { client_id: another },
    { redirect_uri: 'http://127.0.0.1:1/callback' },
  ];
  for (const wrong of wrongs) {
    const code = await codeOf();
    expect(await exchange(code, wrong)).toMatchObject({ status: 400, error: 'invalid_grant' });
    // It was used up.
    expect(await exchange(code)).toMatchObject({ status: 400, error: 'invalid_grant' });
  }
  expect(await exchange(await codeOf(), { code_verifier: '' })).toMatchObject({
    status: 400,
    error: 'invalid_request',
  });
  expect(await exchange(await codeOf(), { grant_type: 'password' })).toMatchObject({ error: 'unsupported_grant_type' });
  // The last two codes are still good for a minute.
  expect(await grants()).toBe(before + 2);
});

test('a code that comes a second time ends what it gave', async () => {
  const code = await codeOf();
  const { access_token = '' } = await exchange(code);
  expect(await statusAt('/mcp', access_token)).toBe(200);
  expect(await exchange(code)).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(await statusAt('/mcp', access_token)).toBe(401);
});

test('a refresh token works once: a second use ends the grant, also of two at once', async () => {
  const first = await exchange(await codeOf());
  const second = await refresh(first.refresh_token);
  expect(second.status).toBe(200);
  expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(await statusAt('/mcp', second.access_token)).toBe(401);
  expect(await refresh(second.refresh_token)).toMatchObject({ status: 400 });
  const other = await exchange(await codeOf());
  const both = await Promise.all([refresh(other.refresh_token), refresh(other.refresh_token)]);
  expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
});

test('a token counts at its address alone, and at no part of the API', async () => {
  const { access_token, refresh_token } = await exchange(await codeOf({ resource: `${app.url}/mcp/files` }));
  for (const path of ['/mcp', '/mcp/other', '/agents/files/mcp'])
    expect([path, await statusAt(path, access_token)]).toEqual([path, 401]);
  // The person has no such server, so the address itself has answered.
  expect(await statusAt('/mcp/files', access_token)).toBe(404);
  expect(await codeOfRefusal(app.as(access_token ?? '').call('auth.me', {}))).toBe('unauthenticated');
  expect(await refresh(refresh_token, { resource: `${app.url}/mcp` })).toMatchObject({ error: 'invalid_target' });
  for (const resource of [
    '',
    app.url,
    `${app.url}/api/v1`,
    'https://other.example/mcp',
    `${app.url}.evil.example/mcp`,
    `${app.url}/mcp/`,
  ])
    expect([resource, await codeOfRefusal(ask({ resource }))]).toEqual([resource, 'invalid_target']);
});

test('a client gets no more than its scopes, and cannot get more by a refresh', async () => {
  const { id } = await ask();
  const chosen = { decision: 'allow' as const, scopes: ['read' as const] };
  const { address } = await ada.client.call('clients.decide', { params: { id }, body: chosen });
  const { access_token, refresh_token, scope } = await exchange(new URL(address).searchParams.get('code') ?? '');
  expect(scope).toBe('read');
  const listed = await (await askMcp(`${app.url}/mcp`, access_token)).text();
  expect([listed.includes('"list_agents"'), listed.includes('"deploy"')]).toEqual([true, false]);
  const call = async (name: string) =>
    await askMcp(`${app.url}/mcp`, access_token, { method: 'tools/call', params: { name, arguments: {} } });
  expect((await call('list_agents')).status).toBe(200);
  const refused = await call('deploy');
  expect(refused.status).toBe(403);
  expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  expect(await refresh(refresh_token, { scope: 'change' })).toMatchObject({ error: 'invalid_scope' });
  expect(await refresh(refresh_token, { scope: 'read change' })).toMatchObject({ status: 200, scope: 'read' });
  expect(await codeOfRefusal(ask({ resource: `${app.url}/mcp/files`, scope: 'change' }))).toBe('invalid_scope');
});

test('only the person and the session that opened a request decide it, once, and the answer names its issuer', async () => {
  const { id } = await ask({ state: 'of the client' });
  const decide = async (by: TestUser['client'], decision: 'allow' | 'refuse' = 'allow') =>
    await by.call('clients.decide', { params: { id }, body: { decision } });
  const { access_token } = await app.anonymous.call('auth.login', {
    body: { email: ada.email, password: ada.password },
  });
  for (const by of [bob.client, app.as(access_token), app.admin.client])
    expect(await codeOfRefusal(decide(by))).toBe('not_found');
  const { searchParams } = new URL((await decide(ada.client, 'refuse')).address);
  expect(Object.fromEntries(searchParams)).toEqual({ error: 'access_denied', state: 'of the client', iss: app.url });
  expect(await codeOfRefusal(decide(ada.client))).toBe('not_found');
  const [listed] = await ada.client.call('clients.list', {});
  expect(await codeOfRefusal(bob.client.call('clients.remove', { params: { id: listed?.id ?? '' } }))).toBe(
    'not_found',
  );
  expect((await allowed()).searchParams.get('iss')).toBe(app.url);
});

test('a page of another site cannot decide with the cookie of the person', async () => {
  const signedIn = await fetch(`${app.url}/api/v1/auth/browser-session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url },
    body: JSON.stringify({ email: ada.email, password: ada.password }),
  });
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  const sent = async (path: string, origin: string, body: object) =>
    await fetch(`${app.url}/api/v1/clients/asks${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, origin },
      body: JSON.stringify(body),
    });
  const asked = await sent('', app.url, request());
  const { id } = ((await asked.json()) as { data: { id: string } }).data;
  expect((await sent(`/${id}/decide`, 'https://evil.example', { decision: 'allow' })).status).toBe(403);
  expect((await sent(`/${id}/decide`, app.url, { decision: 'allow' })).status).toBe(200);
});

test.each([
  'https://127.0.0.1/client.json',
  'https://10.0.0.1/client.json',
  'https://169.254.169.254/client.json',
  'https://[::1]/client.json',
  'https://localhost/client.json',
  'https://a@example.com/client.json',
  'https://example.com/',
  'https://example.com/a/../client.json',
])('the client id %s leads the service to no address of its networks', async (id) => {
  expect(await codeOfRefusal(ask({ client_id: id }))).toBe('invalid_client');
});

test('a document of a client is taken as its address has it: of this id, public, small, and not elsewhere', async () => {
  const id = 'https://client.example/client.json';
  const good = { client_id: id, client_name: 'Coder', redirect_uris: [redirect_uri] };
  const read = async (body: string, statusCode = 200) => {
    const answering = { ...openOutbound({ private_hosts: [] }) };
    // Only what is read of an answer.
    answering.request = (async () =>
      await Promise.resolve({
        statusCode,
        body: Readable.from([Buffer.from(body)]),
      })) as unknown as Outbound['request'];
    return await findClient({ db: app.db, outbound: answering }, id);
  };
  expect(await read(JSON.stringify(good))).toEqual({ id, name: 'Coder', redirect_uris: [redirect_uri] });
  for (const [body, status] of [
    [JSON.stringify({ ...good, client_id: 'https://other.example/client.json' })],
    [JSON.stringify({ ...good, token_endpoint_auth_method: 'client_secret_basic' })],
    [JSON.stringify({ ...good, more: 'x'.repeat(17 * 1024) })],
    ['no JSON'],
    [JSON.stringify(good), 302],
    [JSON.stringify(good), 404],
  ] as const)
    expect([body.slice(0, 80), await codeOfRefusal(read(body, status))]).toEqual([body.slice(0, 80), 'invalid_client']);
});

test('a user who is blocked, changes the password, or signs out everywhere, is out with every client', async () => {
  const carl = await app.user('carl@example.com', { teams: { ml: 'viewer' } });
  const signedIn = async (by: TestUser['client']) => {
    const { id } = await by.call('clients.ask', { body: request() });
    const { address } = await by.call('clients.decide', { params: { id }, body: { decision: 'allow' } });
    return await exchange(new URL(address).searchParams.get('code') ?? '');
  };
  const isOut = async ({ access_token, refresh_token }: Answered) =>
    expect([await statusAt('/mcp', access_token), (await refresh(refresh_token)).status]).toEqual([401, 400]);
  const first = await signedIn(carl.client);
  expect(await statusAt('/mcp', first.access_token)).toBe(200);
  const next = 'another long secret of carl';
  await carl.client.call('auth.change_password', { body: { old_password: carl.password, new_password: next } });
  await isOut(first);
  const second = await signedIn(carl.client);
  await carl.client.call('auth.revoke', { body: { all: true } });
  await isOut(second);
  const { access_token } = await app.anonymous.call('auth.login', { body: { email: carl.email, password: next } });
  const third = await signedIn(app.as(access_token));
  const users = await app.admin.client.call('users.list', { query: { limit: 100 } });
  const id = users.items.find(({ email }) => email === carl.email)?.id ?? '';
  await app.admin.client.call('users.update', { params: { id }, body: { active: false } });
  await isOut(third);
});

test('a client ends its own grant, and not that of another client', async () => {
  const { access_token, refresh_token = '' } = await exchange(await codeOf());
  expect((await send('revoke', { token: refresh_token, client_id: 'c_other' })).status).toBe(200);
  expect((await send('revoke', { token: 'of nobody', client_id })).status).toBe(200);
  expect(await statusAt('/mcp', access_token)).toBe(200);
  expect((await send('revoke', { token: refresh_token, client_id })).status).toBe(200);
  expect(await statusAt('/mcp', access_token)).toBe(401);
});

test('no code and no token is in the database', async () => {
  const code = await codeOf();
  const { access_token = '', refresh_token = '' } = await exchange(code);
  const tables = [...(await databaseAsText(app.db)).values()];
  const isThere = (word: string) => tables.some((text) => contains(text, word));
  expect([client_id, code, access_token, refresh_token].map(isThere)).toEqual([true, false, false, false]);
});

test('a flood of registrations ends at a limit, and those that nobody allows are forgotten', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, async () => await registering(redirect_uri)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]));
  const count = async () =>
    (await app.db.one<{ count: number }>(sql`select count(*)::int as count from oauth_client where not is_allowed`))
      ?.count;
  expect(await count()).toBe(30);
  await app.moveClock('25 hours');
  await forgetOldClients(app.db);
  expect(await count()).toBe(0);
});
