// What a run has read, and the calls that wait for a person because of it. A real server of the protocol sees which calls go out.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { sql } from '../../ground/database/sql.ts';
import { toolStage, type ToolStage } from '../../testing/agents/tool-stage.ts';
import { textTool } from '../../testing/servers/mcp-server.ts';
import { copyExposure } from '../memory/thread-store.ts';
import { openTurns } from '../memory/turns.ts';

const config = {
  data_flow: { private_data: ['records'], outside_text: ['browse'] },
  rules: [
    { name: 'no-advice', tools: ['advise'], deny: 'run.outside_text', because: 'No advice after a page of others.' },
  ],
};

let stage: ToolStage;
beforeAll(async () => {
  const tools = ['records', 'browse', 'send', 'advise'].map((name) => textTool(name, `The ${name}`, () => 'done'));
  const closed = {
    ...textTool('note', 'Keeps a note', () => 'done'),
    annotations: { readOnlyHint: false, openWorldHint: false },
  };
  stage = await toolStage({ tools: [...tools, closed], config });
});
afterAll(async () => await stage?.close());
afterEach(async () => {
  await stage.end();
  await after('never');
  await stage.app.db.run(sql`delete from tool_approval`);
});

const after = async (approve_outgoing_after: 'never' | 'private_data' | 'outside_text' | 'both') =>
  await stage.app.admin.client.call('org.set', { body: { approve_outgoing_after } });
const made = async (tool: string) => {
  const { isError, code } = await stage.call(tool, {});
  return isError ? code : 'made';
};

test('after private data and text of others, a call that sends something out waits for a person, and goes out once', async () => {
  await after('both');
  await stage.begin();
  expect([await made('send'), await made('records'), await made('send'), await made('browse')]).toEqual([
    'made',
    'made',
    'made',
    'made',
  ]);
  expect([await made('send'), await made('note')]).toEqual(['call_waits', 'made']);
  const [waiting] = (await stage.app.admin.client.call('tool_calls.waiting', { query: {} })).items;
  expect(waiting).toMatchObject({ tool: 'send', wanted_by: ['the organisation (approve_outgoing_after)'] });
  const body = { decision: 'approve' } as const;
  await stage.app.admin.client.call('tool_calls.decide', { params: { id: waiting?.id ?? '' }, body });
  expect([await made('send'), await made('send')]).toEqual(['made', 'call_waits']);
  expect(stage.upstream.called.filter((tool) => tool === 'send')).toHaveLength(3);
});

test.each([
  ['never', 'made', 'made'],
  ['private_data', 'call_waits', 'made'],
  ['outside_text', 'made', 'call_waits'],
] as const)('with %s: after private data %s, after text of others %s', async (setting, records, browse) => {
  await after(setting);
  await stage.begin();
  await stage.call('records', {});
  expect(await made('send')).toBe(records);
  await stage.end();
  await stage.begin();
  await stage.call('browse', {});
  expect(await made('send')).toBe(browse);
});

test('a rule reads what the run has read', async () => {
  await stage.begin();
  expect(await made('advise')).toBe('made');
  await stage.call('browse', {});
  expect(await made('advise')).toBe('rule_refused');
});

test('a refused call has read nothing', async () => {
  await after('outside_text');
  await stage.begin();
  await stage.call('browse', {});
  await stage.end();
  await stage.begin();
  expect((await stage.call('browse', { city: 1 })).code).toBe('arguments_refused');
  expect(await made('send')).toBe('made');
});

test('all runs below the first one have it, and no other run', async () => {
  await after('outside_text');
  await stage.begin();
  await stage.call('browse', {});
  const below = async (root_run_id: string) => {
    const id = await stage.storeRun({ caller_id: stage.ada_id });
    const token = stage.tokenOf({ id, caller_id: stage.ada_id, root_run_id });
    const client = new Client({ name: 'agent', version: '1.0.0' });
    const headers = { authorization: `Bearer ${stage.key}`, 'x-svc-run': token };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${stage.door}/mcp/city`), { requestInit: { headers } }),
    );
    const { _meta } = await client.callTool({ name: 'send', arguments: {} });
    await client.close();
    await stage.endRun(id);
    return _meta?.['gantry/problem'];
  };
  expect(await below(stage.run_id)).toBe('call_waits');
  expect(await below(randomUUID())).toBeUndefined();
});

test('a thread hands it to its later runs and to its copy, also when the run that read it is gone', async () => {
  await after('outside_text');
  const turns = openTurns(stage.app.db);
  const on = async (thread: string) => {
    await stage.begin();
    const of = { agent_id: stage.agent.asset_id, owner_id: stage.ada_id, space: 'mine', name: thread, via: null };
    await stage.app.db.transaction(async (tx) => await turns.enter(tx, { run_id: stage.run_id, ...of }));
    await turns.wait(stage.run_id, new AbortController().signal);
    return await made('send');
  };
  expect(await on('first')).toBe('made');
  await stage.call('browse', {});
  // The row of the run goes with it.
  await stage.end();
  expect(await on('second')).toBe('made');
  await stage.end();
  expect(await on('first')).toBe('call_waits');
  await stage.app.db.transaction(async (tx) => {
    const rows = await tx.all<{ id: string }>(sql`select id from thread where space = 'mine' order by name`);
    const [from = '', to = ''] = rows.map(({ id }) => id);
    await copyExposure(tx, { from, to });
  });
  await stage.end();
  expect(await on('second')).toBe('call_waits');
});
