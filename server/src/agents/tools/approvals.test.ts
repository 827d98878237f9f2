// Calls that a person must approve. A real server of the protocol counts what reaches it.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../ground/database/sql.ts';
import { toolStage, type ToolStage } from '../../testing/agents/tool-stage.ts';
import { textTool } from '../../testing/servers/mcp-server.ts';
import { smtpServer, type SmtpServer } from '../../testing/servers/smtp-server.ts';
import type { TestUser } from '../../testing/test-app.ts';
import { forgetOldCalls, recordCalls } from './record-calls.ts';

const config = {
  approve: [
    { tools: ['transfer'], when: 'args.amount > 10' },
    { tools: ['close'], by_other: true },
  ],
};
const yaml = `    approve:
      - {tools: [transfer], when: args.amount > 1000, by_other: true, hours: 1}
`;

let smtp: SmtpServer;
let stage: ToolStage;
let max: TestUser;
let bob: TestUser;
beforeAll(async () => {
  const schema = { type: 'object' as const, properties: { amount: { type: 'number' }, to: { type: 'string' } } };
  const tools = ['transfer', 'close', 'look'].map((name) => ({
    ...textTool(name, `The ${name}`, ({ amount }) => `done ${String(amount)}`),
    inputSchema: schema,
  }));
  smtp = await smtpServer();
  await smtp.start('starttls');
  const url = `smtp://gantry:${encodeURIComponent('a mail/password')}@localhost:${smtp.port}`;
  const mail = { url, from: 'gantry@example.com', ca_file: smtp.ca_file, plaintext: false };
  stage = await toolStage({ tools, config, yaml, service: { mail } });
  max = await stage.app.user('max@example.com', { teams: { ml: 'admin' } });
  bob = await stage.app.user('bob@example.com', { teams: { ml: 'deployer' } });
});
afterAll(async () => {
  await stage?.close();
  await smtp?.close();
});
beforeEach(async () => {
  await stage.app.db.run(sql`delete from tool_approval`);
  await stage.begin();
});
afterEach(async () => await stage.end());

const waitingFor = async ({ client }: TestUser) => (await client.call('tool_calls.waiting', { query: {} })).items;
const decide = async (by: TestUser, id: string, decision: 'approve' | 'reject', note?: string) =>
  await by.client.call('tool_calls.decide', { params: { id }, body: { decision, note } }).then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
const asked = async () => (await waitingFor(stage.app.admin))[0]?.id ?? '';
const transfer = async (amount: number) => await stage.call('transfer', { amount, to: 'bern' });
const entries = async (action: string) =>
  (await stage.app.admin.client.call('audit.list', { query: { action } })).items;

test('a call waits for a person, goes out once when the same call is made again, and is on the record', async () => {
  const first = await transfer(50);
  expect(first).toMatchObject({ isError: true, code: 'call_waits' });
  expect(first.text).toMatch(
    /A person must approve this call\. The call of transfer of mcp-servers\/city was not made\. It waits at http.*\/inbox/,
  );
  expect((await transfer(50)).code).toBe('call_waits');
  expect(stage.upstream.called).toEqual([]);
  const waiting = await waitingFor(max);
  expect(await max.client.call('notifications.count', {})).toMatchObject({ waiting_calls: 1 });
  expect(await bob.client.call('notifications.count', {})).toMatchObject({ waiting_calls: 0 });
  expect(waiting).toMatchObject([
    {
      server: 'mcp-servers/city@1.0.0',
      tool: 'transfer',
      arguments: { amount: 50, to: 'bern' },
      agent: 'agents/keeper',
      through: ['agents/keeper'],
      caller: stage.ada.email,
      is_own: false,
      wanted_by: ['mcp-servers/city@1.0.0'],
    },
  ]);
  expect(await decide(max, waiting[0]?.id ?? '', 'approve')).toBe('done');
  expect(await waitingFor(max)).toEqual([]);
  expect(await transfer(50)).toMatchObject({ isError: false, text: 'done 50' });
  expect(stage.upstream.called).toEqual(['transfer']);
  // It works once.
  expect((await transfer(50)).code).toBe('call_waits');
  expect(stage.upstream.called).toEqual(['transfer']);
  const about = { call: waiting[0]?.id, tool: 'transfer', caller: stage.ada.email, through: ['agents/keeper'] };
  expect((await entries('call.asked')).at(-1)).toMatchObject({ actor: { name: 'agents/keeper' }, detail: about });
  expect(await entries('call.approved')).toMatchObject([
    { actor: { name: max.email }, asset: 'mcp-servers/city', detail: about },
  ]);
  while (await recordCalls(stage.app.db));
  const list = (await entries('tools.called')).flatMap(({ detail }) => detail['list']) as { approval_id: string }[];
  expect(list.filter(({ approval_id }) => approval_id !== null)).toMatchObject([
    { tool: 'transfer', outcome: 'answered', approval_id: waiting[0]?.id },
  ]);
  expect(JSON.stringify(await entries('call.asked'))).not.toContain('bern');
});

test('what no condition is about goes out at once', async () => {
  expect(await transfer(5)).toMatchObject({ isError: false });
  expect(await stage.call('look', {})).toMatchObject({ isError: false });
});

test('an approval is for these arguments, this caller and this tool alone', async () => {
  await transfer(50);
  expect(await decide(max, await asked(), 'approve')).toBe('done');
  expect((await transfer(51)).code).toBe('call_waits');
  await stage.end();
  const row = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${bob.email}`);
  await stage.begin(row?.id);
  expect((await transfer(50)).code).toBe('call_waits');
  expect(stage.upstream.called).toEqual([]);
  await stage.end();
  await stage.begin();
  expect((await transfer(50)).isError).toBe(false);
});

test('of the server and of agent.yaml, the stricter one counts: an approval by another, within an hour', async () => {
  await transfer(5000);
  const [waiting] = await waitingFor(max);
  expect(waiting?.wanted_by).toEqual(['mcp-servers/city@1.0.0', 'agents/keeper']);
  const hours = (Date.parse(waiting?.expires_at ?? '') - Date.parse(waiting?.asked_at ?? '')) / 3_600_000;
  expect(hours).toBeCloseTo(1, 3);
  expect(await waitingFor(stage.ada)).toEqual([]);
  expect(await decide(stage.ada, waiting?.id ?? '', 'approve')).toBe('own_request');
  expect(await decide(max, waiting?.id ?? '', 'approve')).toBe('done');
  expect((await transfer(5000)).isError).toBe(false);
});

test('without by_other, an admin of the team of the server approves a call that an agent makes for them', async () => {
  await transfer(50);
  const [waiting] = await waitingFor(stage.ada);
  expect(waiting?.is_own).toBe(true);
  expect(await decide(stage.ada, waiting?.id ?? '', 'approve')).toBe('done');
});

test('only admins of the team of the server, and of the platform, see it and decide', async () => {
  await transfer(50);
  const id = await asked();
  const far = await stage.app.user('far@example.com', { teams: { ops: 'admin' } });
  expect([await waitingFor(bob), await waitingFor(far)]).toEqual([[], []]);
  expect([await decide(bob, id, 'approve'), await decide(far, id, 'approve')]).toEqual(['forbidden', 'not_found']);
  expect((await transfer(50)).code).toBe('call_waits');
  expect(await decide(stage.app.admin, id, 'approve')).toBe('done');
  expect(await decide(max, id, 'reject')).toBe('already_decided');
});

test('a rejected call is refused with the words of the person', async () => {
  await transfer(50);
  expect(await decide(max, await asked(), 'reject', 'Too much for one day.')).toBe('done');
  const refused = await transfer(50);
  expect(refused).toMatchObject({ isError: true, code: 'call_rejected' });
  expect(refused.text).toContain(`${max.email} has rejected this call of transfer. They say: Too much for one day.`);
  expect(await entries('call.rejected')).toHaveLength(1);
  expect(stage.upstream.called).toEqual([]);
});

test('an approval counts until it expires, and only while who approved may still approve', async () => {
  await transfer(50);
  await decide(max, await asked(), 'approve');
  await stage.app.db.run(sql`update tool_approval set expires_at = clock_now() - interval '1 second'`);
  expect((await transfer(50)).code).toBe('call_waits');
  const second = await asked();
  const eve = await stage.app.user('eve@example.com', { teams: { ml: 'admin' } });
  expect(await decide(eve, second, 'approve')).toBe('done');
  await stage.app.admin.client.call('teams.add_member', {
    params: { team: 'ml' },
    body: { principal: `user:${eve.email}`, role: 'viewer' },
  });
  expect((await transfer(50)).code).toBe('call_waits');
  expect(stage.upstream.called).toEqual([]);
  expect(await asked()).not.toBe(second);
});

test('of many equal calls at once, one goes out', async () => {
  await transfer(50);
  await decide(max, await asked(), 'approve');
  const codes = await Promise.all(Array.from({ length: 8 }, async () => (await transfer(50)).code));
  expect(codes.filter((code) => code === undefined)).toHaveLength(1);
  expect(codes.filter((code) => code === 'call_waits')).toHaveLength(7);
  expect(stage.upstream.called).toEqual(['transfer']);
});

test('an agent cannot fill the inbox', async () => {
  await stage.app.db.run(sql`
    insert into tool_approval (id, agent_id, revision_id, caller_id, caller, through, server_id, server_version, tool, arguments_digest, policy_digest,
      arguments, wanted_by, by_other, expires_at)
    select gen_random_uuid(), ${stage.agent.asset_id}, gen_random_uuid(), gen_random_uuid(), 'x', '{}', id, '1.0.0', 'transfer', n::text, 'x', '\\x00', '{}',
      false, clock_now() + interval '1 hour' from asset, generate_series(1, 50) n where name = 'city'`);
  expect((await transfer(50)).code).toBe('too_many_requests');
});

test('arguments are sealed at rest, and go with their time and with their caller', async () => {
  await transfer(50);
  const row = await stage.app.db.one<{ arguments: Buffer }>(sql`select arguments from tool_approval`);
  expect(row?.arguments.toString('latin1')).not.toContain('bern');
  await stage.app.db.run(sql`update tool_approval set expires_at = clock_now() - interval '8 days'`);
  await forgetOldCalls(stage.app.db);
  expect(await stage.app.db.all(sql`select from tool_approval`)).toEqual([]);
});

test('who may decide is told of it once, reads it on the home page, and gets no word of the arguments', async () => {
  await stage.app.db.run(sql`delete from notification`);
  await stage.call('close', { to: 'bern' });
  await stage.call('close', { to: 'basel' });
  const toldOf = async ({ client }: TestUser) =>
    (await client.call('notifications.list', { query: {} })).items.filter(({ kind }) => kind === 'calls_wait');
  expect(await toldOf(max)).toMatchObject([
    { kind: 'calls_wait', asset: 'mcp-servers/city', approval_id: null, text: 'agents/keeper asks to call close' },
  ]);
  expect(await toldOf(stage.app.admin)).toHaveLength(1);
  expect(await toldOf(bob)).toEqual([]);
  // The end caller does not decide about a call of `by_other`, whatever their role.
  expect(await toldOf(stage.ada)).toEqual([]);
  const { waiting_calls } = await max.client.call('home.show', { query: {} });
  expect(waiting_calls.map(({ tool, server }) => [tool, server])).toEqual([
    ['close', 'mcp-servers/city@1.0.0'],
    ['close', 'mcp-servers/city@1.0.0'],
  ]);
  expect((await bob.client.call('home.show', { query: {} })).waiting_calls).toEqual([]);
  const sent = async () =>
    (await smtp.inbox()).filter(({ to, head }) => to.includes(max.email) && head.includes('mcp-servers/city: '));
  // Those of the calls before can arrive first.
  const bodies = async () => (await sent()).map(({ body }) => body).join('\n');
  await expect.poll(bodies, { timeout: 15_000 }).toContain('close, by agents/keeper for ada@example.com');
  const letters = await sent();
  expect(JSON.stringify([await toldOf(max), waiting_calls, letters])).not.toMatch(/bern|basel/);
});
