// Servers of other MCP registries: of another installation, of one that answers as the API says, and of hostile ones.
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

const name = 'io.github.example/weather';

let app: TestApp;
let other: TestApp;
let ada: TestUser;
beforeAll(async () => {
  const config = { engine_host: 'unix:///nowhere/docker.sock' };
  other = await testApp({ config: { ...config, base_url: 'https://other.example.com' } });
  app = await testApp({ config: { ...config, outbound_private_hosts: ['127.0.0.1'] } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
});
afterAll(async () => {
  await app?.stop();
  await other?.stop();
});

const read = async (from: string | undefined, more: { secret?: string; version?: string; server?: string } = {}) =>
  await ada.client.call('outside_registry.read', {
    body: { team: 'ml', server: name, ...(from !== undefined && { from }), ...more },
  });
const json =
  (body: unknown): RequestListener =>
  (_, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
const entry = (of: object = {}) => ({ server: { name, version: '1.2.0', description: 'The weather', ...of } });

test('a server of another installation becomes one here, with the secret by name that its address needs', async () => {
  const owner = await other.user('olga@example.com', { teams: { ops: 'admin' } });
  await owner.client.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: {
      name: 'city',
      team: 'ops',
      description: 'The city',
      config: { transport: 'streamable-http', url: 'https://city.example/mcp', secret: 'CITY_KEY' },
    },
  });
  const there = 'com.example.other.mcp-servers/city';
  await ada.client.call('secrets.set', { body: { name: 'OTHER_TOKEN', team: 'ml', value: owner.token } });
  await expect(read(other.url, { server: there })).rejects.toMatchObject({
    detail: expect.stringContaining('sign-in'),
  });
  const found = await read(`${other.url}/`, { server: there, secret: 'OTHER_TOKEN' });
  expect(found).toMatchObject({ name: there, version: '1.0.0', title: 'city', description: 'The city' });
  const config = { transport: 'streamable-http', url: 'https://other.example.com/mcp/city', secret: 'CITY_TOKEN' };
  expect(found.ways).toMatchObject([{ config, reason: null }]);
  await ada.client.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: { name: 'city', team: 'ml', config: found.ways[0]?.config ?? {} },
  });
  const made = await ada.client.call('registry.show', { params: { kind: 'mcp-server', name: 'city' } });
  expect(made.config).toMatchObject(config);
  const listed = await ada.client.call('outside_registry.search', {
    body: { team: 'ml', from: other.url, secret: 'OTHER_TOKEN', words: 'cit' },
  });
  expect(listed.servers).toEqual([{ name: there, version: '1.0.0', title: 'city', description: 'The city' }]);
});

test('without an address, that of the organisation is read, and without both none is', async () => {
  await expect(read(undefined)).rejects.toMatchObject({ code: 'registry_unset' });
  const mcp_registry = await answeringServer(json(entry()));
  await app.admin.client.call('org.set', { body: { mcp_registry } });
  expect(await read(undefined)).toMatchObject({ registry: mcp_registry, version: '1.2.0', ways: [] });
  await app.admin.client.call('org.set', { body: { mcp_registry: null } });
});

test.each<[string, RequestListener, string]>([
  ['a huge answer', (_, response) => void response.end('x'.repeat(300_000)), 'more than 256 kB'],
  ['a redirect', (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end(), 'redirect'],
  ['another name', json(entry({ name: 'io.github.example/other' })), 'another server'],
  ['control characters', json(entry({ description: 'a\u001b[2Jb' })), 'control characters (at server.description)'],
  ['a text that turns around', json(entry({ title: 'a\u202eb' })), 'control characters'],
  ['no JSON', (_, response) => void response.end('<html>'), 'not what the registry API'],
  ['another form', json({ servers: [] }), 'not what the registry API'],
  ['nothing there', (_, response) => void response.writeHead(404).end(), 'no such server'],
  ['a closed connection', (request) => void request.socket.destroy(), 'cannot be reached'],
])('%s of a registry is refused, and nothing of it is repeated', async (_, answer, why) => {
  const from = await answeringServer(answer);
  const refusal = await read(from).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'registry_unreadable', detail: expect.stringContaining(why) });
  expect(JSON.stringify(refusal)).not.toMatch(/elsewhere|html|\\u001b/);
});

test('another version than the asked one is refused', async () => {
  const from = await answeringServer(json(entry()));
  expect((await read(from, { version: '1.2.0' })).version).toBe('1.2.0');
  await expect(read(from, { version: '1.3.0' })).rejects.toMatchObject({ code: 'registry_unreadable' });
});

test('a registry that is silent is left at the time limit', { timeout: 20_000 }, async () => {
  const from = await answeringServer(() => undefined);
  await expect(read(from)).rejects.toMatchObject({ detail: expect.stringContaining('in time') });
});

test('an address of this machine that no operator lists is not asked', async () => {
  let asked = 0;
  const from = await answeringServer((_, response) => void response.end(String(++asked)));
  const { client } = await other.user('otto@example.com', { teams: { ops: 'admin' } });
  const refused = client.call('outside_registry.read', { body: { team: 'ops', server: name, from } });
  await expect(refused).rejects.toMatchObject({ detail: expect.stringContaining('private network') });
  expect(asked).toBe(0);
});

test.each(['https://u:p@registry.example.com', 'https://registry.example.com/?token=x', 'file:///etc/passwd'])(
  '%s is no address of a registry',
  async (from) => {
    await expect(read(from)).rejects.toMatchObject({ code: 'invalid' });
  },
);
