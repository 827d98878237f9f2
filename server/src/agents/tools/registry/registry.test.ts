// Tools of `type: http` at the door: agents call them as tools of one server, and the service calls their addresses.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { doorStage, type DoorStage } from '../../../testing/agents/door-stage.ts';
import { mcpServerOfTest, textTool, type McpServerOfTest } from '../../../testing/servers/mcp-server.ts';
import { recordCalls } from '../record-calls.ts';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

let api: Server;
let base: string;
let seen: Seen[];
let answer: (response: ServerResponse) => void;
let other: McpServerOfTest;
let stage: DoorStage;
let ada_id: string;

const string = { type: 'string' };
const configs = () => ({
  'find-pet': {
    type: 'http',
    description: 'Finds a pet',
    method: 'GET',
    url: `${base}/pets/{id}?source=registry`,
    parameters: {
      properties: { id: string, tags: { type: 'array', items: string }, 'X-Trace': string },
      required: ['id'],
    },
    places: { 'X-Trace': 'header' },
    returns: {
      properties: { name: string, owner: { $ref: '#/$defs/owner' } },
      $defs: { owner: { properties: { city: string } } },
    },
    secret: 'PETS_KEY',
    rules: [{ name: 'no-cats', deny: 'args.id == "cat"', because: 'No cats.' }],
  },
  'add-pet': {
    type: 'http',
    url: `${base}/pets`,
    parameters: { properties: { name: string, age: { type: 'integer' } }, required: ['name'] },
    secret: 'PETS_KEY',
    secret_header: 'X-API-Key',
    price_usd: '0.25',
    approve: [{ when: 'args.name == "Rex"' }],
  },
  'raw-pet': {
    type: 'http',
    url: `${base}/raw`,
    parameters: { properties: { body: {} } },
    places: { body: 'body' },
    timeout_seconds: 1,
  },
  'in-code': { type: 'function' },
  inner: { type: 'http', url: 'http://[::1]:80/x' },
});

beforeAll(async () => {
  api = createServer((request, response) => {
    void (async () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: await text(request) });
      answer(response);
    })();
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(api.address() as AddressInfo).port}`; // it listens on TCP
  other = await mcpServerOfTest([textTool('weather', 'The weather', () => 'Sun')]);
  stage = await doorStage({
    project: {
      name: 'keeper',
      yaml: `tools:
  - tools/find-pet
  - ref: tools/add-pet
    rules:
      - {name: short, allow: size(args.name) < 10, because: Short names only.}
  - tools/raw-pet
  - tools/in-code
  - tools/inner
`,
    },
    config: { outbound_private_hosts: ['127.0.0.1'] },
    pins: async ({ db }, { client }) => {
      await client.call('secrets.set', { body: { name: 'PETS_KEY', team: 'ml', value: 'the key of the pets' } });
      for (const [name, config] of Object.entries(configs()))
        await client.call('registry.create', {
          params: { kind: 'tool' },
          body: { name, team: 'ml', visibility: 'team', config },
        });
      return await db.all(sql`
        select 'tools/' || a.name as ref, v.asset_id, v.version, v.digest from version v join asset a on a.id = v.asset_id where a.kind = 'tool'`);
    },
  });
  const row = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${stage.ada.email}`);
  ada_id = row?.id ?? '';
});
afterAll(async () => {
  await stage?.close();
  await other?.close();
  api?.closeAllConnections();
  await new Promise((resolve) => api?.close(resolve));
});

let run_id: string;
let client: Client;
beforeEach(async () => {
  seen = [];
  answer = (response) => void response.setHeader('content-type', 'application/json').end('{"ok":true}');
  run_id = await stage.storeRun({ caller_id: ada_id });
  client = await connected('/mcp/registry');
});
afterEach(async () => {
  await client.close();
  await stage.endRun(run_id);
});

async function connected(path: string): Promise<Client> {
  const made = new Client({ name: 'agent', version: '1.0.0' });
  const headers = {
    authorization: `Bearer ${stage.key}`,
    'x-svc-run': stage.tokenOf({ id: run_id, caller_id: ada_id }),
  };
  await made.connect(new StreamableHTTPClientTransport(new URL(stage.door + path), { requestInit: { headers } }));
  return made;
}

async function call(name: string, args: Record<string, unknown>, on = client) {
  const { content, isError, _meta } = await on.callTool({ name, arguments: args });
  const [part] = content;
  return { text: part?.type === 'text' ? part.text : '', isError: isError === true, code: _meta?.['gantry/problem'] };
}

test('tools of type http are one server, with the texts and schemas that the push has pinned', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['add-pet', 'find-pet', 'inner', 'raw-pet']);
  expect(tools[1]).toMatchObject({ description: 'Finds a pet', inputSchema: { required: ['id'] } });
  const all = await connected('/mcp');
  expect((await all.listTools()).tools.map(({ name }) => name)).toContain('registry__find-pet');
  expect(await call('registry__find-pet', { id: 'dog' }, all)).toMatchObject({ isError: false });
  await all.close();
  const edited = { ...configs()['find-pet'], description: 'Tells all', url: `${base}/elsewhere` };
  await stage.ada.client.call('registry.edit', {
    params: { kind: 'tool', name: 'find-pet' },
    body: { version: '1.1.0', config: edited },
  });
  expect((await client.listTools()).tools[1]).toMatchObject({ description: 'Finds a pet' });
});

test('each argument goes to its place, the secret goes along, and the agent sees neither secret nor headers', async () => {
  answer = (response) => {
    const owner = { city: 'Bern', phone: '555' };
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify({ name: 'Rex', ssn: '1-2-3', owner, notes: [{ secret: 'x' }] }));
  };
  const found = await call('find-pet', { id: 'a/b ü', tags: ['x', 'y&z'], 'X-Trace': 'abc' });
  expect(found).toEqual({ text: '{"name":"Rex","owner":{"city":"Bern"}}', isError: false, code: undefined });
  expect(seen).toMatchObject([
    {
      method: 'GET',
      url: '/pets/a%2Fb%20%C3%BC?source=registry&tags=x&tags=y%26z',
      headers: { 'x-trace': 'abc', authorization: 'Bearer the key of the pets' },
      body: '',
    },
  ]);
  await call('add-pet', { name: 'Mia', age: 3 });
  expect(seen[1]).toMatchObject({ method: 'POST', url: '/pets', body: '{"name":"Mia","age":3}' });
  expect(seen[1]?.headers).toMatchObject({ 'x-api-key': 'the key of the pets', 'content-type': 'application/json' });
  expect(seen[1]?.headers.authorization).toBeUndefined();
  await call('raw-pet', { body: ['a', 1] });
  expect(seen[2]).toMatchObject({ method: 'POST', url: '/raw', body: '["a",1]' });
  expect(JSON.stringify(seen)).not.toContain('x-svc-run');
});

test.each([
  ['find-pet', { id: '..' }],
  ['find-pet', { id: '' }],
  ['find-pet', { id: 'x', 'X-Trace': 'a\r\nhost: b' }],
  ['find-pet', { id: 'x', admin: 'true' }],
  ['find-pet', {}],
  ['add-pet', { name: 'x', age: 'old' }],
])('%s with %o reaches no address', async (tool, args) => {
  expect(await call(tool, args)).toMatchObject({ isError: true, code: 'arguments_refused' });
  expect(seen).toEqual([]);
});

test('a tool of type function, another tool, and a tool that the agent may not use are not called', async () => {
  for (const name of ['in-code', 'elsewhere']) expect(await call(name, {})).toMatchObject({ code: 'not_found' });
  const params = { kind: 'tool', name: 'raw-pet' } as const;
  await stage.ada.client.call('registry.set_visibility', { params, body: { visibility: 'private' } });
  expect(await call('raw-pet', {})).toMatchObject({ isError: true });
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('raw-pet');
  await stage.ada.client.call('registry.set_visibility', { params, body: { visibility: 'team' } });
  expect(await call('raw-pet', {})).toMatchObject({ isError: false });
  expect(seen).toHaveLength(1);
});

test('rules of the tool and of agent.yaml, prices and approvals count as for servers', async () => {
  expect(await call('find-pet', { id: 'cat' })).toMatchObject({ code: 'rule_refused' });
  expect((await call('add-pet', { name: 'much-too-long' })).text).toContain('the rule short of agents/keeper');
  expect(await call('add-pet', { name: 'Rex' })).toMatchObject({ code: 'call_waits' });
  const { items } = await stage.ada.client.call('tool_calls.waiting', {});
  expect(items).toMatchObject([{ server: 'tools/add-pet@1.0.0', tool: 'add-pet', arguments: { name: 'Rex' } }]);
  await stage.ada.client.call('tool_calls.decide', {
    params: { id: items[0]?.id ?? '' },
    body: { decision: 'approve' },
  });
  expect(seen).toEqual([]);
  expect(await call('add-pet', { name: 'Rex' })).toMatchObject({ isError: false });
  expect(seen).toHaveLength(1);
  const { rows } = await stage.app.admin.client.call('costs.report', { query: { by: 'tool' } });
  expect(rows.map(({ of }) => of.tool)).toContain('tools/add-pet/add-pet');
  while (await recordCalls(stage.app.db));
  const log = await stage.app.admin.client.call('audit.list', { query: { action: 'tools.called' } });
  const list = log.items.flatMap(({ detail }) => detail['list']) as {
    run_id: string;
    server: string;
    outcome: string;
  }[];
  const own = list.filter((one) => one.run_id === run_id).map(({ server, outcome }) => `${server} ${outcome}`);
  expect(own).toContain('tools/add-pet answered');
  expect(own).toContain('tools/find-pet refused');
});

test('a redirect, an endless answer, a slow one and one of another type reach no agent', async () => {
  const say = (status: number, headers: Record<string, string>, body: string) => (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);
  answer = say(302, { location: `${base}/secret` }, '');
  expect((await call('raw-pet', {})).text).toContain('it answers 302');
  answer = say(200, { 'content-type': 'image/png' }, 'png');
  expect((await call('raw-pet', {})).text).toContain('it answers image/png');
  answer = say(200, { 'content-type': 'application/json' }, '{');
  expect((await call('raw-pet', {})).text).toContain('no JSON');
  answer = say(200, { 'content-type': 'text/plain' }, 'x'.repeat(1_100_000));
  expect((await call('raw-pet', {})).text).toContain('more than 1024 kB');
  answer = (response) => {
    const part = 'x'.repeat(1_000_000);
    response.writeHead(200, { 'content-type': 'text/plain' });
    const more = () => {
      if (!response.destroyed) response.write(part, more);
    };
    more();
  };
  expect((await call('raw-pet', {})).text).toContain('more than 4194304 bytes');
  answer = () => {};
  expect((await call('raw-pet', {})).text).toContain('more than 1 s');
  expect(seen).toHaveLength(6);
});

test('an address that repeats the secret shows it to no agent', async () => {
  answer = (response) =>
    void response.setHeader('content-type', 'application/json').end('{"name":"I got Bearer the key of the pets"}');
  expect(await call('find-pet', { id: 'x' })).toMatchObject({ text: '{"name":"I got Bearer …"}' });
});

test('a failure of the address is a result, and what `returns` does not name stays out of it', async () => {
  answer = (response) =>
    void response.writeHead(404, { 'content-type': 'application/json' }).end('{"name":"x","trace":"at db.internal"}');
  expect(await call('find-pet', { id: 'x' })).toMatchObject({
    isError: true,
    text: 'The address answers 404.\n{"name":"x"}',
  });
  answer = (response) => void response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>at db.internal</h1>');
  expect(await call('find-pet', { id: 'x' })).toMatchObject({ isError: true, text: 'The address answers 500.' });
});

test('an address of this machine that no operator lists is not called', async () => {
  const refused = await call('inner', {});
  expect(refused).toMatchObject({ isError: true, code: 'server_unavailable' });
  expect(refused.text).toContain('private network');
});

test('no MCP server has the name of the registry', async () => {
  const config = { transport: 'streamable-http', url: other.url };
  await expect(
    stage.ada.client.call('registry.create', {
      params: { kind: 'mcp-server' },
      body: { name: 'registry', team: 'ml', config },
    }),
  ).rejects.toMatchObject({ code: 'invalid', detail: expect.stringContaining('registry') as string });
});
