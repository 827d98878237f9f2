// Rules for every route: headers, media types, reads without changes, and text that comes back as text.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpointUrl } from '@gantry/contract/client/client.ts';
import { contentTypes, type Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let nemo: TestUser;
const markup = '"><img src=x onerror=alert(1)><script>alert(1)</script>\'`${7*7}{{7*7}}=cmd|A1!javascript:alert(1)';
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  nemo = await app.user('nemo@example.com');
  const max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  await storeAgent(app, ada.email, { name: 'greeter', yaml: `description: ${JSON.stringify(markup)}\n` });
  const asset = { name: 'tool', team: 'ml', description: markup };
  await ada.client.call('registry.create', { params: { kind: 'tool' }, body: asset });
  const { id } = await ada.client.call('approvals.submit', { body: { asset: 'agents/greeter', message: markup } });
  await max.client.call('approvals.comment', { params: { id }, body: { message: markup } });
  await max.client.call('approvals.reject', { params: { id }, body: { reason: markup } });
  await app.admin.client.call('users.create', { body: { email: 'markup@example.com', name: markup } });
  await max.client.call('groups.create', { body: { name: 'group', team: 'ml', description: markup } });
  approval_id = id;
  key = (await ada.client.call('keys.create', { body: {} })).key ?? '';
});
afterAll(async () => await app?.stop());
let approval_id: string;
let key: string;

const all = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [name as EndpointName, endpoint] as const);
const urlOf = (endpoint: Endpoint) => {
  const known: Record<string, string> = {
    name: 'greeter',
    team: 'ml',
    version: '1.0.0',
    kind: endpoint.method === 'GET' ? 'agent' : 'tool',
    chain: 'governance',
    seq: '1',
    label: 'production',
  };
  const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => [key, known[key] ?? approval_id]);
  const isSearch = endpoint.method === 'GET' && endpoint.path.endsWith('/search');
  const query = { ...(isSearch && { q: 'greeter' }), ...(endpoint.body === 'file' && { path: 'notes.md' }) };
  return endpointUrl(app.url, endpoint, Object.fromEntries(params) as Record<string, string>, query);
};
const send = async (endpoint: Endpoint, headers: Record<string, string> = {}, body?: string) =>
  await fetch(urlOf(endpoint), {
    method: endpoint.method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(10_000),
  });
const as = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` });
/** Somebody whose request is read to its end. */
const senderOf = ({ surface }: Endpoint) =>
  ['gateway', 'gemini', 'ollama'].includes(surface ?? 'api') ? { authorization: `Bearer ${key}` } : as(app.admin);

test.each(all)('%s forbids every page, script and frame with each answer', async (name, endpoint) => {
  for (const headers of [{}, as(nemo), ...(endpoint.method === 'GET' ? [as(ada)] : [])]) {
    const answered = await send(endpoint, headers);
    expect([name, answered.headers.get('x-content-type-options')]).toEqual([name, 'nosniff']);
    expect(answered.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answered.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answered.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answered.headers.get('cache-control')).toBe('no-store');
    expect(answered.headers.get('content-type') ?? 'application/json').not.toMatch(/html|xml|javascript/);
    expect(answered.headers.get('access-control-allow-origin')).toBeNull();
    expect(answered.headers.get('set-cookie')).toBeNull();
    await answered.body?.cancel();
  }
});

describe('a body has its declared type, and no type that a page elsewhere can send is accepted:', () => {
  const types = [
    'text/plain',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/xml',
    'application/json, text/plain',
  ];
  // The memory and the prompts of agents are at their door alone: here nobody has a way to them.
  const taken = all.filter(
    ([, { body, surface }]) => body !== undefined && !['memory', 'prompts'].includes(surface ?? 'api'),
  );
  test.each(taken)('%s', async (name, endpoint) => {
    // No cookie counts where a form is taken.
    for (const type of types.filter((one) => endpoint.body !== 'form' || one !== contentTypes.form)) {
      const answered = await send(endpoint, { ...senderOf(endpoint), 'content-type': type }, '{}');
      expect([type, answered.status]).toEqual([type, 415]);
      const code = endpoint.surface === 'oauth' ? '"error":"invalid_request"' : '"code":"unsupported_media_type"';
      expect(JSON.stringify(await answered.json())).toContain(code);
    }
    const right = typeof endpoint.body === 'string' ? contentTypes[endpoint.body] : 'application/json';
    expect([name, (await send(endpoint, { ...senderOf(endpoint), 'content-type': right }, '[]')).status]).not.toEqual([
      name,
      415,
    ]);
  });
});

test('no GET changes a governed row', async () => {
  const governed = await app.db.all<{ name: string }>(
    sql`select distinct tgrelid::regclass::text as name from pg_trigger join pg_proc on pg_proc.oid = tgfoid
        where not tgisinternal and tgdeferrable`,
  );
  expect(governed.map(({ name }) => name)).toEqual(expect.arrayContaining(['asset', 'permission', 'approval', 'team']));
  const rows = async () => {
    const found: string[] = [];
    for (const { name } of governed) {
      const statement = {
        strings: [`select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum from ${name} t`],
        values: [],
      };
      found.push(`${name} ${(await app.db.one<{ sum: string }>(statement))?.sum}`);
    }
    return found;
  };
  const before = await rows();
  const answers: string[] = [];
  for (const [name, endpoint] of all.filter(([, { method }]) => method === 'GET'))
    for (const who of [ada, app.admin]) {
      const answered = await send(endpoint, as(who));
      if (answered.ok) answers.push(name);
      await answered.body?.cancel();
    }
  expect(new Set(answers).size).toBeGreaterThan(20);
  expect(await rows()).toEqual(before);
});

test('text that a browser would run is stored unchanged, and comes back as JSON for every Accept header', async () => {
  const read: EndpointName[] = [
    'registry.show',
    'registry.list',
    'registry.search',
    'approvals.show',
    'approvals.list',
    'users.list',
    'groups.list',
    'audit.list',
    'notifications.list',
  ];
  for (const name of read) {
    const who = name === 'notifications.list' ? ada : app.admin;
    const answered = await send(endpoints[name], { ...as(who), accept: 'text/html,application/xhtml+xml' });
    expect([name, answered.status, answered.headers.get('content-type')]).toEqual([name, 200, 'application/json']);
    const text = await answered.text();
    expect([name, text.includes(JSON.stringify(markup).slice(1, -1))]).toEqual([name, true]);
  }
  // A refusal that repeats its input is not a page either.
  const refused = await fetch(`${app.url}/api/v1/teams?${encodeURIComponent(markup)}=1`, {
    headers: { ...as(ada), accept: 'text/html' },
  });
  expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
});

test('a database without connections is a 503 without internal details, and ends with the fault', async () => {
  expect((await send(endpoints['teams.list'], as(ada))).status).toBe(200);
  const here = await app.db.one<{ name: string }>(sql`select current_database() as name`);
  const limit = async (most: number) =>
    await app.db.run({ strings: [`alter database "${here?.name}" connection limit ${most}`], values: [] });
  await limit(0);
  // Open connections would continue.
  await app.db.run(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'svc_app'`,
  );
  const refused = async () => await send(endpoints['teams.list'], as(ada));
  await expect.poll(async () => (await refused()).status).toBe(503);
  const text = await (await refused()).text();
  const [ready, live] = [await fetch(`${app.url}/readyz`), await fetch(`${app.url}/livez`)];
  await limit(-1);
  expect([ready.status, live.status]).toEqual([503, 200]);
  expect(JSON.parse(text)).toMatchObject({ code: 'starting', detail: 'The database is not available right now.' });
  expect(text).not.toMatch(/postgres|svc_app|connections|select|gantry_|node_modules|\.ts:/i);
  await expect.poll(async () => (await refused()).status).toBe(200);
});
