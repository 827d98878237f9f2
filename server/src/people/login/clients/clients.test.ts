// A program of others signs in with only an address: the official client, a real service, and the person's decision.
import { createHash, randomBytes } from 'node:crypto';
import { UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { contains, databaseAsText } from '../../../testing/database-as-text.ts';
import type { AuthorizationRequest } from '@gantry/contract/people/clients.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { connect, programOfOthers, signIn, type Kept } from '../../../testing/servers/oauth-client.ts';
import { forgetOldClients } from './forget-old.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
});
afterAll(async () => await app?.stop());

const at = (path: string) => app.url + path;
const tokenOf = ({ tokens }: Kept) => tokens?.access_token ?? '';
const ask = async (path: string, token: string, method = 'tools/list', params: object = {}) =>
  await fetch(at(path), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
const eventsOf = async () =>
  (await app.admin.client.call('audit.list', { query: { limit: 100 } })).items
    .map(({ event }) => event)
    .filter((event) => event.startsWith('client.'));

test('a client signs in from the bare address, calls a tool, refreshes, and ends when its person says so', async () => {
  const kept = programOfOthers();
  const client = await signIn(kept, at('/mcp'), ada.client);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('deploy');
  const { content } = await client.callTool({ name: 'list_agents', arguments: {} });
  expect(JSON.stringify(content)).toContain('items');
  await client.close();

  const [listed, ...others] = await ada.client.call('clients.list', {});
  expect(others).toEqual([]);
  expect(listed).toMatchObject({
    client_name: 'Coder',
    host: '127.0.0.1:49152',
    resource: at('/mcp'),
    scopes: ['read', 'change'],
  });
  expect(listed?.last_used_at).not.toBeNull();

  const before = tokenOf(kept);
  await app.moveClock('2 hours');
  expect((await ask('/mcp', before)).status).toBe(401);
  const again = await connect(kept, at('/mcp'));
  await again.close();
  expect(tokenOf(kept)).not.toBe(before);

  await ada.client.call('clients.remove', { params: { id: listed?.id ?? '' } });
  expect((await ask('/mcp', tokenOf(kept))).status).toBe(401);
  await expect(connect(kept, at('/mcp'))).rejects.toThrow(UnauthorizedError);
  expect(await ada.client.call('clients.list', {})).toEqual([]);
  expect((await eventsOf()).toSorted()).toEqual([
    'client.allowed',
    'client.revoked',
    'client.signed_in',
    'client.signed_in',
  ]);
});

const redirect_uri = 'http://127.0.0.1:49152/callback';
/** A request that is right, but for `more`. */
async function request(more: Partial<AuthorizationRequest> = {}, path = '/mcp') {
  const verifier = randomBytes(32).toString('base64url');
  const { client_id } = await register([redirect_uri]);
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const asked = {
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge,
    code_challenge_method: 'S256',
    resource: at(path),
    scope: '',
    state: 'mine',
    ...more,
  };
  return { verifier, client_id: asked.client_id, asked };
}

async function register(redirect_uris: string[]): Promise<{ client_id: string; status: number }> {
  const response = await fetch(at('/oauth/register'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Coder', redirect_uris }),
  });
  const { client_id = '' } = (await response.json()) as { client_id?: string };
  return { client_id, status: response.status };
}

const post = async (path: string, form: Record<string, string>) => {
  const response = await fetch(at(path), { method: 'POST', body: new URLSearchParams(form) });
  const answer = (await response.json()) as Record<string, string>;
  return { ...answer, status: response.status } as { status: number; access_token?: string; refresh_token?: string };
};

/** What the client gets back in the browser, and what it needs for the exchange. */
async function allowed(more: Partial<AuthorizationRequest> = {}, path = '/mcp') {
  const { verifier, client_id, asked } = await request(more, path);
  const { id } = await ada.client.call('clients.ask', { body: asked });
  const { address } = await ada.client.call('clients.decide', { params: { id }, body: { decision: 'allow' } });
  const back = new URL(address);
  const code = back.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier: verifier };
  return { back, form };
}
const exchange = async (form: Record<string, string>) => await post('/oauth/token', form);
const codeOf = async (work: Promise<unknown>) =>
  await work.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );

test('a bare request says where to sign in, and nothing about what exists', async () => {
  for (const path of ['/mcp', '/mcp/nothing-here', '/agents/nothing-here/mcp']) {
    const response = await ask(path, '');
    const metadata = at(`/.well-known/oauth-protected-resource${path}`);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`);
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: at(path),
      authorization_servers: [app.url],
    });
  }
});

test.each([
  ['another redirect address', { redirect_uri: 'https://elsewhere.example/callback' }, 'invalid_redirect_uri'],
  ['a redirect address with a script', { redirect_uri: 'javascript:alert(1)' }, 'invalid_redirect_uri'],
  ['a longer redirect address', { redirect_uri: `${redirect_uri}/more` }, 'invalid_redirect_uri'],
  ['no proof of its code', { code_challenge: '', code_challenge_method: 'plain' }, 'invalid'],
  ['a plain proof', { code_challenge_method: 'plain' }, 'invalid'],
  ['another response type', { response_type: 'token' }, 'invalid'],
  ['an address elsewhere', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ['the API', { resource: 'API' }, 'invalid_target'],
  ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
  ['a client that nobody knows', { client_id: 'c_nobody' }, 'invalid_client'],
  ['a client whose document is on this machine', { client_id: 'https://127.0.0.1/client.json' }, 'invalid_client'],
  ['a client whose document has no path', { client_id: 'https://client.example/' }, 'invalid_client'],
] as const)('a request with %s is refused before the person decides', async (_, more, code) => {
  const { asked } = await request({
    ...more,
    ...('resource' in more && more.resource === 'API' && { resource: at('/api/v1') }),
  });
  expect(await codeOf(ada.client.call('clients.ask', { body: asked }))).toBe(code);
});

test('a program on this machine comes back at any port', async () => {
  const { back } = await allowed({ redirect_uri: 'http://127.0.0.1:1234/callback' });
  expect(back.origin).toBe('http://127.0.0.1:1234');
  expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: 'mine', iss: app.url });
});

test('only the person in the session that opened the request decides it, once', async () => {
  const max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  const { asked } = await request();
  const { id } = await ada.client.call('clients.ask', { body: asked });
  const decide = async (by: TestUser['client'], decision: 'allow' | 'refuse') =>
    await codeOf(by.call('clients.decide', { params: { id }, body: { decision } }));
  expect(await decide(max.client, 'allow')).toBe('not_found');
  const { access_token } = await app.as('').call('auth.login', { body: { email: ada.email, password: ada.password } });
  const other_session = app.as(access_token);
  expect(await decide(other_session, 'allow')).toBe('not_found');
  expect(await decide(ada.client, 'refuse')).toBe('done');
  expect(await decide(ada.client, 'allow')).toBe('not_found');
});

test.each([
  ['another proof', { code_verifier: randomBytes(32).toString('base64url') }],
  ['another client', { client_id: 'c_other' }],
  ['another redirect address', { redirect_uri: 'http://127.0.0.1:1/callback' }],
])('a code that comes with %s ends what it was for', async (_, more) => {
  const { form } = await allowed();
  expect(await exchange({ ...form, ...more })).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(await exchange(form)).toMatchObject({ status: 400, error: 'invalid_grant' });
});

test('a code and a refresh token work once, and a second use ends all tokens', async () => {
  const { form } = await allowed();
  const first = await exchange(form);
  expect((await ask('/mcp', first.access_token ?? '')).status).toBe(200);
  expect(await exchange(form)).toMatchObject({ error: 'invalid_grant' });
  expect((await ask('/mcp', first.access_token ?? '')).status).toBe(401);

  const { form: other } = await allowed();
  const begun = await exchange(other);
  const { client_id } = other;
  const refresh = { grant_type: 'refresh_token', client_id, refresh_token: begun.refresh_token ?? '' };
  const second = await exchange(refresh);
  expect((await ask('/mcp', second.access_token ?? '')).status).toBe(200);
  expect(await exchange(refresh)).toMatchObject({ error: 'invalid_grant' });
  expect((await ask('/mcp', second.access_token ?? '')).status).toBe(401);
});

test('a token counts at its own address, and neither at another one nor at the API', async () => {
  const { form } = await allowed({}, '/mcp/files');
  const token = (await exchange(form)).access_token ?? '';
  // Whether there is a server is said to who may know it: nobody is refused for the token.
  expect((await ask('/mcp/files', token)).status).not.toBe(401);
  for (const path of ['/mcp', '/mcp/others', '/agents/files/mcp']) expect((await ask(path, token)).status).toBe(401);
  const headers = { authorization: `Bearer ${token}` };
  for (const path of ['/api/v1/auth/me', '/api/v1/clients'])
    expect((await fetch(at(path), { headers })).status).toBe(401);
});

test('a client does no more than its scopes, and what its person may do at that moment', async () => {
  const { form } = await allowed({ scope: 'read' });
  const token = (await exchange(form)).access_token ?? '';
  const listed = JSON.stringify(await (await ask('/mcp', token)).text());
  expect(listed).toContain('list_agents');
  expect(listed).not.toContain('stop_agent');
  const refused = await ask('/mcp', token, 'tools/call', {
    name: 'stop_agent',
    arguments: { name: 'keeper', confirm: 'keeper' },
  });
  expect(refused.status).toBe(403);
  expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  const wider = { grant_type: 'refresh_token', client_id: form.client_id, scope: 'change' };
  const again = (await exchange((await allowed({ scope: 'read' })).form)).refresh_token ?? '';
  expect(await exchange({ ...wider, refresh_token: again })).toMatchObject({ status: 400 });
});

test('a person who is no longer active has no client any more', async () => {
  const eve = await app.user('eve@example.com', { teams: { ml: 'viewer' } });
  const { verifier, client_id, asked } = await request();
  const { id } = await eve.client.call('clients.ask', { body: asked });
  const { address } = await eve.client.call('clients.decide', { params: { id }, body: { decision: 'allow' } });
  const code = new URL(address).searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier: verifier };
  const token = (await exchange(form)).access_token ?? '';
  expect((await ask('/mcp', token)).status).toBe(200);
  const row = await app.db.one<{ id: string }>(sql`select id from app_user where email = 'eve@example.com'`);
  await app.admin.client.call('users.update', { params: { id: row?.id ?? '' }, body: { active: false } });
  expect((await ask('/mcp', token)).status).toBe(401);
});

test('the database has no code and no token in clear', async () => {
  const { form } = await allowed();
  const tokens = await exchange(form);
  const dump = [...(await databaseAsText(app.db)).values()];
  for (const secret of [form.code, tokens.access_token ?? 'none', tokens.refresh_token ?? 'none'])
    expect(dump.some((text) => contains(text, secret))).toBe(false);
});

test('registrations of one network are limited, and one that nobody allows is forgotten', async () => {
  const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await register([redirect_uri])).status));
  expect(statuses).toContain(429);
  await app.moveClock('30 hours');
  await forgetOldClients(app.db);
  const rows = await app.db.all<{ id: string }>(sql`select id from oauth_client where not is_allowed`);
  expect(rows).toEqual([]);
});
