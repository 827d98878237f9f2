// Hostile requests: text that breaks libraries, endless bodies, requests of two users on one connection.
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpointUrl } from '@gantry/contract/client/client.ts';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { answerUnparsed } from './listening/unparsed.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let address: { host: string; port: number };
beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  await storeAgent(app, ada.email, { name: 'greeter' });
  const { hostname, port } = new URL(app.url);
  address = { host: hostname, port: Number(port) };
});
afterAll(async () => await app?.stop());

const json = { 'content-type': 'application/json' };
describe('a body that is', () => {
  test.each([
    ['a megabyte of quotes', `"${'\\"'.repeat(500_000)}`, 400],
    ['a string without an end', `"${'a'.repeat(1_000_000)}`, 400],
    ['a million of elements', `[${'0,'.repeat(500_000)}0]`, 422],
    ['half a million of members', `{${'"a":1,'.repeat(140_000)}"a":1}`, 422],
    ['brackets in a string', JSON.stringify({ name: '['.repeat(1000) }), 422],
  ])('%s is refused within a second', async (_, body, status) => {
    const started = performance.now();
    const headers = { ...json, authorization: `Bearer ${ada.token}` };
    expect((await fetch(`${app.url}/api/v1/teams`, { method: 'POST', headers, body })).status).toBe(status);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

// A valid request for each endpoint; each of its strings is replaced by each of these in turn.
const hostile = [
  '\0',
  'a\0b',
  '\ud800',
  'a\udfff',
  "'; drop table app_user; --",
  '$1',
  '%00',
  '\u2028\u202e\u001b[31m\r\n',
  '__proto__',
  '../../etc/passwd',
  'x'.repeat(100_000),
];
const samples: Partial<Record<EndpointName, { params?: Record<string, string>; query?: object; body?: object }>> = {
  'auth.login': { body: { email: 'x@example.com', password: 'a password' } },
  'auth.change_password': { body: { old_password: 'one', new_password: 'another one' } },
  'auth.set_password': { body: { token: 'gpw_token', new_password: 'another one' } },
  'teams.list': { query: { limit: '5', cursor: 'AAAA' } },
  'teams.create': { body: { name: 'team' } },
  'teams.add_member': { params: { team: 'ml' }, body: { principal: 'user:ada@example.com', role: 'admin' } },
  'users.list': { query: { limit: '5', cursor: 'AAAA' } },
  'users.create': { body: { email: 'new@example.com', name: 'New', role: 'viewer' } },
  'registry.search': { query: { q: 'greeter', kind: 'agent', cursor: 'AAAA' } },
  'registry.list': { params: { kind: 'agent' }, query: { team: 'ml', cursor: 'AAAA' } },
  'registry.create': {
    params: { kind: 'tool' },
    body: {
      name: 'tool',
      team: 'ml',
      description: 'A tool',
      tags: ['tag'],
      config: { returns: { key: 'value', enum: ['x'] } },
    },
  },
  'registry.edit': {
    params: { kind: 'knowledge-base', name: 'base' },
    body: { version: '1.0.1', description: 'A base', tags: ['tag'], config: { documents: [{ text: 'x' }] } },
  },
  'registry.transfer': {
    params: { kind: 'knowledge-base', name: 'base' },
    body: { team: 'ml', owner: 'admin@gantry.local' },
  },
  'approvals.list': { query: { asset: 'agents/greeter', status: 'pending', id: '0190b2f4', cursor: 'AAAA' } },
  'approvals.submit': { body: { asset: 'agents/greeter', version: '1.0.0', target: 'local', message: 'please' } },
  'deployments.list': { query: { agent: 'greeter', id: '0190b2f4', cursor: 'AAAA' } },
  'deployments.plan': { body: { ref: 'agents/greeter@1.0.0', target: 'local' } },
  'agents.logs': {
    params: { name: 'greeter' },
    query: {
      since: '2026-01-01T00:00:00Z',
      tail: '1',
      follow: 'false',
      revision: '0190b2f4',
      instance: '1',
      level: 'error',
      text: 'words',
      request: '0190b2f4',
    },
  },
  'audit.list': {
    query: { asset: 'agents/greeter', user: 'a', action: 'b', since: '2026-01-01T00:00:00Z', cursor: 'AAAA' },
  },
  'audit.verify': { query: { head: 'signin:1:00', anchor: 'gantry/x/governance\n1\n\n— x y\n' } },
};

test.each(Object.keys(samples) as EndpointName[])(
  '%s answers hostile text with a refusal or an answer, never with a failure',
  async (name) => {
    const endpoint: Endpoint = endpoints[name];
    const { params, query = {}, body } = samples[name] ?? {};
    const failed: unknown[] = [];
    for (const text of hostile) {
      const asked = [
        ...variants(query, text).map((one) => ({ query: one, body })),
        ...variants(body ?? {}, text).map((one) => ({ query, body: one })),
      ];
      for (const one of asked) {
        // The listener refuses a longer address.
        const url = endpointUrl(app.url, endpoint, params, one.query as Record<string, string>); // the samples hold text
        if (url.href.length > 10_000) continue;
        const response = await fetch(url, {
          method: endpoint.method,
          headers: { authorization: `Bearer ${app.admin.token}`, ...(one.body === undefined ? {} : json) },
          ...(one.body === undefined ? {} : { body: JSON.stringify(one.body) }),
        });
        if (response.status >= 500) failed.push({ ...one, status: response.status });
        await response.body?.cancel();
      }
    }
    expect(failed).toEqual([]);
    expect(await app.db.one(sql`select email from app_user where email = 'ada@example.com'`)).toBeDefined();
  },
);

/** The value with each of its texts replaced, one at a time; also the keys of maps. */
function variants(value: unknown, text: string): unknown[] {
  if (typeof value === 'string') return [text];
  if (Array.isArray(value)) {
    const list: unknown[] = value;
    return list.flatMap((member, at) => variants(member, text).map((one) => list.with(at, one)));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...variants(member, text).map((one) => ({ ...value, [key]: one })),
    ...(key === 'key' ? [JSON.parse(`{${JSON.stringify(text)}: 1}`) as object] : []), // an object it is
  ]);
}

test('text that the database cannot store is refused with its place', async () => {
  const made = ada.client.call('registry.create', {
    params: { kind: 'tool' },
    body: { name: 'odd', team: 'ml', config: { deep: ['fine', 'a\0b'] } },
  });
  await expect(made).rejects.toMatchObject({ code: 'invalid', errors: [{ pointer: '/config/deep/1' }] });
});

test('a map with a prototype as a member pollutes nothing and keeps the rest', async () => {
  const config = JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"kept":1}',
  ) as object;
  const made = await fetch(`${app.url}/api/v1/registry/tool`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${ada.token}` },
    body: JSON.stringify({ name: 'proto', team: 'ml', config }),
  });
  expect([201, 422]).toContain(made.status);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test.each(['__proto__=x', 'constructor=x', 'limit=1&limit=1', 'toString=1', 'limit[]=1'])(
  'the query ?%s is refused',
  async (query) => {
    const headers = { authorization: `Bearer ${ada.token}` };
    expect((await fetch(`${app.url}/api/v1/teams?${query}`, { headers })).status).toBe(400);
    expect((await fetch(`${app.url}/api/v1/teams?limit=1`, { headers })).status).toBe(200);
  },
);

describe('a body that arrives late', () => {
  const late = async (user: TestUser, path: string, body: string, meanwhile: () => Promise<unknown>) => {
    const [first, rest] = [body.slice(0, 1), body.slice(1)];
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nauthorization: Bearer ${user.token}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
    return await exchange(async (write) => {
      write(head + first);
      await sleep(1200);
      await meanwhile();
      write(rest);
    });
  };

  test('does nothing for a session that ended meanwhile', async () => {
    const eve = await app.user('eve@example.com', { teams: { ml: 'admin' } });
    const body = JSON.stringify({ principal: 'user:eve@example.com', role: 'admin' });
    expect(await late(eve, '/api/v1/teams/ml/members', body, async () => {})).toMatch(/^HTTP\/1.1 200/);
    const revoke = async () => await eve.client.call('auth.revoke', { body: { all: true } });
    expect(await late(eve, '/api/v1/teams/ml/members', body, revoke)).toMatch(/^HTTP\/1.1 401/);
  });

  test('does not bring back a user who was removed meanwhile', async () => {
    const mal = await app.user('mal@example.com', { teams: { ml: 'admin' } });
    const body = JSON.stringify({ principal: 'user:mal@example.com', role: 'admin' });
    const remove = async () =>
      await ada.client.call('teams.remove_member', { params: { team: 'ml', principal: 'user:mal@example.com' } });
    expect(await late(mal, '/api/v1/teams/ml/members', body, remove)).toMatch(/^HTTP\/1.1 404/);
    const { members } = await ada.client.call('teams.show', { params: { team: 'ml' } });
    expect(members.map(({ principal }) => principal)).not.toContain('user:mal@example.com');
  });
});

/** The server's answers on one connection until it closes. */
async function exchange(talk: (write: (text: string) => void) => Promise<void>, to = address): Promise<string> {
  const socket = connect(to);
  const said = (async () => {
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  })();
  await talk((text) => socket.write(text));
  return await said;
}

test('requests of different users on one connection are kept apart, also when they are sent at once', async () => {
  const bob = await app.user('bob@example.com');
  const request = (token: string | undefined, more = '') =>
    `GET /api/v1/auth/me HTTP/1.1\r\nhost: x\r\n${token === undefined ? '' : `authorization: Bearer ${token}\r\n`}${more}\r\n`;
  const asked = [ada.token, undefined, bob.token, 'a.b.c', ada.token, bob.token];
  const said = await exchange(async (write) =>
    write(asked.map((token, at) => request(token, at === asked.length - 1 ? 'connection: close\r\n' : '')).join('')),
  );
  const answers = said.split(/(?=HTTP\/1\.1 )/).map((one) => /"email":"([^"]+)"/.exec(one)?.[1] ?? one.slice(9, 12));
  expect(answers).toEqual([ada.email, '401', bob.email, '401', ada.email, bob.email]);
});

test.each([
  ['both a length and chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['two lengths', 'content-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
  ['a header over two lines', 'x-a: b\r\n c: d\r\ncontent-length: 2\r\n\r\n{}'],
  ['an invalid line end', 'x-a: b\ncontent-length: 2\n\n{}'],
  ['a space before the colon', 'content-length : 2\r\n\r\n{}'],
  ['headers without end', `${'x-a: b\r\n'.repeat(5000)}\r\n`],
  ['a huge header', `x-a: ${'b'.repeat(20_000)}\r\n\r\n`],
])('a request with %s is refused, and its rest is not read as another request', async (_, rest) => {
  const smuggled = `GET /api/v1/auth/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ada.token}\r\n\r\n`;
  const said = await exchange(async (write) =>
    write(`POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${rest}${smuggled}`),
  );
  expect(said).toMatch(/^HTTP\/1\.1 4(00|31)/);
  expect(said).not.toContain(ada.email);
});

describe('a request that Node refuses is answered with a problem document:', () => {
  const problemIn = (said: string) => {
    const [head = '', body = ''] = said.split('\r\n\r\n');
    expect(head.toLowerCase()).toMatch(/content-type: application\/problem\+json/);
    expect(head.toLowerCase()).toMatch(/connection: close/);
    expect(head.toLowerCase()).toMatch(/x-content-type-options: nosniff/);
    const problem = JSON.parse(body) as { status: number; code: string; request_id: string };
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${problem.status} `));
    expect(head).toContain(`x-request-id: ${problem.request_id}`);
    return problem.code;
  };
  const post = 'POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  test.each([
    ['a huge header', `${post}x-a: ${'b'.repeat(20_000)}\r\n\r\n`, 'headers_too_large'],
    ['a huge line', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 'headers_too_large'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'malformed'],
    ['two lengths', `${post}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 'malformed'],
    ['a chunk without a length', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n`, 'malformed'],
    [
      'a chunk with an endless extension',
      `${post}transfer-encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}\r\n{}\r\n`,
      'too_large',
    ],
    ['no host', 'GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n', 'malformed'],
    ['an invalid host', 'GET /livez HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n', 'malformed'],
    ['an expectation', `${post}expect: a miracle\r\ncontent-length: 0\r\n\r\n`, 'malformed'],
  ])('%s', async (_, text, code) => {
    expect(problemIn(await exchange(async (write) => write(text)))).toBe(code);
  });

  test.each([
    'host: x',
    'Host: evil.example',
    'content-type: text/plain',
    'authorization: Bearer a.b.c\r\nauthorization: Bearer d.e.f',
    'x-service-team: ml\r\nX-Service-Team: ops',
    'idempotency-key: a\r\nidempotency-key: b',
  ])('a repeated single-value header: %j', async (more) => {
    const said = await exchange(async (write) => write(`${post}${more}\r\ncontent-length: 2\r\n\r\n{}`));
    expect(problemIn(said)).toBe('malformed');
    expect(said).toMatch(/The header [a-z-]+ is given more than once/);
  });

  test('a request that does not arrive', async () => {
    const server = createServer({ headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 });
    const told: unknown[] = [];
    answerUnparsed(server, (line) => told.push(line));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo; // it listens on TCP
      const said = await exchange(async (write) => write('GET /livez HTTP/1.1\r\nhost'), { host: '127.0.0.1', port });
      expect(problemIn(said)).toBe('request_timeout');
      expect(told).toMatchObject([{ status: 408, why: 'ERR_HTTP_REQUEST_TIMEOUT' }]);
    } finally {
      server.close();
    }
  });

  test('an earlier answer on the connection stays whole', async () => {
    const said = await exchange(async (write) => {
      write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
      await sleep(100);
      write('no HTTP\r\n\r\n');
    });
    const [first = '', second = ''] = said.split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 200[^]*{"status":"ok"}$/);
    expect(problemIn(second)).toBe('malformed');
  });

  test('a whole request is never answered with the refusal of the next one', async () => {
    const server = createServer(() => {});
    answerUnparsed(server, () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo; // it listens on TCP
      const first = 'POST /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}';
      const said = await exchange(async (write) => write(`${first}no HTTP\r\n\r\n`), { host: '127.0.0.1', port });
      expect(said).toBe('');
    } finally {
      server.close();
    }
  });

  test('an answer in progress is not broken by the next request', async () => {
    const said = await exchange(async (write) => {
      write(`GET /api/v1/audit/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ada.token}\r\n\r\n`);
      await sleep(200);
      write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\nno HTTP\r\n\r\n');
    });
    expect(said).toMatch(/^HTTP\/1\.1 200[^]*text\/event-stream/);
    expect(said).not.toContain('problem+json');
  });
});

test('forged headers about the sender change neither identity nor links', async () => {
  const claims = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-user': 'admin@gantry.local',
    'x-original-url': '/api/v1/users',
    'x-http-method-override': 'DELETE',
  };
  const lines = Object.entries(claims).map(([name, value]) => `${name}: ${value}\r\n`);
  const get = async (path: string) =>
    await exchange(async (write) =>
      write(`GET ${path} HTTP/1.1\r\n${lines.join('')}authorization: Bearer ${ada.token}\r\nconnection: close\r\n\r\n`),
    );
  expect(await get('/api/v1/auth/me')).toContain(ada.email);
  expect(await get('/api/v1/agents/greeter')).toMatch(/^HTTP\/1\.1 200/);
  expect(await get('/api/v1/openapi.json')).not.toContain('evil.example');
});

test.each(['ml, ops', 'ml\r\nx-service-team: ops', 'ops', 'nothing-at-all', ''])(
  'X-Service-Team %j opens nothing',
  async (team) => {
    const said = await exchange(async (write) =>
      write(
        `GET /api/v1/teams HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ada.token}\r\nx-service-team: ${team}\r\nconnection: close\r\n\r\n`,
      ),
    );
    expect(said).toMatch(/^HTTP\/1\.1 40[03]/);
  },
);

test('a page of another origin is granted nothing', async () => {
  for (const origin of ['null', 'https://evil.example', app.url]) {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await fetch(`${app.url}/api/v1/teams`, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(405);
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test.each([
  '/metrics',
  '/debug',
  '/docs',
  '/api/v1',
  '/admin',
  '/.env',
  '/api/v1/rbac',
  '/api/v2/teams',
  '/favicon.ico',
])('%s is unknown', async (path) => expect((await fetch(app.url + path)).status).toBe(404));

test('an internal failure reveals no internals, and a refusal that cannot be recorded is no success', async () => {
  await app.db.run(sql`alter table audit.head rename to head_gone`);
  const failed = await fetch(`${app.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${ada.token}` } });
  await app.db.run(sql`alter table audit.head_gone rename to head`);
  expect(failed.status).toBe(500);
  expect(Object.keys((await failed.json()) as object).toSorted()).toEqual([
    'code',
    'detail',
    'hint',
    'request_id',
    'status',
    'title',
    'type',
  ]);
  expect(failed.headers.get('x-content-type-options')).toBe('nosniff');

  await app.db.run(sql`alter function audit.append rename to append_gone`);
  const refused = await fetch(`${app.url}/api/v1/users`, { headers: { authorization: `Bearer ${ada.token}` } });
  await app.db.run(sql`alter function audit.append_gone rename to append`);
  expect(refused.status).toBe(500);
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
});
