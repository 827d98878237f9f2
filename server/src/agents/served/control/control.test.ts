// The service as an MCP server for a coding agent, with the official client and the person's own token.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client as ApiClient } from '@gantry/contract/client/client.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import type { Operation } from '@gantry/contract/roles.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { controlTools } from './control-tools.ts';

let app: TestApp;
let ada: TestUser;
let vera: TestUser;
let otto: TestUser;
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'admin' } });
  const agent = await storeAgent(app, ada.email, { name: 'greeter', yaml: 'access: {visibility: team}\n' });
  await standInFor(app, agent, (request, response) => {
    response.setHeader('content-type', 'application/json');
    const schema = { properties: { message: { type: 'string' } } };
    response.end(
      JSON.stringify(request.url === '/invoke' ? { output: 'Hello' } : { status: 'ready', input_schema: schema }),
    );
  });
});
afterAll(async () => await app?.stop());

async function connected({ token }: Pick<TestUser, 'token'>): Promise<Client> {
  const client = new Client({ name: 'coder', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit: { headers } }));
  return client;
}

async function call(by: TestUser, name: string, args: Record<string, unknown> = {}) {
  const client = await connected(by);
  const { content, _meta, isError = false } = await client.callTool({ name, arguments: args });
  await client.close();
  const [part] = content;
  return { text: part?.type === 'text' ? part.text : '', code: _meta?.['gantry/problem'], isError };
}

/** Written by hand: a tool for anything else is a decision of its own. */
const offered: readonly Operation[] = [
  'agent.deploy',
  'agent.operate',
  'approval.submit',
  'asset.delete',
  'asset.invoke',
  'asset.list',
  'asset.read',
  'deployment.list',
  'deployment.read',
  'inbox.read',
  'trace.read',
];

test('no tool approves, reveals, grants, or reads or changes a secret or a setting', () => {
  const operations = controlTools.flatMap(({ calls }) => calls.map((name) => endpoints[name].operation));
  expect([...new Set(operations)].toSorted()).toEqual(offered);
  const named = controlTools.flatMap(({ calls }) => calls).join(' ');
  expect(named).not.toMatch(/approve|decide|reveal|grant|secret|keys|org\.|members|users/);
});

test.each(controlTools)('$name calls the endpoints that it names, and no other', async (tool) => {
  const called: string[] = [];
  const recording = {
    call: async (name: string) => {
      called.push(name);
      if (name === 'agents.logs') return (async function* () {})();
      if (name === 'invoke.call') return new Response('{}');
      return await Promise.resolve({ input_schema: null, keeps_threads: false });
    },
  } as unknown as ApiClient; // it answers each endpoint of these tools
  const given = {
    name: 'a',
    confirm: 'a',
    id: crypto.randomUUID(),
    ref: 'agents/a@1.0.0',
    asset: 'agents/a',
    input: {},
  };
  await tool.run(
    recording,
    { ...given, message: tool.name === 'invoke_agent' ? undefined : 'm' },
    AbortSignal.timeout(5000),
  );
  expect(called).toEqual(tool.calls);
});

test('what ends something needs the name a second time', async () => {
  const destroying = controlTools.filter(({ acts }) => acts === 'destroys').map(({ name }) => name);
  expect(destroying).toEqual(['stop_agent', 'roll_back_agent', 'remove_agent']);
  for (const name of destroying) {
    expect(await call(ada, name, { name: 'greeter' })).toMatchObject({ code: 'invalid' });
    const refused = await call(ada, name, { name: 'greeter', confirm: 'yes' });
    expect(refused).toMatchObject({ code: 'invalid' });
    expect(refused.text).toContain('confirm must be greeter');
  }
  expect(JSON.parse((await call(ada, 'show_agent', { name: 'greeter' })).text)).toMatchObject({ name: 'greeter' });
  const client = await connected(ada);
  const { tools } = await client.listTools();
  await client.close();
  expect(tools.find(({ name }) => name === 'remove_agent')).toMatchObject({
    annotations: { destructiveHint: true },
    inputSchema: { required: ['name', 'confirm'] },
  });
});

test('the tools see and do what the person may, and nothing else', async () => {
  expect((await call(vera, 'list_agents')).text).toContain('"greeter"');
  expect((await call(otto, 'list_agents')).text).not.toContain('greeter');
  expect(await call(otto, 'show_agent', { name: 'greeter' })).toMatchObject({ isError: true, code: 'not_found' });
  expect(await call(vera, 'stop_agent', { name: 'greeter', confirm: 'greeter' })).toMatchObject({ code: 'forbidden' });
  expect(await call(vera, 'deploy', { ref: 'agents/greeter@1.0.0' })).toMatchObject({ isError: true });
  expect(await call(vera, 'invoke_agent', { name: 'greeter', message: 'Hi' })).toMatchObject({
    text: expect.stringContaining('Hello') as string,
  });
});

test('many calls of one person at once all answer, although each asks the API', async () => {
  const asked = await Promise.all(Array.from({ length: 40 }, async () => await call(vera, 'list_agents')));
  expect(asked.filter(({ isError }) => isError)).toEqual([]);
});

test('an act of a tool is in the log under the person', async () => {
  const asked = await call(ada, 'ask_for_approval', { asset: 'agents/greeter', message: 'first' });
  expect(asked.isError).toBe(false);
  const { items } = await app.admin.client.call('audit.list', { query: { user: ada.email } });
  expect(items.filter(({ event }) => event.startsWith('approval.'))).toHaveLength(1);
});
