import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { describedEndpoints } from '@gantry/contract/openapi/described.ts';
import { contentTypes, type Endpoint } from '@gantry/contract/endpoint.ts';
import { sql } from '../../ground/database/sql.ts';
import { testConfig } from '../../testing/config.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
const lines: string[] = [];
beforeAll(async () => {
  // Without a token there is no /metrics.
  const traces = { ...testConfig().traces, metrics_token: 'a token of twenty-four characters' };
  app = await testApp({ config: { traces }, onLog: (line) => lines.push(line) });
  ada = await app.user('ada@example.com', { role: 'admin' });
});
afterAll(async () => await app.stop());

const send = async (
  path: string,
  { headers = {}, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
) => await fetch(app.url + path, { ...init, headers: { authorization: `Bearer ${ada.token}`, ...headers } });
const json = { 'content-type': 'application/json' };

test('every answer has the security headers and the ids of the request and its trace, also a refusal and an unknown path', async () => {
  for (const path of ['/livez', '/api/v1/teams', '/api/v1/nothing', '/api/v1/teams?limit=0']) {
    const { headers } = await send(path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('the log line of a refused request has the code, and that of an answered one has none', async () => {
  const lineOf = ({ headers }: Response) => {
    const id = headers.get('x-request-id') ?? '';
    return JSON.parse(lines.find((line) => line.includes(`"request_id":"${id}"`)) ?? '{}') as object;
  };
  expect(lineOf(await send('/api/v1/teams'))).toMatchObject({ status: 200 });
  expect(lineOf(await send('/api/v1/teams'))).not.toHaveProperty('code');
  expect(lineOf(await send('/agents/nobody/health'))).toMatchObject({ status: 404, code: 'not_found' });
});

test('a refusal is a problem document with code, request id and hint', async () => {
  const answered = await fetch(`${app.url}/api/v1/teams`);
  expect(answered.status).toBe(401);
  expect(answered.headers.get('www-authenticate')).toMatch(/^Bearer/);
  expect(answered.headers.get('content-type')).toBe('application/problem+json');
  expect(await answered.json()).toMatchObject({
    code: 'unauthenticated',
    status: 401,
    hint: 'Run `svc login`.',
    request_id: answered.headers.get('x-request-id'),
  });
});

// Written by hand: the only public operations.
const open = [
  'service.livez',
  'service.readyz',
  'service.openapi',
  'service.agent_schema',
  'service.asset_schema',
  'auth.login',
  'auth.browser_session',
  'auth.exchange_key',
  'auth.set_password',
  'signing_keys.jwks',
  'clients.metadata',
  'clients.control_resource',
  'clients.server_resource',
  'clients.agent_resource',
  'clients.register',
  'clients.token',
  'clients.revoke',
  'connections.client_document',
];

test.each(Object.entries<Endpoint>(endpoints))('%s needs a sign-in unless it is public', async (name, endpoint) => {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    key.endsWith('id') ? '00000000-0000-4000-8000-000000000000' : key === 'kind' ? 'tool' : 'greeter',
  );
  const type = typeof endpoint.body === 'string' ? { 'content-type': contentTypes[endpoint.body] } : json;
  const body = endpoint.body === undefined ? {} : { body: '{}' };
  for (const headers of [{}, { authorization: 'Bearer a.b.c' }, { authorization: 'Basic YWRtaW46YWRtaW4=' }]) {
    const { status } = await fetch(app.url + path, {
      method: endpoint.method,
      headers: { ...type, ...headers },
      ...body,
    });
    if (open.includes(name)) expect([200, 400, 422]).toContain(status);
    else expect(status).toBe(401);
  }
});

test.each([
  ['a body that is not JSON', '{"name":', json, 400, 'malformed'],
  ['a body of another type', 'name=x', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  [
    'JSON under a type that only looks like it',
    '{"name":"x"}',
    { 'content-type': 'application/json;\tx' },
    415,
    'unsupported_media_type',
  ],
  ['a member outside the schema', '{"name":"x","role":"admin"}', json, 422, 'invalid'],
  ['a prototype as a member', '{"name":"x","__proto__":{"admin":true}}', json, 422, 'invalid'],
  ['more than a megabyte', JSON.stringify({ name: 'x'.repeat(1_100_000) }), json, 413, 'too_large'],
  ['ten thousand levels', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, json, 400, 'malformed'],
  ['bytes outside UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), json, 400, 'malformed'],
])('%s is refused', async (_, body, headers, status, code) => {
  const answered = await send('/api/v1/teams', { method: 'POST', body, headers });
  expect({ status: answered.status, ...((await answered.json()) as object) }).toMatchObject({ status, code });
});

test.each([
  ['/api/v1/teams?limti=5', 400, 'malformed'],
  ['/api/v1/teams?limit=5&limit=6', 400, 'malformed'],
  ['/api/v1/teams?limit=1000000000', 422, 'invalid'],
  ['/api/v1/teams?cursor=AAAA', 400, 'bad_cursor'],
  ['/api/v1/teams/..%2fusers', 400, 'malformed'],
  ['/api/v1/teams/a%00', 400, 'malformed'],
  ['/api/v1//teams', 400, 'malformed'],
  ['/api/v1/teams/../teams', 400, 'malformed'],
  ['/api/v1/./teams', 400, 'malformed'],
  ['/api/v1/%2e%2e/v1/teams', 400, 'malformed'],
  ['http://other.example/api/v1/teams', 400, 'malformed'],
  ['/api/v1/teams;x', 400, 'malformed'],
  ['/api/v1/registry/Agents/x', 404, 'not_found'],
  ['/api/v1/teams/Ml', 404, 'not_found'],
])('%s is refused', async (path, status, code) => {
  const { pathname, search } = {
    pathname: path.split('?')[0] ?? '',
    search: path.includes('?') ? `?${path.split('?')[1]}` : '',
  };
  expect(await rawGet(pathname + search)).toMatchObject({ status, code });
});

// fetch would normalise the path before it sends it.
async function rawGet(path: string): Promise<{ status: number; code: string }> {
  const { hostname, port } = new URL(app.url);
  return await new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers: { authorization: `Bearer ${ada.token}` } }, (answered) => {
      let text = '';
      answered.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answered.on('end', () =>
        resolve({ status: answered.statusCode ?? 0, code: (JSON.parse(text) as { code: string }).code }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('an unsupported method of a path is 405, and TRACE is refused', async () => {
  const refused = await send('/api/v1/teams', { method: 'DELETE' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  const { hostname, port } = new URL(app.url);
  const answered = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.end('TRACE /api/v1/teams HTTP/1.1\r\nhost: x\r\n\r\n'));
    socket.on('data', (chunk: Buffer) => resolve(chunk.toString()));
    socket.on('error', reject);
  });
  expect(answered).toMatch(/^HTTP\/1\.1 40[45]/);
});

test('HEAD is answered like GET, without a body', async () => {
  const [head, get] = [await send('/api/v1/teams', { method: 'HEAD' }), await send('/api/v1/teams')];
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  // The answer without an end ends with its head.
  const stream = await send('/api/v1/audit/events', { method: 'HEAD' });
  expect([stream.status, await stream.text()]).toEqual([200, '']);
});

test.each([
  ['/agents/greeter/invoke', 8_000_000, 'unauthenticated'],
  ['/api/v1/teams', 900_000, 'unauthenticated'],
  ['/api/v1/auth/login', 70_000, 'too_large'],
])(
  '%s refuses a body of %i bytes from an unknown sender before it has arrived, and then closes',
  async (path, bytes, code) => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n{`,
    );
    let said = '';
    for await (const chunk of socket) said += String(chunk);
    expect(said).toContain(`"code":"${code}"`);
  },
);

test.each(['x-forwarded-for', 'x-real-ip', 'forwarded'])(
  '%s from an untrusted peer does not change the log',
  async (header) => {
    await fetch(`${app.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { ...json, [header]: '203.0.113.7' },
      body: JSON.stringify({ email: 'x@example.com', password: 'nope' }),
    });
    const row = await app.db.one<{ ip: string }>(
      sql`select body::jsonb ->> 'ip' as ip from audit.entry where chain = 'signin' order by seq desc limit 1`,
    );
    expect(row?.ip).toBe('127.0.0.1');
  },
);

test('a list is paged to its end, and a cursor works only for its list and its caller', async () => {
  for (let n = 0; n < 5; n++) await ada.client.call('teams.create', { body: { name: `team-${n}` } });
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await ada.client.call('teams.list', { query: { limit: 2, cursor } });
    names.push(...page.items.map(({ name }) => name));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  expect(names).toEqual(['default', 'team-0', 'team-1', 'team-2', 'team-3', 'team-4']);
  const { next_cursor } = await ada.client.call('teams.list', { query: { limit: 2 } });
  await expect(ada.client.call('users.list', { query: { cursor: next_cursor } })).rejects.toMatchObject({
    code: 'bad_cursor',
  });
  await expect(app.admin.client.call('teams.list', { query: { cursor: next_cursor } })).rejects.toMatchObject({
    code: 'bad_cursor',
  });
});

test('a refused action is recorded, and its repeats are collapsed', async () => {
  const vic = await app.user('vic@example.com');
  for (let n = 0; n < 3; n++)
    await expect(vic.client.call('teams.create', { body: { name: 'mine' } })).rejects.toMatchObject({
      code: 'forbidden',
    });
  const { items } = await app.admin.client.call('audit.list', {
    query: { user: 'vic@example.com', action: 'refused' },
  });
  expect(items).toMatchObject([
    { event: 'refused', outcome: 'refused', detail: { operation: 'team.create', code: 'forbidden' } },
  ]);
});

test('a governed change returns its audit number', async () => {
  const answered = await send('/api/v1/teams', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'numbered' }),
  });
  const [chain, seq] = answered.headers.get('x-audit-entry')?.split('/') ?? [];
  const { items } = await app.admin.client.call('audit.list', { query: { action: 'team.created' } });
  expect(items.find((entry) => entry.seq === Number(seq) && entry.chain === chain)).toMatchObject({
    detail: { team: 'numbered' },
  });
});

test('OpenAPI describes every endpoint of the contract, except those of the door alone', async () => {
  const described = await app.anonymous.call('service.openapi', {});
  const operations = Object.values(described.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (path) => Object.values(path).map(({ operationId }) => operationId),
  );
  expect(operations.toSorted()).toEqual(describedEndpoints.map(([name]) => name).toSorted());
  expect(described.openapi).toBe('3.1.0');
});

test('OpenAPI describes the choice of a team, the resuming of a stream and an agent’s answers', async () => {
  const { paths, components } = (await app.anonymous.call('service.openapi', {})) as {
    paths: Record<string, never>;
    components: { responses: Record<string, object> };
  };
  const of = (path: string, method: string) =>
    (paths[path] ?? {})[method] as unknown as {
      parameters: { name?: string; $ref?: string }[];
      responses: Record<string, object>;
    };
  const takes = (path: string) => of(path, 'get').parameters.map(({ name, $ref }) => name ?? $ref);
  expect(takes('/livez')).toEqual([]);
  expect(takes('/api/v1/auth/me')).toEqual(['#/components/parameters/ActiveTeam']);
  expect(takes('/api/v1/pushes/{id}/events')).toEqual([
    'id',
    'after',
    '#/components/parameters/ActiveTeam',
    '#/components/parameters/LastEventId',
  ]);
  expect(of('/api/v1/pushes/{id}/events', 'get').responses['200']).toMatchObject({
    content: { 'text/event-stream': { schema: { properties: { data: { contentMediaType: 'application/json' } } } } },
  });
  const { responses } = of('/agents/{name}/invoke', 'post');
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '202', '404', '503', 'default']));
  expect(responses['404']).toEqual({ $ref: '#/components/responses/NotFoundOrRunGoneByAgent' });
  expect(components.responses['NotFoundOrRunGoneByAgent']).toMatchObject({
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/AgentProblem' } } },
  });
});
