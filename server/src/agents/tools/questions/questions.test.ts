// Questions of servers to the person for whom a call is made. One server speaks the generation of 2026, and one of others that of 2025.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { QuestionValues } from '@gantry/contract/assets/tool-questions.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../../ground/database/sql.ts';
import { doorStage, type DoorStage } from '../../../testing/agents/door-stage.ts';
import { pinServer } from '../../../testing/agents/pin-server.ts';
import { everythingServer } from '../../../testing/servers/everything-server.ts';
import {
  mcpServerOfTest,
  textTool,
  type McpServerOfTest,
  type OfferedTool,
} from '../../../testing/servers/mcp-server.ts';
import { smtpServer, type SmtpServer } from '../../../testing/servers/smtp-server.ts';
import type { TestUser } from '../../../testing/test-app.ts';
import { forgetOldCalls } from '../record-calls.ts';

type Form = Parameters<typeof inputRequired.elicit>[0];

/** The protocol describes it in its text, and its types do not have it. */
const pattern = { pattern: '^[a-z ]*$' };
const sure: Form = {
  message: 'Really?',
  requestedSchema: {
    type: 'object',
    properties: { yes: { type: 'boolean' }, why: { type: 'string', maxLength: 20, ...pattern } },
    required: ['yes'],
  },
};
const when: Form = {
  message: 'When?',
  requestedSchema: { type: 'object', properties: { day: { type: 'string', format: 'date' } }, required: ['day'] },
};

/** What the tool `order` asks, one after the other. */
let asks: Form[];
/** What it has got, by the number of the question. */
let got: unknown[];

/** A server without a memory: the state has what it got so far. */
function order(answers: Record<string, unknown> | undefined): CallToolResult | InputRequiredResult {
  const last = Object.keys(answers ?? {})[0];
  const n = last === undefined ? 0 : Number(last) + 1;
  if (last !== undefined) got.push(inputResponse(answers, last));
  const form = asks[n];
  if (form === undefined) return { content: [{ type: 'text', text: `ordered after ${n} answers` }] };
  return inputRequired({ inputRequests: { [n]: inputRequired.elicit(form) }, requestState: `state ${n}` });
}

const tool = (): OfferedTool => ({
  ...textTool('order', 'Asks the user', () => ''),
  outputSchema: { type: 'object', properties: { n: { type: 'number' } } },
  call: (_, _progress, answers) => {
    const result = order(answers);
    return 'content' in result ? { ...result, structuredContent: { n: 1 } } : result;
  },
});

let upstream: McpServerOfTest;
let other: Awaited<ReturnType<typeof everythingServer>>;
let smtp: SmtpServer;
let stage: DoorStage;
let bob: TestUser;
const ids: Record<string, string> = {};
beforeAll(async () => {
  upstream = await mcpServerOfTest([tool()]);
  other = await everythingServer();
  const servers = { city: upstream.url, every: other.url };
  smtp = await smtpServer();
  await smtp.start('starttls');
  const address = `smtp://gantry:${encodeURIComponent('a mail/password')}@localhost:${smtp.port}`;
  const mail = { url: address, from: 'gantry@example.com', ca_file: smtp.ca_file, plaintext: false };
  stage = await doorStage({
    project: { name: 'keeper', yaml: 'mcp_servers:\n  - mcp/city\n  - mcp/every\n' },
    config: { outbound_private_hosts: ['127.0.0.1'], mail },
    pins: async (app, ada) => {
      const pins = [];
      for (const [name, url] of Object.entries(servers)) {
        const body = { name, team: 'ml', visibility: 'team' as const, config: { transport: 'streamable-http', url } };
        await ada.client.call('registry.create', { params: { kind: 'mcp-server' }, body });
        pins.push(await pinServer(app, ada, name));
      }
      return pins;
    },
  });
  bob = await stage.app.user('bob@example.com', { teams: { ml: 'deployer' } });
  for (const { id, email } of await stage.app.db.all<{ id: string; email: string }>(
    sql`select id, email from app_user`,
  ))
    ids[email] = id;
});
afterAll(async () => {
  await stage?.close();
  await upstream?.close();
  await other?.close();
  await smtp?.close();
});

let client: Client;
let run_id: string;
beforeEach(async () => {
  await stage.app.db.run(sql`delete from tool_question`);
  [asks, got, upstream.called] = [[sure], [], []];
  client = await agentFor(stage.ada);
});
afterEach(async () => {
  await client.close();
  await stage.endRun(run_id);
});

async function agentFor({ email }: { email: string }): Promise<Client> {
  const caller_id = ids[email] ?? '';
  run_id = await stage.storeRun({ caller_id });
  const headers = {
    authorization: `Bearer ${stage.key}`,
    'x-svc-run': stage.tokenOf({ id: run_id, caller_id }),
  };
  const made = new Client({ name: 'agent', version: '1.0.0' });
  await made.connect(new StreamableHTTPClientTransport(new URL(`${stage.door}/mcp`), { requestInit: { headers } }));
  return made;
}

async function call(name = 'city__order', args: Record<string, unknown> = { city: 'Bern' }, by = client) {
  const { content, isError = false, _meta } = await by.callTool({ name, arguments: args });
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return { text, isError, code: _meta?.['gantry/problem'] };
}
const waitingFor = async (of: TestUser) => (await of.client.call('tool_questions.waiting', { query: {} })).items;
const answer = async (by: TestUser, id: string, values?: QuestionValues) =>
  await by.client
    .call('tool_questions.answer', {
      params: { id },
      body: values === undefined ? { action: 'decline' } : { action: 'accept', values },
    })
    .then(
      () => 'done',
      (error: unknown) => (error instanceof Problem ? error.code : String(error)),
    );
const onlyQuestion = async () => {
  const [one, ...others] = await waitingFor(stage.ada);
  if (one === undefined || others.length > 0) throw new Error(`${others.length} more questions wait`);
  return one;
};
const entries = async (action: string) =>
  (await stage.app.admin.client.call('audit.list', { query: { action } })).items;
const spanOf = async (name: string) =>
  (
    await stage.app.db.all<{ attributes: Record<string, unknown> }>(
      sql`select attributes from span where run_id = ${run_id} and name = ${`execute_tool ${name}`}`,
    )
  ).map(({ attributes }) => attributes);

test('a question waits for the person, who answers it, and the same call gives the answer once (generation of 2026)', async () => {
  const first = await call();
  expect(first).toMatchObject({ isError: true, code: 'question_waits' });
  expect(first.text).toMatch(/order of mcp-servers\/city was called and asks ada@example.com something.*\/inbox/);
  // It is not made again before.
  expect(await call()).toMatchObject({ code: 'question_waits' });
  expect(upstream.called).toEqual(['order']);
  const waiting = await onlyQuestion();
  expect(waiting).toMatchObject({
    server: 'mcp-servers/city@1.0.0',
    tool: 'order',
    arguments: { city: 'Bern' },
    message: 'Really?',
    fields: [
      { name: 'yes', type: 'boolean', is_required: true },
      { name: 'why', type: 'text', max_length: 20 },
    ],
    asks_for_secrets: false,
    agent: 'agents/keeper',
    through: ['agents/keeper'],
  });
  expect(await answer(stage.ada, waiting.id, { yes: true, why: 'of course' })).toBe('done');
  expect(await answer(stage.ada, waiting.id, { yes: false })).toBe('already_decided');
  expect(await call()).toMatchObject({ isError: false, text: 'ordered after 1 answers' });
  expect(got).toEqual([{ kind: 'elicit', action: 'accept', content: { yes: true, why: 'of course' } }]);
  // It works once, and its values are gone.
  expect((await call()).code).toBe('question_waits');
  const rows = await stage.app.db.all(sql`select state, answer from tool_question order by asked_at`);
  expect(rows).toMatchObject([
    { state: 'used', answer: null },
    { state: 'waiting', answer: null },
  ]);
});

test('the same in the generation of 2025, with the public server and each kind of field', async () => {
  const name = 'every__trigger-elicitation-request';
  expect(await call(name, {})).toMatchObject({ isError: true, code: 'question_waits' });
  const { id, fields } = await onlyQuestion();
  expect(fields.map(({ type }) => type)).toEqual([
    'text',
    'boolean',
    'text',
    'text',
    'text',
    'text',
    'integer',
    'number',
    'choice',
    'choices',
    'choice',
    'choices',
    'choice',
  ]);
  const values = {
    name: 'Ada',
    check: true,
    email: 'ada@example.com',
    homepage: 'https://example.com',
    birthdate: '1815-12-10',
    integer: 7,
    number: 2.5,
    untitledMultipleSelectEnum: ['Piano', 'Bass'],
    titledSingleSelectEnum: 'hero-2',
    legacyTitledEnum: 'pet-2',
  };
  expect(await answer(stage.ada, id, values)).toBe('done');
  const { isError, text } = await call(name, {});
  expect(isError).toBe(false);
  expect(text).toContain('User provided the requested information');
  for (const word of ['Ada', 'hero-2', 'Piano', '1815-12-10']) expect(text).toContain(word);
  await expect
    .poll(async () => await spanOf(name), { timeout: 10_000 })
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ 'mcp.questions_asked': 1 }),
        expect.objectContaining({ 'mcp.questions_answered': 1 }),
      ]),
    );
});

test('of two calls at once on one connection, each question is of the call on whose stream it comes', async () => {
  const name = 'every__trigger-elicitation-request';
  const codes = await Promise.all([1, 2, 3].map(async (n) => (await call(name, { n })).code));
  expect(codes).toEqual(['question_waits', 'question_waits', 'question_waits']);
  const waiting = await waitingFor(stage.ada);
  expect(new Set(waiting.map((one) => one.arguments['n']))).toEqual(new Set([1, 2, 3]));
});

test('the person is told once, and gets no word of the question', async () => {
  await stage.app.db.run(sql`delete from notification`);
  await call();
  await call('city__order', { city: 'Basel' });
  const toldOf = async ({ client: of }: TestUser) =>
    (await of.call('notifications.list', { query: {} })).items.filter(({ kind }) => kind === 'questions_wait');
  expect(await toldOf(stage.ada)).toMatchObject([
    { asset: 'mcp-servers/city', text: 'It asks you something in a call of order' },
  ]);
  expect([await toldOf(bob), await toldOf(stage.app.admin)]).toEqual([[], []]);
  expect(JSON.stringify(await toldOf(stage.ada))).not.toMatch(/Really|Bern|Basel/);
  expect(await stage.ada.client.call('notifications.count', {})).toMatchObject({ waiting_questions: 2 });
  const sent = async () => (await smtp.inbox()).filter(({ head }) => head.includes('asks you something'));
  await expect.poll(async () => (await sent()).length, { timeout: 15_000 }).toBeGreaterThan(0);
  const letters = await sent();
  expect(letters.every(({ to }) => to.includes(stage.ada.email))).toBe(true);
  expect(letters.map(({ body }) => body).join('')).toContain('order, by agents/keeper');
  expect(JSON.stringify(letters)).not.toMatch(/Really|Bern|Basel/);
});

test('the log has digests and no text of the question, the arguments or the answer', async () => {
  await call();
  const { id } = await onlyQuestion();
  await answer(stage.ada, id, { yes: true, why: 'of course' });
  const about = { question: id, tool: 'order', version: '1.0.0', through: ['agents/keeper'] };
  expect((await entries('question.asked'))[0]).toMatchObject({
    actor: { name: 'agents/keeper' },
    asset: 'mcp-servers/city',
    detail: { ...about, caller: stage.ada.email, question_digest: expect.stringContaining('sha256:') as string },
  });
  expect((await entries('question.answered'))[0]).toMatchObject({ actor: { name: stage.ada.email }, detail: about });
  const log = JSON.stringify([await entries('question.asked'), await entries('question.answered')]);
  expect(log).not.toMatch(/Really|Bern|of course/);
  const rows = await stage.app.db.all<{ question: Buffer; answer: Buffer }>(
    sql`select question, answer from tool_question`,
  );
  expect(rows.map((row) => row.question.toString('latin1') + row.answer.toString('latin1')).join('')).not.toMatch(
    /Really|Bern|of course/,
  );
});

test('a declined question is declined for its time, without asking again', async () => {
  await call();
  expect(await answer(stage.ada, (await onlyQuestion()).id)).toBe('done');
  for (let n = 0; n < 2; n++) expect(await call()).toMatchObject({ isError: false });
  expect(got).toMatchObject([{ action: 'decline' }, { action: 'decline' }]);
  expect(await waitingFor(stage.ada)).toEqual([]);
  expect(await entries('question.declined')).toHaveLength(1);
  await stage.app.db.run(sql`update tool_question set expires_at = clock_now() - interval '1 second'`);
  expect((await call()).code).toBe('question_waits');
});

test('a question of a call is there for its end caller alone, and another caller gets a question of their own', async () => {
  await call();
  const { id } = await onlyQuestion();
  expect([await waitingFor(bob), await waitingFor(stage.app.admin)]).toEqual([[], []]);
  expect(await answer(bob, id, { yes: true })).toBe('not_found');
  expect(await answer(stage.app.admin, id, { yes: true })).toBe('not_found');
  await answer(stage.ada, id, { yes: true });
  const [agent, run] = [client, run_id];
  const ofBob = await agentFor(bob);
  expect((await call('city__order', { city: 'Bern' }, ofBob)).code).toBe('question_waits');
  expect(await waitingFor(bob)).toHaveLength(1);
  expect(got).toEqual([]);
  await ofBob.close();
  await stage.endRun(run_id);
  [client, run_id] = [agent, run];
  expect(await call()).toMatchObject({ isError: false });
});

test('an answer is for these arguments and exactly this question', async () => {
  await call();
  await answer(stage.ada, (await onlyQuestion()).id, { yes: true });
  expect((await call('city__order', { city: 'Basel' })).code).toBe('question_waits');
  // The server asks something else once it knows that there is an answer.
  asks = [{ ...sure, message: 'Really send all your money?' }];
  expect((await call()).code).toBe('question_waits');
  expect(got).toEqual([]);
  expect((await waitingFor(stage.ada)).map(({ message }) => message)).toEqual([
    'Really?',
    'Really send all your money?',
  ]);
});

test('of many equal calls at once, one gives the answer', async () => {
  await call();
  await answer(stage.ada, (await onlyQuestion()).id, { yes: true });
  const codes = await Promise.all(Array.from({ length: 6 }, async () => (await call()).code));
  expect(codes.filter((code) => code === undefined)).toHaveLength(1);
  expect(codes.filter((code) => code === 'question_waits')).toHaveLength(5);
  expect(got).toHaveLength(1);
});

test('a call that asks one thing after the other ends when all is answered', async () => {
  asks = [sure, when];
  await call();
  await answer(stage.ada, (await onlyQuestion()).id, { yes: true });
  expect((await call()).code).toBe('question_waits');
  const second = await onlyQuestion();
  expect(second.message).toBe('When?');
  // The answer to the first one stays until then, and goes out no more often.
  expect((await call()).code).toBe('question_waits');
  expect(got).toHaveLength(1);
  await answer(stage.ada, second.id, { day: '2026-07-28' });
  expect(await call()).toMatchObject({ text: 'ordered after 2 answers' });
  expect(await stage.app.db.all(sql`select from tool_question where answer is not null`)).toEqual([]);
});

test.each([
  [{}, 'yes needs a value'],
  [{ yes: 'true' }, 'yes needs true or false'],
  [{ yes: true, why: 'A' }, 'why needs a text that matches'],
  [{ yes: true, why: 'a'.repeat(21) }, 'why needs at most 20 characters'],
  [{ yes: true, more: 1 }, 'no field more'],
])('values that do not fit are refused: %o', async (values, says) => {
  await call();
  const { id } = await onlyQuestion();
  const body = { action: 'accept' as const, values: values as QuestionValues };
  await expect(stage.ada.client.call('tool_questions.answer', { params: { id }, body })).rejects.toMatchObject({
    code: 'answer_refused',
    detail: expect.stringContaining(says) as string,
  });
});

const huge: Form[] = [
  { message: 'x'.repeat(4001), requestedSchema: sure.requestedSchema },
  {
    message: 'x',
    requestedSchema: { type: 'object', properties: { a: { type: 'string', enum: Array(101).fill('a') } } },
  },
  {
    message: 'x',
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`f${n}`, { type: 'string' as const }])),
    },
  },
  {
    message: 'x',
    requestedSchema: { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(40_000) } } },
  },
];
test.each(huge)('what is larger than a person reads is declined (%#)', async (form) => {
  asks = [form];
  expect(await call()).toMatchObject({ isError: false });
  expect(got).toMatchObject([{ action: 'decline' }]);
  expect(await waitingFor(stage.ada)).toEqual([]);
});

test('a server that asks on and on gets ten answers, and an agent cannot fill the inbox', async () => {
  asks = Array.from({ length: 30 }, (_, n) => ({ ...sure, message: `Really ${n}?` }));
  for (let n = 0; n < 10; n++) {
    expect((await call()).code).toBe('question_waits');
    await answer(stage.ada, (await onlyQuestion()).id, { yes: true });
  }
  expect(await call()).toMatchObject({ isError: true, code: 'server_unavailable' });
  asks = [sure];
  for (let n = 0; n < 20; n++) expect((await call('city__order', { city: String(n) })).code).toBe('question_waits');
  expect((await call('city__order', { city: '20' })).code).toBe('too_many_requests');
  expect(await waitingFor(stage.ada)).toHaveLength(20);
}, 60_000);

test.each([['password'], ['api_key'], ['apiKey'], ['Card number'], ['PIN']])(
  'a field %s gets a warning',
  async (name) => {
    asks = [{ message: 'x', requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } } } }];
    await call();
    expect(await onlyQuestion()).toMatchObject({ asks_for_secrets: true });
  },
);

test('a question that leads to an address is declined or refused', async () => {
  expect(await call('every__trigger-url-elicitation', { url: 'https://example.com' })).not.toMatchObject({
    code: 'question_waits',
  });
  expect(await waitingFor(stage.ada)).toEqual([]);
});

test('a person who calls a tool themselves is asked in the same way', async () => {
  const by = new Client({ name: 'editor', version: '1.0.0' });
  const headers = { authorization: `Bearer ${bob.token}` };
  await by.connect(
    new StreamableHTTPClientTransport(new URL(`${stage.app.url}/mcp/city`), { requestInit: { headers } }),
  );
  expect((await call('order', {}, by)).code).toBe('question_waits');
  const [waiting] = await waitingFor(bob);
  expect(waiting).toMatchObject({ agent: null, through: [] });
  expect(await answer(bob, waiting?.id ?? '', { yes: false })).toBe('done');
  expect(await call('order', {}, by)).toMatchObject({ isError: false });
  expect(got).toMatchObject([{ content: { yes: false } }]);
  await by.close();
});

test('questions go with their time', async () => {
  await call();
  await stage.app.db.run(sql`update tool_question set expires_at = clock_now() - interval '8 days'`);
  await forgetOldCalls(stage.app.db);
  expect(await stage.app.db.all(sql`select from tool_question`)).toEqual([]);
});
