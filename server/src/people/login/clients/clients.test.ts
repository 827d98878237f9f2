// A program of others signs in with only an address: the official client, a real service, and the person's decision.
import { UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askMcp, connect, programOfOthers, signIn, type Kept } from '../../../testing/servers/oauth-client.ts';
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
const ask = async (path: string, token: string) => await askMcp(at(path), token);
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
