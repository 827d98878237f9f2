// Two services on one database. Each decides on copies in its own memory. A change by one acts on the next call to the other.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let other: Awaited<ReturnType<TestApp['another']>>;
let agent: StoredAgent;
let ada: TestUser;

beforeAll(async () => {
  // Without an engine, no keeper looks at the stand-in for the container.
  app = await testApp({ config: { engine_host: 'unix:///nonexistent.sock' } });
  other = await app.another();
  await app.user('mia@example.com', { teams: { ml: 'admin' } });
  agent = await storeAgent(app, 'mia@example.com', { name: 'greeter', yaml: 'access: {visibility: private}\n' });
  await standInFor(app, agent, (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"hello"}'),
  );
});
afterAll(async () => await app.stop());

let number = 0;
beforeEach(async () => {
  ada = await app.user(`ada${++number}@example.com`, { role: 'deployer' });
});

const resource = { resource_type: 'agent', resource_id: 'greeter' } as const;
const principal = () => ({ principal_type: 'user', principal_id: ada.email }) as const;
const grant = async () =>
  await app.admin.client.call('permissions.grant', { body: { ...resource, ...principal(), actions: ['read', 'use'] } });

/** Calls the agent through one service. Later calls use a kept connection and a warm copy. */
async function invoke(base_url: string): Promise<number> {
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${base_url}/agents/greeter/invoke`, { method: 'POST', headers, body: '{"input":"hi"}' });
  await answer.arrayBuffer();
  return answer.status;
}
const onBoth = async () => [await invoke(app.url), await invoke(other.url)];
const mayRead = async () =>
  (await other.as(ada.token).call('permissions.check', { query: { ...resource, action: 'read' } })).allowed;

test('a grant and its revocation act on the next call', async () => {
  expect(await onBoth()).toEqual([404, 404]);
  const { id } = await grant();
  expect(await onBoth()).toEqual([200, 200]);
  expect(await mayRead()).toBe(true);
  await app.admin.client.call('permissions.revoke', { params: { id }, query: {} });
  expect(await invoke(other.url)).toBe(404);
  expect(await mayRead()).toBe(false);
});

test('a demotion acts on the next call', async () => {
  const { items } = await app.admin.client.call('users.list', { query: { email: ada.email } });
  const id = items[0]?.id ?? '';
  await app.admin.client.call('users.update', { params: { id }, body: { role: 'admin' } });
  expect(await onBoth()).toEqual([200, 200]);
  await app.admin.client.call('users.update', { params: { id }, body: { role: 'viewer' } });
  expect(await invoke(other.url)).toBe(404);
});

test('a session that ends on one service ends on the other', async () => {
  await grant();
  expect(await onBoth()).toEqual([200, 200]);
  await app.as(ada.token).call('auth.revoke', { body: { all: false } });
  expect(await invoke(other.url)).toBe(401);
});

test('a stopped agent accepts no further call', async () => {
  await grant();
  expect(await onBoth()).toEqual([200, 200]);
  await app.governed(sql`update route set desired = 'stopped' where agent_id = ${agent.asset_id} returning id`);
  expect(await invoke(other.url)).toBe(409);
  await app.governed(sql`update route set desired = 'running' where agent_id = ${agent.asset_id} returning id`);
  expect(await invoke(other.url)).toBe(200);
});

test('a container with a new address is called there', async () => {
  await grant();
  expect(await onBoth()).toEqual([200, 200]);
  const [moved] = await app.db.all<{ url: string }>(sql`select url from instance`);
  await app.db.run(sql`update instance set url = null`);
  expect(await invoke(other.url)).toBe(503);
  await app.db.run(sql`update instance set url = ${moved?.url}`);
  expect(await invoke(other.url)).toBe(200);
});
