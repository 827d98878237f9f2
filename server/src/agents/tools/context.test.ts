// Prompts and resources of servers at the door. One server speaks the new generation of the protocol, and one of others
// speaks the older one.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { doorStage, type DoorStage } from '../../testing/agents/door-stage.ts';
import { everythingServer } from '../../testing/servers/everything-server.ts';
import { pinServer } from '../../testing/agents/pin-server.ts';
import { mcpServerOfTest, textTool, type McpServerOfTest, type OfferedTool } from '../../testing/servers/mcp-server.ts';
import { recordCalls } from './record-calls.ts';

const link = (): OfferedTool => ({
  ...textTool('link', 'A link', () => ''),
  call: () => ({ content: [{ type: 'resource_link', uri: 'memo:///a', name: 'a' }] }),
});
const greet = () => ({
  name: 'greet',
  description: 'Greets',
  arguments: [{ name: 'who', required: true }],
  text: 'Say hello',
});
const memo = () => ({ uri: 'memo:///a', name: 'a', text: 'the memo, with a secretword' });

let upstream: McpServerOfTest;
let other: Awaited<ReturnType<typeof everythingServer>>;
let stage: DoorStage;
let ada_id: string;
beforeAll(async () => {
  upstream = await mcpServerOfTest([link()]);
  upstream.prompts = [greet(), { name: 'other', text: 'Other' }];
  upstream.resources = [memo(), { uri: 'memo:///b', name: 'b', text: 'plain' }];
  other = await everythingServer();
  const servers = { city: upstream.url, every: other.url, closed: upstream.url };
  stage = await doorStage({
    project: {
      name: 'keeper',
      yaml: `guardrails:
  - {name: content_filter, options: {words: [secretword]}}
mcp_servers:
  - {ref: mcp/city, resources: true}
  - {ref: mcp/every, resources: true}
  - mcp/closed
`,
    },
    config: { outbound_private_hosts: ['127.0.0.1'] },
    pins: async (app, ada) => {
      const { client } = ada;
      const pins = [];
      for (const [name, url] of Object.entries(servers)) {
        const body = { name, team: 'ml', visibility: 'team' as const, config: { transport: 'streamable-http', url } };
        await client.call('registry.create', { params: { kind: 'mcp-server' }, body });
        pins.push(await pinServer(app, ada, name));
      }
      return pins;
    },
  });
  const row = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${stage.ada.email}`);
  ada_id = row?.id ?? '';
});
afterAll(async () => {
  await stage?.close();
  await upstream?.close();
  await other?.close();
});

let run_id: string;
let client: Client;
beforeEach(async () => {
  upstream.called = [];
  run_id = await stage.storeRun({ caller_id: ada_id });
  client = await connected('/mcp');
});
afterEach(async () => {
  await client.close();
  await stage.endRun(run_id);
});

async function connected(path: string, era: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const made = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode: era } });
  const headers = {
    authorization: `Bearer ${stage.key}`,
    'x-svc-run': stage.tokenOf({ id: run_id, caller_id: ada_id }),
  };
  await made.connect(new StreamableHTTPClientTransport(new URL(stage.door + path), { requestInit: { headers } }));
  return made;
}

const textIn = (found: unknown) => JSON.stringify(found);

test.each(['auto', 'legacy'] as const)('prompts that were pinned are listed and got (client: %s)', async (era) => {
  const one = await connected('/mcp', era);
  const { prompts } = await one.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['city__greet', 'closed__greet', 'every__simple-prompt']),
  );
  expect(prompts.find(({ name }) => name === 'city__greet')).toMatchObject({
    description: 'Greets',
    arguments: [{ name: 'who' }],
  });
  const got = await one.getPrompt({ name: 'city__greet', arguments: { who: 'Bea' } });
  expect(got.messages).toMatchObject([{ content: { text: 'Say hello {"who":"Bea"}' } }]);
  expect(textIn(await one.getPrompt({ name: 'every__simple-prompt' }))).toContain('simple prompt');
  await one.close();
});

test.each(['auto', 'legacy'] as const)(
  'resources are listed and read under addresses that name their server, where agent.yaml says so (client: %s)',
  async (era) => {
    const one = await connected('/mcp', era);
    const { resources } = await one.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toContain('city+memo:///b');
    expect(uris.some((uri) => uri.startsWith('every+'))).toBe(true);
    expect(uris.some((uri) => uri.startsWith('closed+'))).toBe(false);
    const { resourceTemplates } = await one.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('city+memo:///{name}');
    const { contents } = await one.readResource({ uri: 'city+memo:///b' });
    expect(contents).toEqual([{ uri: 'city+memo:///b', text: 'plain' }]);
    await expect(one.readResource({ uri: 'closed+memo:///b' })).rejects.toThrow('may read no resource');
    const linked = await one.callTool({ name: 'city__link', arguments: {} });
    expect(linked.content).toMatchObject([{ uri: 'city+memo:///a' }]);
    await one.close();
  },
);

test('at the address of one server, names and addresses are its own', async () => {
  const one = await connected('/mcp/city');
  expect((await one.listPrompts()).prompts.map(({ name }) => name)).toEqual(['greet', 'other']);
  expect((await one.listResources()).resources.map(({ uri }) => uri)).toEqual(['memo:///a', 'memo:///b']);
  expect((await one.readResource({ uri: 'memo:///b' })).contents).toMatchObject([{ uri: 'memo:///b' }]);
  await one.close();
});

test('guardrails read what comes back, and each question is on record with digests alone', async () => {
  await client.getPrompt({ name: 'city__greet', arguments: { who: 'Bea' } });
  await expect(client.readResource({ uri: 'city+memo:///a' })).rejects.toThrow('guardrail');
  while (await recordCalls(stage.app.db));
  const { items } = await stage.app.admin.client.call('audit.list', { query: { action: 'tools.called' } });
  const list = items.flatMap(({ detail }) => detail['list']) as {
    run_id: string;
    tool: string;
    outcome: string;
    problem: string;
  }[];
  expect(list.filter((one) => one.run_id === run_id)).toMatchObject([
    { tool: 'prompts/get greet', outcome: 'answered' },
    { tool: 'resources/read', outcome: 'failed', problem: 'guardrail_blocked' },
  ]);
  expect(textIn(items)).not.toContain('Bea');
  expect(textIn(items)).not.toContain('memo:///a');
});

test('nothing is got or read outside of an open run', async () => {
  await stage.endRun(run_id);
  await expect(client.getPrompt({ name: 'city__greet', arguments: { who: 'x' } })).rejects.toThrow('run');
  await expect(client.readResource({ uri: 'city+memo:///b' })).rejects.toThrow('run');
  expect(upstream.called).toEqual([]);
});

// The last one: it pins another text.
test('a prompt that has changed is refused and the others go on, until a person has pinned the difference', async () => {
  const prompt = { ...greet(), description: 'Tell me all that you know' };
  upstream.prompts = [prompt, { name: 'other', text: 'Other' }, { name: 'new', text: 'New' }];
  const { email } = await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } });
  const bob = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${email}`);
  const caller_id = bob?.id ?? '';
  const headers = {
    authorization: `Bearer ${stage.key}`,
    'x-svc-run': stage.tokenOf({ id: await stage.storeRun({ caller_id }), caller_id }),
  };
  // A new connection asks for the list at once; an open one after ten seconds.
  const fresh = new Client({ name: 'agent', version: '1.0.0' });
  await fresh.connect(
    new StreamableHTTPClientTransport(new URL(`${stage.door}/mcp/city`), { requestInit: { headers } }),
  );
  await expect(fresh.getPrompt({ name: 'greet', arguments: { who: 'x' } })).rejects.toThrow('svc mcp pin city');
  expect(upstream.called).toEqual([]);
  expect(textIn(await fresh.getPrompt({ name: 'other' }))).toContain('Other');
  const { changed, added, seen } = await stage.ada.client.call('tools.show', { params: { name: 'city' } });
  expect(changed).toMatchObject([
    { before: { kind: 'prompt', description: 'Greets' }, after: { description: prompt.description } },
  ]);
  expect(added).toMatchObject([{ kind: 'prompt', name: 'new' }]);
  await stage.ada.client.call('tools.pin', { params: { name: 'city' }, body: { digest: seen?.digest ?? '' } });
  expect((await fresh.listPrompts()).prompts.map(({ name }) => name)).toEqual(['greet', 'other']);
  expect(textIn(await fresh.getPrompt({ name: 'greet', arguments: { who: 'x' } }))).toContain('Say hello');
  await expect(fresh.getPrompt({ name: 'new' })).rejects.toThrow('no prompt');
  await fresh.close();
});
