// A gateway key in `x-api-key`, as langgraph's SDKs send one by default.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { langgraphStage, type LanggraphStage } from '../../testing/agents/langgraph-stage.ts';
import type { TestUser } from '../../testing/test-app.ts';

let stage: LanggraphStage;
let { app, agent, cal, eve, heard } = {} as LanggraphStage;
beforeAll(async () => {
  stage = await langgraphStage();
  ({ app, agent, cal, eve, heard } = stage);
});
afterAll(async () => await app?.stop());
beforeEach(() => stage.reset());

const model = 'agents/chatter';
const run = { assistant_id: 'chatter', input: { text: 'hello' } };
const keyOf = async (by: TestUser, body: object = { models: [model] }) => await by.client.call('keys.create', { body });
const sends = async (headers: Record<string, string>, path = '/threads/search', body: object = {}) =>
  await fetch(`${app.url}/agents/chatter/langgraph${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const answerTo = async (...asked: Parameters<typeof sends>) => {
  const response = await sends(...asked);
  return { status: response.status, said: (await response.json()) as { code?: string; hint?: string } };
};

test('a key of a person that names the agent calls as that person', async () => {
  const { key = '' } = await keyOf(cal);
  const made = await sends({ 'x-api-key': key }, '/threads', { thread_id: 'by-key' });
  expect(made.status).toBe(200);
  expect((await stage.ask(cal, 'GET', '/threads/by-key')).status).toBe(200);
  expect((await stage.ask(eve, 'GET', '/threads/by-key')).status).toBe(404);
  for (const path of ['/threads/by-key/runs/wait', '/threads/by-key/runs/stream', '/threads/by-key/runs', '/runs/wait'])
    expect([path, (await sends({ 'x-api-key': key }, path, run)).status]).toEqual([path, 200]);
  await expect.poll(() => heard.length).toBe(4);
  const deleted = await fetch(`${app.url}/agents/chatter/langgraph/threads/by-key`, {
    method: 'DELETE',
    headers: { 'x-api-key': key },
  });
  expect(deleted.status).toBe(204);
});

test('a key of a service principal that names the agent calls as that principal', async () => {
  const allowed_assets = ['agents/*'];
  await app.admin.client.call('principals.create', {
    body: { name: 'bot', team: 'ml', role: 'viewer', allowed_assets },
  });
  const { key = '' } = await keyOf(app.admin, { scope: 'principal', scope_id: 'bot', models: [model] });
  expect((await sends({ 'x-api-key': key }, '/runs/wait', run)).status).toBe(200);
  expect(heard).toHaveLength(1);
});

test('no other key calls the agent, and no key beside a token', async () => {
  const key = async (body: object) => (await keyOf(app.admin, body)).key ?? '';
  const own = await keyOf(cal);
  const of_agent = await key({ scope: 'agent', scope_id: 'chatter', models: ['*'] });
  await app.governed(
    sql`update gateway_key set models = ${['*', model]} where prefix = ${of_agent.slice(0, 12)} returning id`,
  );
  const refused: [string, Record<string, string>, number, string][] = [
    ['a pattern', { 'x-api-key': await key({ models: ['*'] }) }, 403, 'model_not_allowed'],
    [
      'of a team',
      { 'x-api-key': await key({ scope: 'team', scope_id: 'ml', models: ['*'] }) },
      403,
      'model_not_allowed',
    ],
    ['of a container', { 'x-api-key': of_agent }, 403, 'model_not_allowed'],
    ['unknown', { 'x-api-key': `${own.key?.slice(0, -4)}0000` }, 401, 'invalid_api_key'],
    ['no key', { 'x-api-key': 'lsv2_pt_0' }, 401, 'invalid_api_key'],
    ['as a token', { authorization: `Bearer ${own.key}` }, 401, 'unauthenticated'],
    ['both', { 'x-api-key': own.key ?? '', authorization: `Bearer ${cal.token}` }, 401, 'unauthenticated'],
  ];
  for (const [what, headers, status, code] of refused) {
    const { said, ...answered } = await answerTo(headers, '/runs/wait', run);
    expect([what, answered.status, said.code, typeof said.hint]).toEqual([what, status, code, 'string']);
  }
  expect((await sends({ 'x-api-key': own.key ?? '' })).status).toBe(200);
  await cal.client.call('keys.revoke', { params: { id: own.id } });
  expect(await answerTo({ 'x-api-key': own.key ?? '' })).toMatchObject({
    status: 401,
    said: { code: 'invalid_api_key' },
  });
  expect(heard).toEqual([]);
});

test('a key gives its holder no right', async () => {
  const zoe = await app.user('zoe@example.com', { teams: { other: 'viewer' } });
  const to = {
    resource_type: 'agent',
    resource_id: agent.asset_id,
    principal_type: 'user',
    principal_id: zoe.email,
  } as const;
  const { id } = await app.admin.client.call('permissions.grant', { body: { ...to, actions: ['read', 'use'] } });
  const headers = { 'x-api-key': (await keyOf(zoe)).key ?? '' };
  expect((await sends(headers, '/runs/wait', run)).status).toBe(200);
  await app.admin.client.call('permissions.revoke', { params: { id } });
  for (const path of ['/runs/wait', '/runs/stream', '/runs'])
    expect(await answerTo(headers, path, run)).toMatchObject({ status: 404, said: { code: 'not_found' } });
  expect(heard).toHaveLength(1);
});

test('a revoked key ends its stream', async () => {
  const { key = '', id } = await keyOf(cal);
  const closed = Promise.withResolvers<void>();
  stage.answer = (response) => {
    response.once('close', () => closed.resolve());
    response.setHeader('content-type', 'text/event-stream');
    response.write('data: {"type":"RUN_STARTED"}\n\n');
  };
  const response = await sends({ 'x-api-key': key }, '/runs/stream', run);
  expect(response.status).toBe(200);
  await cal.client.call('keys.revoke', { params: { id } });
  await closed.promise;
  await response.text().catch(() => '');
  expect((await sends({ 'x-api-key': key })).status).toBe(401);
});
