// `svc mcp serve` as a coding agent starts it, against the real service.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gantry-stdio-'));
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  await storeAgent(app, ada.email, { name: 'greeter', yaml: 'description: Grüezi\n' });
});
afterAll(async () => {
  await app?.stop();
  await rm(home, { recursive: true, force: true });
});

async function connected(era: 'auto' | 'legacy', token: string): Promise<Client> {
  const client = new Client({ name: 'coder', version: '1.0.0' }, { versionNegotiation: { mode: era } });
  const program = join(import.meta.dirname, '../../../../../cli/svc.js');
  const env = { HOME: home, PATH: dirname(process.execPath), SERVICE_API_TOKEN: token };
  const args = [program, 'mcp', 'serve', '--server', app.url];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  return client;
}

test.each(['auto', 'legacy'] as const)('a coding agent works for its person (client: %s)', async (era) => {
  const client = await connected(era, ada.token);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['deploy', 'validate_project']));
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    const [part] = content;
    return { text: part?.type === 'text' ? part.text : '', isError };
  };
  expect((await call('list_agents', {})).text).toContain('greeter');
  await writeFile(join(home, 'agent.yaml'), 'name: 7\n');
  expect(await call('validate_project', { path: home })).toMatchObject({
    isError: true,
    text: expect.stringContaining('agent.yaml') as string,
  });
  expect(await call('validate_project', { path: '--help' })).toMatchObject({ isError: true });
  await client.close();
});
