// Registry and approvals through the typed client and the real service, with the contract's schemas.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectOf } from '../../testing/pushes/project-archive.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;
let otto: TestUser;

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'contributor' } });
});
afterAll(async () => await app?.stop());

const tool = {
  name: 'search',
  team: 'ml',
  description: 'Looks things up',
  config: { type: 'http', url: 'https://example.com' },
};
const missing = '00000000-0000-4000-8000-000000000000';

async function send(
  user: TestUser | undefined,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
) {
  const headers = {
    ...(user === undefined ? {} : { authorization: `Bearer ${user.token}` }),
    ...(body === undefined ? {} : { 'content-type': type }),
  };
  const response = await fetch(app.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: (await response.json()) as { code?: string; errors?: { pointer: string }[] },
  };
}

test('create, search, submit, review: every answer fits its schema', async () => {
  const made = await ada.client.call('registry.create', { params: { kind: 'tool' }, body: tool });
  expect(made).toMatchObject({ ref: 'tools/search', latest_version: '1.0.0', owner: 'ada@example.com' });
  const found = await ada.client.call('registry.search', { query: { q: 'look' } });
  expect(found.items.map((item) => item.ref)).toEqual(['tools/search']);
  const request = await ada.client.call('approvals.submit', { body: { asset: 'tools/search', message: 'please' } });
  expect(request.can_decide).toEqual(['admin@gantry.local', 'max@example.com']);
  const [listed] = (await max.client.call('approvals.list', { query: { status: 'pending' } })).items;
  expect(listed).toEqual(request);
  expect(await otto.client.call('approvals.list', {})).toEqual({ items: [] });
  const decided = await max.client.call('approvals.approve', { params: { id: request.id }, body: { reason: 'fine' } });
  expect(decided).toMatchObject({ status: 'approved', decided_by: 'max@example.com' });
  const shown = await ada.client.call('registry.show', { params: { kind: 'tool', name: 'search' } });
  expect(shown.versions).toMatchObject([{ version: '1.0.0', approved: true }]);
});

test('a push over HTTP is a run that streams its events until its end', async () => {
  const body = projectOf({ name: 'streamed', yaml: 'tools: [tools/nowhere]\n' });
  const accepted = await ada.client.call('agents.push', {
    params: { name: 'streamed' },
    body,
    query: { message: 'x' },
  });
  expect(accepted.ref).toBe('agents/streamed@1.0.0');
  const states = [];
  for await (const event of await ada.client.call('pushes.events', { params: { id: accepted.id } }))
    states.push([event.data.kind, event.data.state]);
  expect(states.at(-1)).toEqual(['end', 'failed']);
  const problem = { code: 'reference_missing', errors: [{ pointer: '/tools/0' }] };
  expect(await ada.client.call('pushes.show', { params: { id: accepted.id } })).toMatchObject({
    state: 'failed',
    problem,
  });
  await expect(otto.client.call('pushes.show', { params: { id: accepted.id } })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a refused push and a refused decision are recorded', async () => {
  await expect(
    otto.client.call('registry.edit', {
      params: { kind: 'tool', name: 'search' },
      body: { version: '2.0.0', config: {} },
    }),
  ).rejects.toMatchObject({ code: 'forbidden' });
  const { items } = await app.admin.client.call('audit.list', { query: { outcome: 'refused', asset: 'tools/search' } });
  expect(items).toMatchObject([
    { actor: { name: 'otto@example.com' }, detail: { operation: 'asset.write', code: 'forbidden' } },
  ]);
});

test.for<[string, string, unknown, number, string?]>([
  ['POST', '/api/v1/rbac/approvals', { asset: 'tools/search', surprise: 1 }, 422, ''],
  ['POST', '/api/v1/rbac/approvals', { asset: 'tools/search', version: 'one' }, 404],
  ['POST', '/api/v1/rbac/approvals', { asset: 'tools/search', message: 'a\u0000b' }, 422, '/message'],
  ['POST', '/api/v1/rbac/approvals', {}, 422, '/asset'],
  ['GET', '/api/v1/rbac/approvals?status=odd', undefined, 422, '/query/status'],
  ['GET', '/api/v1/rbac/approvals?cursor=AAAA', undefined, 400],
  ['GET', '/api/v1/rbac/approvals?team=ops', undefined, 400],
  ['GET', '/api/v1/rbac/approvals?limit=201', undefined, 422, '/query/limit'],
  ['GET', `/api/v1/rbac/approvals/${missing}`, undefined, 404],
  ['POST', `/api/v1/rbac/approvals/${missing}/approve`, {}, 404],
  ['POST', `/api/v1/rbac/approvals/${missing}/reject`, { reason: 7 }, 422, '/reason'],
  ['GET', '/api/v1/registry/search?q=', undefined, 422, '/query/q'],
  ['GET', '/api/v1/registry/search?q=a&cursor=AAAA', undefined, 400],
  ['GET', '/api/v1/registry/tool/Search', undefined, 404],
  ['POST', '/api/v1/registry/tool', { ...tool, name: '../x' }, 422, '/name'],
  ['POST', '/api/v1/registry/tool', { ...tool, name: 'other', tags: ['a b'] }, 422, '/tags/0'],
  ['POST', '/api/v1/registry/agent', tool, 404],
  ['PUT', '/api/v1/registry/tool/search', { version: '1.0', config: {} }, 422, '/version'],
  ['POST', '/api/v1/agents/greeter/versions', {}, 415],
  ['GET', `/api/v1/pushes/${missing}`, undefined, 404],
  ['GET', `/api/v1/pushes/${missing}/events`, undefined, 404],
])('%s %s with %j is refused with %i', async ([method, path, body, status, pointer = '']) => {
  const answer = await send(ada, method, path, body);
  expect([answer.status, answer.body.code]).toEqual([status, expect.any(String)]);
  expect(answer.body.errors?.[0]?.pointer ?? '').toContain(pointer);
  expect((await send(undefined, method, path, body)).status).toBe(401);
});
