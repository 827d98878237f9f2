// Agents call a server in the name of a person, who has connected with an API key. A real server of the protocol shows what reaches it.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { nameReach } from '@gantry/contract/assets/reach.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../ground/database/sql.ts';
import { toolStage, type ToolStage } from '../../testing/agents/tool-stage.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { contains, databaseAsText } from '../../testing/database-as-text.ts';
import { textTool } from '../../testing/servers/mcp-server.ts';
import type { TestUser } from '../../testing/test-app.ts';

const key = 'key-of-ada-0123456789';
const reading = { annotations: { readOnlyHint: true } };

let stage: ToolStage;
let bob: TestUser;
let bob_id: string;
beforeAll(async () => {
  stage = await toolStage({
    tools: [{ ...textTool('look', 'Looks', () => 'seen'), ...reading }, textTool('send', 'Sends', () => 'sent')],
    config: { as: 'user' },
    prepare: async (client) => await connect(client, key),
  });
  bob = await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } });
  const row = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${bob.email}`);
  bob_id = row?.id ?? '';
});
afterAll(async () => await stage?.close());
beforeEach(async () => {
  await stage.app.db.run(sql`delete from connection_ask`);
  await stage.app.db.run(sql`delete from connection_consent`);
  stage.upstream.seen = [];
});

async function connect(client: TestUser['client'], value: string): Promise<void> {
  const { id } = await client.call('connections.ask', { params: { name: 'city' } });
  await client.call('connections.set_key', { params: { id }, body: { key: value } });
}
const shown = async ({ client }: TestUser) => await client.call('connections.show', {});
const decide = async ({ client }: TestUser, id: string, decision: 'allow' | 'refuse') =>
  await codeOf(client.call('connections.decide', { params: { id }, body: { decision } }));
const codeOf = async (asked: Promise<unknown>) =>
  await asked.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
const askOf = async (user: TestUser) => (await shown(user)).asks.find(({ agent }) => agent !== null)?.id ?? '';
const sent = () => stage.upstream.seen.map(({ authorization }) => authorization);

test('an agent calls in the name of a person after they allow it, with their own key', async () => {
  await stage.begin();
  const refused = await stage.call('send', {});
  expect(refused).toMatchObject({ isError: true, code: 'connection_needed' });
  expect(refused.text).toContain('/connections?ask=');
  expect(stage.upstream.called).toEqual([]);
  const [ask] = (await shown(stage.ada)).asks;
  expect(ask).toMatchObject({
    agent: 'agents/keeper',
    writes: ['send'],
    is_connected: true,
    server: 'mcp-servers/city',
  });
  expect(await decide(stage.ada, ask?.id ?? '', 'allow')).toBe('done');
  expect(await stage.call('send', {})).toMatchObject({ isError: false, text: 'sent' });
  expect(sent().at(-1)).toBe(`Bearer ${key}`);
  const { connections } = await shown(stage.ada);
  expect(connections).toMatchObject([
    {
      server: 'mcp-servers/city',
      issuer: null,
      is_void: false,
      agents: [{ asset: 'agents/keeper', calls: true, writes: ['send'] }],
    },
  ]);
  expect(connections[0]?.last_used_at).not.toBeNull();
  await stage.end();
});

test('a refused agent does not ask again before a day is over', async () => {
  await stage.begin();
  await stage.call('send', {});
  expect(await decide(stage.ada, await askOf(stage.ada), 'refuse')).toBe('done');
  expect(await stage.call('send', {})).toMatchObject({ isError: true, code: 'connection_refused' });
  await stage.app.db.run(sql`update connection_ask set expires_at = clock_now() - interval '1 second'`);
  expect((await stage.call('send', {})).code).toBe('connection_needed');
  expect(stage.upstream.called).toEqual([]);
  await stage.end();
});

test('each asset through which a call comes needs the consent, and one that only passes calls on may not call itself', async () => {
  const front = await storeAgent(stage.app, stage.ada.email, { name: 'front' });
  const chain = [{ id: front.asset_id, ref: 'agents/front' }];
  await stage.begin();
  await stage.call('send', {});
  await decide(stage.ada, await askOf(stage.ada), 'allow');
  expect((await stage.call('send', {})).isError).toBe(false);
  await stage.end();
  await stage.begin(stage.ada_id, chain);
  expect((await stage.call('send', {})).code).toBe('connection_needed');
  expect((await shown(stage.ada)).asks).toMatchObject([{ through: ['agents/keeper', 'agents/front'] }]);
  await decide(stage.ada, await askOf(stage.ada), 'allow');
  expect((await stage.call('send', {})).isError).toBe(false);
  const [connection] = (await shown(stage.ada)).connections;
  expect(connection?.agents).toMatchObject([
    { asset: 'agents/front', calls: false },
    { asset: 'agents/keeper', calls: true },
  ]);
  await stage.ada.client.call('connections.remove', { params: { name: 'city' }, query: { asset: 'agents/front' } });
  expect((await stage.call('send', {})).code).toBe('connection_needed');
  await stage.end();
});

test('an ask, its link and its decision are of one person alone', async () => {
  await stage.begin();
  await stage.call('send', {});
  const id = await askOf(stage.ada);
  expect(await decide(bob, id, 'allow')).toBe('not_found');
  expect(await codeOf(bob.client.call('connections.set_key', { params: { id }, body: { key: 'other-key-1' } }))).toBe(
    'not_found',
  );
  expect(await codeOf(bob.client.call('connections.begin', { params: { id } }))).toBe('not_found');
  expect(await shown(bob)).toEqual({ connections: [], asks: [] });
  await stage.end();
  await stage.begin(bob_id);
  expect((await stage.call('send', {})).code).toBe('connection_needed');
  expect(await decide(bob, await askOf(bob), 'allow')).toBe('connection_needed');
  await connect(bob.client, 'key-of-bob-0123456789');
  expect(await decide(bob, await askOf(bob), 'allow')).toBe('done');
  expect((await stage.call('send', {})).isError).toBe(false);
  expect(sent().at(-1)).toBe('Bearer key-of-bob-0123456789');
  await stage.end();
});

test('what a server sends back of the credential does not reach the agent, and neither log nor database has it', async () => {
  await stage.begin();
  await stage.call('send', {});
  await decide(stage.ada, await askOf(stage.ada), 'allow');
  stage.upstream.tools[1] = textTool('send', 'Sends', () => `you sent ${stage.upstream.seen.at(-1)?.authorization}`);
  expect(await stage.call('send', {})).toMatchObject({ text: 'you sent Bearer [credential]' });
  stage.upstream.tools[1] = {
    ...textTool('send', 'Sends', () => ''),
    call: () => {
      throw new Error(`bad credential ${stage.upstream.seen.at(-1)?.authorization}`);
    },
  };
  const failed = await stage.call('send', {});
  expect(failed.isError).toBe(true);
  expect(failed.text).not.toContain(key);
  stage.upstream.tools[1] = textTool('send', 'Sends', () => 'sent');
  const tables = await databaseAsText(stage.app.db);
  expect([...tables].filter(([, text]) => contains(text, key)).map(([table]) => table)).toEqual([]);
  await stage.end();
});

test('a removed connection ends at once, also for an agent that holds the server open', async () => {
  await stage.begin();
  await stage.call('send', {});
  await decide(stage.ada, await askOf(stage.ada), 'allow');
  expect((await stage.call('send', {})).isError).toBe(false);
  await stage.ada.client.call('connections.remove', { params: { name: 'city' } });
  expect((await stage.call('send', {})).code).toBe('connection_needed');
  await connect(stage.ada.client, key);
  expect((await stage.call('send', {})).code).toBe('connection_needed');
  await stage.end();
});

test('a key that the server refuses ends the connection, and the person is asked for another one', async () => {
  await connect(stage.ada.client, key);
  await stage.begin();
  await stage.call('send', {});
  expect(await decide(stage.ada, await askOf(stage.ada), 'allow')).toBe('done');
  stage.upstream.instead = async () => await Promise.resolve({ status: 401, headers: {} });
  expect(await stage.call('send', {})).toMatchObject({ isError: true, code: 'connection_needed' });
  delete stage.upstream.instead;
  expect((await shown(stage.ada)).connections).toMatchObject([{ is_void: true }]);
  const again = await stage.call('send', {});
  expect(again.text).toContain('connects, and lets');
  await connect(stage.ada.client, key);
  await stage.end();
});

test('another address of the server voids the connection and its consents', async () => {
  await stage.begin();
  await stage.call('send', {});
  await decide(stage.ada, await askOf(stage.ada), 'allow');
  const config = { transport: 'streamable-http', url: 'https://elsewhere.example/mcp', as: 'user' } as never;
  await stage.ada.client.call('registry.edit', {
    params: { kind: 'mcp-server', name: 'city' },
    body: { version: '1.1.0', config },
  });
  expect((await shown(stage.ada)).connections).toMatchObject([{ is_void: true }]);
  // The agent's version has the former address, for which the person has connected.
  expect((await stage.call('send', {})).isError).toBe(false);
  await connect(stage.ada.client, 'key-for-elsewhere-1');
  stage.upstream.seen = [];
  expect((await stage.call('send', {})).code).toBe('connection_needed');
  expect(sent()).toEqual([]);
  expect((await shown(stage.ada)).connections).toMatchObject([{ is_void: false, agents: [] }]);
  await stage.ada.client.call('connections.remove', { params: { name: 'city' } });
  const ask = await askOf(stage.ada);
  await stage.ada.client.call('connections.set_key', { params: { id: ask }, body: { key } });
  expect(await decide(stage.ada, ask, 'allow')).toBe('done');
  expect((await stage.call('send', {})).isError).toBe(false);
  await stage.end();
});

test('a tool that may newly write needs the consent again', async () => {
  await stage.begin();
  await stage.call('look', {});
  await decide(stage.ada, await askOf(stage.ada), 'allow');
  expect((await stage.call('look', {})).isError).toBe(false);
  const { annotations: _, ...looks } = stage.upstream.tools[0] ?? textTool('look', '', () => '');
  stage.upstream.tools[0] = looks;
  // The newest version has another address, which nobody asks here.
  const named = { params: { name: 'city' }, query: { version: '1.0.0' } };
  const { seen } = await stage.ada.client.call('tools.look', named);
  await stage.ada.client.call('tools.pin', { ...named, body: { digest: seen?.digest ?? '' } });
  expect((await stage.call('look', {})).code).toBe('connection_needed');
  expect((await shown(stage.ada)).asks).toMatchObject([{ writes: ['look', 'send'] }]);
  await stage.end();
});

test('a key that no header can have is refused, without its text', async () => {
  const { id } = await stage.ada.client.call('connections.ask', { params: { name: 'city' } });
  const asked = stage.ada.client.call('connections.set_key', { params: { id }, body: { key: 'secret\r\nx-more: 1' } });
  const problem = await asked.catch((error: unknown) => error);
  expect(problem).toMatchObject({ code: 'invalid' });
  expect(JSON.stringify(problem)).not.toContain('x-more');
});

test('an agent cannot fill the list of a person', async () => {
  await stage.app.db.run(sql`
    insert into connection_ask (user_id, server_id, server_version, agent_id, through_ids, through, writes, about, expires_at)
    select ${stage.ada_id}, id, '1.0.0', ${stage.agent.asset_id}, '{}', '{agents/keeper}', '{}', n::text, clock_now() + interval '1 hour'
    from asset, generate_series(1, 50) n where name = 'city'`);
  await stage.begin();
  expect((await stage.call('send', {})).code).toBe('too_many_requests');
  await stage.end();
});

test('a review and a plan say that the agent wants a credential of the user', async () => {
  const { changes } = await stage.ada.client.call('deployments.plan', { body: { ref: stage.agent.ref } });
  const line = changes.reach.find(({ kind }) => kind === 'user-credential');
  expect(line).toMatchObject({ name: 'mcp-servers/city' });
  expect(line && nameReach(line)).toBe('wants a credential of the user, at mcp-servers/city');
});

test('the inbox counts agents that want to act as the person, and a service principal is no person', async () => {
  await stage.begin();
  await stage.call('send', {});
  expect(await stage.ada.client.call('notifications.count', {})).toMatchObject({ waiting_consents: 1 });
  await stage.end();
  const { id } = await stage.ada.client.call('principals.create', {
    body: { name: 'ci', team: 'ml', role: 'deployer' },
  });
  await stage.begin(id);
  const refused = await stage.call('send', {});
  expect(refused).toMatchObject({ code: 'connection_needed' });
  expect(refused.text).toContain('no person');
  await stage.end();
});
