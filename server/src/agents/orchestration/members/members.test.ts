// What members may be and answer, with plain HTTP servers in place of their containers.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

interface Body {
  input: Record<string, unknown>;
  thread_id?: string;
}

let app: TestApp;
let max: TestUser;
let vera: TestUser;
/** By the name of the agent. */
let calls: Record<string, Body[]>;
const hanging: ServerResponse[] = [];

interface Answering {
  required?: string[];
  keeps_threads?: boolean;
}

/** It repeats its first given field. A text `fail` fails, `hang` waits for a cancel. It refuses an input without its fields, as the wrapper does. */
async function member(name: string, fields: string[], { required = [], keeps_threads = false }: Answering = {}) {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: 'string' }]));
  const agent = await storeAgent(app, max.email, { name });
  await standInFor(app, agent, (request, response) => {
    if (request.url?.endsWith('/cancel') === true) {
      for (const one of hanging.splice(0)) reply(one, 409, { code: 'run_cancelled', detail: 'cancelled' });
      return reply(response, 202, {});
    }
    if (request.url !== '/invoke') return reply(response, 404, {});
    void (async () => {
      const body = (await json(request)) as Body;
      (calls[name] ??= []).push(body);
      answer(response, body, { fields, required, keeps_threads });
    })();
  });
  await app.db.run(sql`
    insert into revision_input (revision_id, input_schema, keeps_threads, required_fields)
    select revision_id, ${JSON.stringify({ type: 'object', properties })}::jsonb, ${keeps_threads}, ${required} from route where agent_id = ${agent.asset_id}`);
}

function answer(
  response: ServerResponse,
  { input, thread_id }: Body,
  agent: Required<Answering> & { fields: string[] },
) {
  const { fields, required, keeps_threads } = agent;
  if (thread_id !== undefined && !keeps_threads)
    return reply(response, 422, { code: 'threads_not_kept', detail: 'the agent keeps no threads' });
  const missing = required.filter((field) => !(field in input));
  const errors = missing.map((field) => ({ pointer: `/input/${field}`, detail: `'${field}' is required` }));
  const detail = `the agent cannot take this input: ${errors.map((one) => one.detail).join('; ')}`;
  if (errors.length > 0) return reply(response, 422, { code: 'invalid_input', detail, errors });
  const said = input[fields.find((field) => field in input) ?? ''];
  if (said === 'fail') return reply(response, 500, { code: 'agent_error', detail: 'ValueError: no tea' });
  if (said === 'hang') hanging.push(response);
  else reply(response, 200, { status: 'completed', output: String(said) });
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' });
  response.end(JSON.stringify(body));
}

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nonexistent.sock' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  await member('asker', ['question'], { keeps_threads: true });
  await member('plain', ['topic', 'style']);
  await member('strict', ['title', 'body'], { required: ['title', 'body'] });
});
afterAll(async () => await app?.stop());
beforeEach(() => (calls = {}));

const kind = 'orchestration';
let made = 0;

interface Flow {
  strategy: 'sequential' | 'parallel' | 'fan_out_fan_in';
  agents: Record<string, object>;
  [field: string]: unknown;
}

async function push({ agents, ...more }: Flow): Promise<string> {
  const name = `flow-${(made += 1)}`;
  const listed = Object.entries(agents).map(([local, one]) => ({ name: local, ...one }));
  const config = { name, version: '1.0.0', team: 'ml', ...more, agents: listed };
  const body = { name, team: 'ml', visibility: 'team' as const, config: config as never };
  await max.client.call('registry.create', { params: { kind }, body });
  return name;
}

async function deployed(flow: Flow): Promise<string> {
  const name = await push(flow);
  await app.admin.client.call('orchestrations.deploy', { params: { name }, body: {} });
  return name;
}

async function run(name: string, body: object, { token, ...headers }: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/orchestrations/${name}/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token ?? max.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const asker = { ref: 'agents/asker' };
const plain = { ref: 'agents/plain', input: '/topic' };
const error = { code: 'agent_error', detail: 'agents/plain failed: ValueError: no tea.', status: 500 };

test('a thread goes to the members that keep threads, the others are called without it, and without any it is refused', async () => {
  const name = await deployed({ strategy: 'sequential', agents: { asker, plain } });
  expect(await run(name, { input: 'tea', thread_id: 'one' })).toMatchObject({ status: 200, json: { status: 'done' } });
  expect([calls['asker'], calls['plain']]).toEqual([
    [{ input: { question: 'tea' }, thread_id: 'one' }],
    [{ input: { topic: 'tea' } }],
  ]);
  const forgetful = await deployed({ strategy: 'sequential', agents: { plain } });
  expect(await run(forgetful, { input: 'tea', thread_id: 'one' })).toMatchObject({
    status: 422,
    json: { code: 'threads_not_kept' },
  });
});

test('a failed member has its reason in the answer, and so has the merge agent', async () => {
  const more = { on_error: 'continue', supervisor_config: { merge_agent: 'merger' } };
  const name = await deployed({ strategy: 'fan_out_fan_in', agents: { asker, plain, merger: asker }, ...more });
  const { json: said } = await run(name, { input: { question: 'tea', topic: 'fail' } });
  const failed = { status: 'failed', error };
  expect(said).toMatchObject({ status: 'partial', output: { members: { plain: failed } } });
  const params = { name, run_id: String(said['run_id']) };
  const { steps } = await max.client.call('orchestrate.run', { params });
  expect(steps.find(({ path }) => path === 'plain')).toMatchObject({ state: 'failed', agent: 'agents/plain' });
  expect(JSON.parse(String(calls['asker']?.[1]?.input['question']))).toMatchObject({ answers: { plain: failed } });
});

test('a run that fails has the reasons of its members', async () => {
  const name = await deployed({ strategy: 'parallel', on_error: 'continue', agents: { plain } });
  expect(await run(name, { input: 'fail' })).toMatchObject({
    status: 502,
    json: { code: 'member_failed', members: { plain: { status: 'failed', error } } },
  });
});

describe('a member with timeout_seconds', () => {
  const slow = { ...plain, timeout_seconds: 1 };
  const late = {
    status: 'failed',
    error: { code: 'member_timeout', detail: 'agents/plain failed: it has not answered in 1 s.', status: 504 },
  };

  test('has failed after that time, and its fallback is called', async () => {
    const agents = { slow: { ...slow, fallback: 'spare' }, spare: asker };
    const name = await deployed({ strategy: 'sequential', agents });
    const { json: said } = await run(name, { input: { topic: 'hang', question: 'tea' } });
    expect(said).toMatchObject({ status: 'done', output: { text: 'tea', members: { slow: { output: 'tea' } } } });
  });

  test('leaves the answers of the others, when the run continues', async () => {
    const name = await deployed({ strategy: 'parallel', on_error: 'continue', agents: { slow, asker } });
    const { json: said } = await run(name, { input: { topic: 'hang', question: 'tea' } });
    expect(said).toMatchObject({ status: 'partial', output: { members: { slow: late, asker: { output: 'tea' } } } });
  });
});

test('a run that reaches its own timeout_seconds fails with the answers of the members that have ended', async () => {
  const agents = { quick: asker, plain };
  const name = await deployed({ strategy: 'parallel', timeout_seconds: 1, agents });
  expect(await run(name, { input: { topic: 'hang', question: 'tea' } })).toMatchObject({
    status: 504,
    json: { code: 'run_timeout', members: { quick: { status: 'done', output: 'tea' } } },
  });
});

test('a run without timeout_seconds ends after an hour', async () => {
  const name = await deployed({ strategy: 'sequential', agents: { asker } });
  const { json: said } = await run(name, { input: 'tea' });
  const row = await app.db.one<{ seconds: number }>(sql`
    select round(extract(epoch from (input ->> 'deadline_at')::timestamptz - created_at))::int as seconds from run where id = ${String(said['run_id'])}`);
  expect(row).toEqual({ seconds: 3600 });
});

describe('the input of a member', () => {
  test.each([
    ['a text', 'tea', { topic: 'tea' }],
    ['an object without its place', { question: 'tea' }, { topic: 'tea' }],
    ['an object with its place', { question: 'x', topic: 'tea' }, { question: 'x', topic: 'tea' }],
  ])('at a pointer is made from %s', async (_, input, made_of_it) => {
    const name = await deployed({ strategy: 'parallel', agents: { asker, plain } });
    expect(await run(name, { input })).toMatchObject({ json: { status: 'done' } });
    expect(calls['plain']).toEqual([{ input: made_of_it }]);
  });

  test.each([
    ['/title', '`input: /title` fills one field, and agents/strict also needs body.'],
    ['/titel', '`input: /titel` names a field that agents/strict does not have. It has body, title.'],
    [undefined, 'Its code needs title, body, and this member gets one text'],
  ])('that no text can fill is refused at the deploy: %s', async (input, message) => {
    const strict = { ref: 'agents/strict', ...(input !== undefined && { input }) };
    const name = await push({ strategy: 'sequential', agents: { asker, strict } });
    const deploying = app.admin.client.call('orchestrations.deploy', { params: { name }, body: {} });
    await expect(deploying).rejects.toMatchObject({
      code: 'members_not_ready',
      fields: { members: [{ member: 'strict', message: expect.stringContaining(message) as string, command: null }] },
    });
  });

  test('is the fault of the caller, when a member refuses what the caller has sent', async () => {
    const name = await deployed({ strategy: 'parallel', agents: { strict: { ref: 'agents/strict' } } });
    expect(await run(name, { input: { title: 'tea' } })).toMatchObject({
      status: 422,
      json: {
        code: 'invalid',
        agent: 'agents/strict',
        member_code: 'invalid_input',
        errors: [{ pointer: '/input/body', message: "'body' is required" }],
      },
    });
  });
});

test('an orchestration shows the input that its caller gives: that of the members that get it', async () => {
  const fieldsOf = async (flow: Flow) => {
    const { input_schema } = await max.client.call('orchestrate.input', { params: { name: await deployed(flow) } });
    return input_schema && Object.keys(Object(input_schema['properties']) as object);
  };
  expect(await fieldsOf({ strategy: 'sequential', agents: { asker, plain } })).toEqual(['question']);
  expect(await fieldsOf({ strategy: 'parallel', agents: { asker, other: asker } })).toEqual(['question']);
  expect(await fieldsOf({ strategy: 'parallel', agents: { asker, plain } })).toBeNull();
});

test('a run with an Idempotency-Key is begun once, also by two requests at once, and its key names it for its caller alone', async () => {
  const name = await deployed({ strategy: 'sequential', agents: { asker } });
  const key = randomUUID();
  const keyed = { 'idempotency-key': key };
  const [one, two] = await Promise.all([run(name, { input: 'tea' }, keyed), run(name, { input: 'tea' }, keyed)]);
  expect(one).toMatchObject({ status: 200, json: { output: { text: 'tea' } } });
  expect(two).toEqual(one);
  expect(await run(name, { input: 'tea' }, keyed)).toEqual(one);
  expect(calls['asker']).toHaveLength(1);
  expect(await run(name, { input: 'milk' }, keyed)).toMatchObject({
    status: 409,
    json: { code: 'idempotency_conflict' },
  });
  const read = async ({ client }: TestUser) => await client.call('orchestrate.run', { params: { name, run_id: key } });
  expect(await read(max)).toMatchObject({ run_id: one.json['run_id'], output: { text: 'tea' } });
  await expect(read(vera)).rejects.toMatchObject({ code: 'run_gone' });
  const hers = await run(name, { input: 'milk' }, { ...keyed, token: vera.token });
  expect(hers).toMatchObject({ status: 200, json: { output: { text: 'milk' } } });
  expect((await read(vera)).run_id).toBe(hers.json['run_id']);
});
