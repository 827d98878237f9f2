// The registry API of the Model Context Protocol, by its schema of 2025-12-11.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RegistryList } from '@gantry/contract/assets/mcp-registry.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let otto: TestUser;
beforeAll(async () => {
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', base_url: 'https://gantry.example.com' },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'admin' } });
  for (const name of ['city', 'bank'])
    await ada.client.call('registry.create', {
      params: { kind: 'mcp-server' },
      body: {
        name,
        team: 'ml',
        visibility: 'team',
        description: 'The weather '.repeat(20),
        config: { transport: 'streamable-http', url: 'https://weather.example/mcp', secret: 'CITY_TOKEN' },
      },
    });
  const yaml = 'description: Greets\naccess: {visibility: team}\n';
  const agent = await storeAgent(app, ada.email, { name: 'greeter', yaml });
  await standInFor(app, agent, (_, response) => void response.end('{"status":"ready"}'));
  await storeAgent(app, ada.email, { name: 'idle', yaml });
});
afterAll(async () => await app?.stop());

const ask = async (by: TestUser, path: string) => {
  const answered = await fetch(`${app.url}/v0.1/servers${path}`, { headers: { authorization: `Bearer ${by.token}` } });
  return { status: answered.status, text: await answered.text() };
};
const listed = async (by: TestUser, query: string) => JSON.parse((await ask(by, query)).text) as RegistryList;

async function namesOf(by: TestUser): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { servers, metadata } = await listed(by, `?limit=1${at}`);
    names.push(...servers.map(({ server }) => server.name));
    cursor = metadata.nextCursor;
  }
  return names;
}

test('a reader pages through the servers and the deployed agents that they may see', async () => {
  expect(await namesOf(ada)).toEqual([
    'com.example.gantry.mcp-servers/bank',
    'com.example.gantry.mcp-servers/city',
    'com.example.gantry.agents/greeter',
  ]);
  expect(await namesOf(otto)).toEqual([]);
});

test('an entry has the address here, and nothing of the address and the secret behind it', async () => {
  const { text } = await ask(ada, '/com.example.gantry.mcp-servers%2Fcity/versions/latest');
  expect(JSON.parse(text)).toMatchObject({
    server: {
      name: 'com.example.gantry.mcp-servers/city',
      version: '1.0.0',
      remotes: [{ type: 'streamable-http', url: 'https://gantry.example.com/mcp/city' }],
    },
  });
  expect(text).not.toMatch(/weather\.example|CITY_TOKEN/);
  const { server } = (JSON.parse(text) as { server: { name: string; description: string } }) ?? {};
  expect(server.description.length).toBeLessThanOrEqual(100);
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  const agent = await ask(ada, '/com.example.gantry.agents/greeter/versions/1.0.0');
  expect(agent.text).toContain('https://gantry.example.com/agents/greeter/mcp');
  expect((await listed(ada, '/com.example.gantry.agents%2Fgreeter/versions')).servers).toHaveLength(1);
});

test.each([
  '/com.example.gantry.mcp-servers%2Fcity/versions/9.0.0',
  '/com.example.gantry.agents%2Fidle/versions/latest',
  '/com.example.other.agents%2Fgreeter/versions/latest',
  '/com.example.gantry.agents%2Fnobody/versions/latest',
])('%s is not there', async (path) => {
  expect((await ask(ada, path)).status).toBe(404);
});

test('what another team has is not there, as what nobody has', async () => {
  for (const name of ['mcp-servers%2Fcity', 'agents%2Fgreeter', 'agents%2Fnobody'])
    expect([name, (await ask(otto, `/com.example.gantry.${name}/versions/latest`)).status]).toEqual([name, 404]);
});
