// People sign in at an authorization server of others, and agents call its MCP server in their name.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { openDatabase } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { openEnvelope } from '../../../ground/envelope/envelope.ts';
import { openOutbound } from '../../../ground/outbound/outbound.ts';
import { toolStage, type ToolStage } from '../../../testing/agents/tool-stage.ts';
import { contains, databaseAsText } from '../../../testing/database-as-text.ts';
import { textTool } from '../../../testing/servers/mcp-server.ts';
import { oauthServerOfTest, type OAuthServerOfTest } from '../../../testing/servers/oauth-server.ts';
import type { TestUser } from '../../../testing/test-app.ts';
import type { ConnectionParts } from '../parts.ts';
import { askedServer } from '../server-as-user.ts';
import { clientFor } from './client.ts';
import type { Authorization } from './discover.ts';
import { userCredential } from '../user-credential.ts';

let stage: ToolStage;
let oauth: OAuthServerOfTest;
let bob: TestUser;
beforeAll(async () => {
  stage = await toolStage({
    tools: [textTool('send', 'Sends', () => 'sent')],
    config: { as: 'user' },
    prepare: async (client, upstream) => {
      oauth = await oauthServerOfTest(upstream);
      await finish(client, await visit(client));
    },
  });
  bob = await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } });
});
afterAll(async () => {
  await stage?.close();
  await oauth?.close();
});
beforeEach(() => {
  oauth.asked = [];
  oauth.named.splice(0, oauth.named.length, oauth.issuer);
});

type Client = TestUser['client'];

async function begin(client: Client): Promise<string> {
  const { id } = await client.call('connections.ask', { params: { name: 'city' } });
  return (await client.call('connections.begin', { params: { id } })).address;
}
const visit = async (client: Client) => await oauth.visit(await begin(client));
async function finish(client: Client, back: URL, more: Record<string, string> = {}) {
  const server = back.pathname.split('/').at(-1) ?? '';
  const given = { ...Object.fromEntries(back.searchParams), ...more } as { state: string; code: string; iss: string };
  return await client.call('connections.finish', { body: { server, ...given } });
}
const problemOf = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Problem)) throw error;
  return { code: error.code, detail: error.detail };
};
const rowOf = async () =>
  await stage.app.db.one<{ id: string; server_id: string; user_id: string }>(
    sql`select id, server_id, user_id from user_connection where user_id = ${stage.ada_id}`,
  );
const allow = async () => {
  const { asks } = await stage.ada.client.call('connections.show', {});
  const id = asks.find(({ agent }) => agent !== null)?.id ?? '';
  await stage.ada.client.call('connections.decide', { params: { id }, body: { decision: 'allow' } });
};
const sent = () => stage.upstream.seen.map(({ authorization }) => authorization?.replace('Bearer ', '') ?? '');

test('a person signs in with PKCE at the server of others, and an agent calls with their token', async () => {
  const address = new URL(await begin(stage.ada.client));
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: stage.upstream.url,
    redirect_uri: `${stage.app.url}/connections/callback/city`,
    scope: 'tools offline_access',
  });
  const back = await oauth.visit(address.href);
  expect(back.searchParams.get('iss')).toBe(oauth.issuer);
  expect(await finish(stage.ada.client, back)).toMatchObject({ is_connected: true });
  await stage.begin();
  await stage.call('send', {});
  await allow();
  expect(await stage.call('send', {})).toMatchObject({ text: 'sent' });
  expect(await oauth.accepts(sent().at(-1) ?? '')).toBe(true);
  const { connections } = await stage.ada.client.call('connections.show', {});
  expect(connections).toMatchObject([{ issuer: oauth.issuer, is_refreshed: true, is_void: false }]);
  const tables = await databaseAsText(stage.app.db);
  const token = sent().at(-1) ?? '';
  expect([...tables].filter(([, text]) => contains(text, token)).map(([name]) => name)).toEqual([]);
  await stage.end();
});

test('the service registers once at an authorization server', async () => {
  await begin(stage.ada.client);
  await begin(bob.client);
  expect(oauth.asked).not.toContain('POST /reg');
});

test('a token that ends is refreshed by one of several processes, and the others get the new one', async () => {
  const row = await rowOf();
  await stage.app.db.run(sql`update user_connection set expires_at = clock_now() where id = ${row?.id}`);
  const processes = Array.from({ length: 4 }, () => ({
    db: openDatabase(stage.app.connection),
    envelope: openEnvelope(stage.app.keys.envelope),
    outbound: openOutbound({ private_hosts: ['127.0.0.1'] }),
    readCredentials: async () => await Promise.resolve(new Map<string, string>()),
    base_url: () => stage.app.url,
  })) satisfies ConnectionParts[];
  const server = await askedServer(stage.app.db, { server_id: row?.server_id ?? '', server_version: '1.0.0' });
  const user = { id: stage.ada_id, label: stage.ada.email };
  oauth.asked = [];
  const tokens = await Promise.all(processes.map(async (parts) => await userCredential(parts, { user, server })));
  expect(new Set(tokens).size).toBe(1);
  expect(await oauth.accepts(tokens[0] ?? '')).toBe(true);
  expect(oauth.asked.filter((asked) => asked === 'POST /token')).toHaveLength(1);
  await Promise.all(
    processes.map(async ({ db, outbound }) => {
      await outbound.close();
      await db.close();
    }),
  );
});

test('after the server refuses a token, a refreshed one goes out; when there is none, the person is asked again', async () => {
  await stage.begin();
  expect((await stage.call('send', {})).isError).toBe(false);
  const first = sent().at(-1) ?? '';
  const { accepts } = oauth;
  const instead = stage.upstream.instead;
  stage.upstream.instead = async (asked) =>
    asked.headers.authorization === `Bearer ${first}`
      ? { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
      : await instead?.(asked);
  expect((await stage.call('send', {})).isError).toBe(false);
  expect(sent().at(-1)).not.toBe(first);
  expect(await accepts(sent().at(-1) ?? '')).toBe(true);
  stage.upstream.instead = instead;
  // The authorization server has ended it all.
  const { is_revoked } = await stage.ada.client.call('connections.remove', { params: { name: 'city' } });
  expect(is_revoked).toBe(true);
  expect(oauth.asked).toContain('POST /token/revocation');
  expect(await accepts(sent().at(-1) ?? '')).toBe(false);
  expect((await stage.call('send', {})).code).toBe('connection_needed');
  await finish(stage.ada.client, await visit(stage.ada.client));
  await allow();
  await stage.end();
});

test('a server that wants more scopes gets them by another sign-in, and nobody signs in twice for the same', async () => {
  const instead = stage.upstream.instead;
  const widened = new Set<string>();
  stage.upstream.instead = async (asked) => {
    const given = asked.headers.authorization ?? '';
    const challenge = 'Bearer error="insufficient_scope", scope="tools send:mail bad\\scope"';
    if (given === '' || widened.has(given)) return await instead?.(asked);
    return { status: 403, headers: { 'www-authenticate': challenge } };
  };
  await stage.begin();
  const refused = await stage.call('send', {});
  expect(refused).toMatchObject({ code: 'connection_needed', text: expect.stringContaining('send:mail') as string });
  const address = await begin(stage.ada.client);
  expect(new URL(address).searchParams.get('scope')).toBe('send:mail tools offline_access');
  await finish(stage.ada.client, await oauth.visit(address));
  expect((await stage.call('send', {})).code).toBe('server_unavailable');
  widened.add(`Bearer ${sent().at(-1) ?? ''}`);
  expect((await stage.call('send', {})).isError).toBe(false);
  stage.upstream.instead = instead;
  const plain = new URL(await begin(stage.ada.client));
  expect(plain.searchParams.get('scope')).toBe('tools offline_access');
  await finish(stage.ada.client, await oauth.visit(plain.href));
  await stage.end();
});

test('a server that greets everybody, and one that answers GET alone, say where people sign in', async () => {
  const instead = stage.upstream.instead;
  for (const answered of [1, 2, 3]) {
    let asked = 0;
    stage.upstream.instead = async (request) => {
      if (request.path.startsWith('/.well-known/')) return await instead?.(request);
      const answer = await instead?.(request);
      asked += 1;
      const scope = ', scope="from-the-challenge"';
      const challenge = `${String(answer?.headers?.['www-authenticate'])}${scope}`;
      return asked < answered
        ? { status: 400, headers: {} }
        : { status: 401, headers: { 'www-authenticate': challenge } };
    };
    expect(new URL(await begin(stage.ada.client)).searchParams.get('scope')).toBe('from-the-challenge offline_access');
    expect(asked).toBe(answered);
  }
  stage.upstream.instead = instead;
});

test('where an authorization server reads documents of clients, the service is the client of its own document', async () => {
  const of = { server_id: (await rowOf())?.server_id ?? '', server_version: '1.0.0' };
  const server = await askedServer(stage.app.db, of);
  const clientAt = async (base_url: string, leads_to: string, more: object) => {
    const resolve = async () => await Promise.resolve([{ address: leads_to, family: 4 }]);
    const outbound = openOutbound({ private_hosts: [], resolve });
    const envelope = openEnvelope(stage.app.keys.envelope);
    const readCredentials = async () => await Promise.resolve(new Map<string, string>());
    const parts = {
      db: openDatabase(stage.app.connection),
      envelope,
      outbound,
      readCredentials,
      base_url: () => base_url,
    };
    const issuer = 'https://sign-in.example';
    const metadata = { ...published, ...more } as Authorization['metadata'];
    const authorization = { issuer, metadata, resource: server.address, scopes: [] };
    try {
      return (await clientFor(parts, server, authorization, `${base_url}/connections/callback/city`)).client_id;
    } catch (error) {
      return error instanceof Error ? error.message : error;
    } finally {
      await outbound.close();
      await parts.db.close();
    }
  };
  const published = { client_id_metadata_document_supported: true };
  const registers = { registration_endpoint: 'https://sign-in.example/register' };
  const address = 'https://gantry.example.com/oauth/client/city';
  expect(await clientAt('https://gantry.example.com', '93.184.216.34', registers)).toBe(address);
  expect(await clientAt('https://gantry.example.com', '10.0.0.7', {})).toBe(address);
  // It registers where nobody outside can read its document, and where it has none.
  expect(await clientAt('https://gantry.example.com', '10.0.0.7', registers)).not.toBe(address);
  expect(await clientAt('http://gantry.example.com', '93.184.216.34', {})).toContain('registers no clients');
  const document = await stage.app.anonymous.call('connections.client_document', { params: { name: 'city' } });
  const redirect_uri = new URL(await begin(stage.ada.client)).searchParams.get('redirect_uri');
  expect(document).toMatchObject({
    client_id: `${stage.app.url}/oauth/client/city`,
    redirect_uris: [redirect_uri],
    token_endpoint_auth_method: 'none',
  });
});

test('a wrong state, another session, another person and a used code are refused', async () => {
  const back = await visit(stage.ada.client);
  const again = await stage.app.anonymous.call('auth.login', {
    body: { email: stage.ada.email, password: stage.ada.password },
  });
  const other_session = stage.app.as(again.access_token);
  expect((await problemOf(finish(stage.ada.client, back, { state: 'x'.repeat(43) }))).code).toBe('link_used');
  expect((await problemOf(finish(bob.client, back))).code).toBe('link_used');
  expect((await problemOf(finish(other_session, back))).code).toBe('link_used');
  expect(await finish(stage.ada.client, back)).toMatchObject({ is_connected: true });
  expect((await problemOf(finish(stage.ada.client, back))).code).toBe('link_used');
});

test('an answer of another issuer, or at the address of another server, is refused, and its code goes nowhere', async () => {
  const mixed = await visit(stage.ada.client);
  oauth.asked = [];
  const refused = await problemOf(finish(stage.ada.client, mixed, { iss: 'https://attacker.example' }));
  expect(refused.code).toBe('connection_failed');
  expect(refused.detail).toContain('another authorization server');
  const without = await visit(stage.ada.client);
  without.searchParams.delete('iss');
  expect((await problemOf(finish(stage.ada.client, without))).code).toBe('connection_failed');
  const elsewhere = await visit(stage.ada.client);
  elsewhere.pathname = '/connections/callback/another';
  expect((await problemOf(finish(stage.ada.client, elsewhere))).detail).toContain('another server');
  expect(oauth.asked).not.toContain('POST /token');
});

test('another issuer of the server voids the connection: no token goes to it, and the person is asked again', async () => {
  const row = await rowOf();
  await stage.app.db.run(sql`update user_connection set expires_at = clock_now() where id = ${row?.id}`);
  oauth.named.splice(0, 1, 'https://attacker.example');
  await stage.begin();
  stage.upstream.seen = [];
  oauth.asked = [];
  expect((await stage.call('send', {})).code).toBe('connection_needed');
  expect(oauth.asked).not.toContain('POST /token');
  expect(sent().filter((token) => token !== '')).toEqual([]);
  expect((await stage.ada.client.call('connections.show', {})).connections).toMatchObject([{ is_void: true }]);
  oauth.named.splice(0, 1, oauth.issuer);
  await finish(stage.ada.client, await visit(stage.ada.client));
  expect((await stage.call('send', {})).isError).toBe(false);
  await stage.end();
});

test('metadata that lead to private addresses, or a redirect to them, are refused', async () => {
  oauth.named.splice(0, 1, 'http://169.254.169.254');
  expect(await problemOf(begin(stage.ada.client))).toMatchObject({
    code: 'connection_failed',
    detail: expect.stringContaining('private network') as string,
  });
  oauth.named.splice(0, 1, oauth.issuer);
  const instead = stage.upstream.instead;
  stage.upstream.instead = async (asked) =>
    asked.path.startsWith('/.well-known/')
      ? { status: 302, headers: { location: `${oauth.issuer}/.well-known/openid-configuration` } }
      : await instead?.(asked);
  expect((await problemOf(begin(stage.ada.client))).detail).toContain('redirect');
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'] as const) {
    stage.upstream.instead = evilMetadata(endpoint, instead);
    oauth.named.splice(0, 1, new URL('/evil', stage.upstream.url).href);
    const back = begin(stage.ada.client).then(async (address) => await finish(stage.ada.client, answerFor(address)));
    expect((await problemOf(back)).code).toBe('connection_failed');
  }
  stage.upstream.instead = instead;
});

/** An authorization server at the address of the MCP server, one of whose endpoints leads into the network of the service. */
function evilMetadata(endpoint: string, instead: ToolStage['upstream']['instead']): NonNullable<typeof instead> {
  const base = new URL('/evil', stage.upstream.url).href;
  return async (asked) => {
    const headers = { 'content-type': 'application/json' };
    if (asked.path === '/evil/register')
      return { status: 201, headers, body: JSON.stringify({ client_id: 'c', redirect_uris: [`${stage.app.url}/x`] }) };
    if (!asked.path.includes('oauth-authorization-server')) return await instead?.(asked);
    const body = {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      [endpoint]: 'https://10.0.0.1/',
    };
    return { status: 200, headers, body: JSON.stringify(body) };
  };
}

function answerFor(address: string): URL {
  const { searchParams } = new URL(address);
  const back = new URL(searchParams.get('redirect_uri') ?? '');
  back.search = new URLSearchParams({ state: searchParams.get('state') ?? '', code: 'c' }).toString();
  return back;
}
