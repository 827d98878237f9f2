// Orchestrations as members of orchestrations, with plain HTTP servers in place of the agents' containers.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { readServerSentEvents } from '@gantry/contract/formats/server-sent-events.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { a2aClient, say, type Binding } from '../../../testing/agents/a2a-client.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let max: TestUser;
let vera: TestUser;
/** What the agents were asked, in order. */
let calls: { agent: string; text: string; body: { thread_id?: string } }[];
let hanging: ServerResponse[];
let cancelled: string[];

interface Fields {
  keeps_threads?: boolean;
  required?: string[];
}

/** It answers `<name>(<text>)`. A text with `fail <name>` fails, and `hang <name>` waits for a cancel or the test. */
async function storeMember(name: string, { keeps_threads = false, required = ['text'] }: Fields = {}) {
  const agent = await storeAgent(app, max.email, { name });
  await standInFor(app, agent, (request, response) => void answer(name, request, response));
  const properties = Object.fromEntries(required.map((field) => [field, { type: 'string' }]));
  const schema = { type: 'object', properties };
  await app.db.run(sql`
    insert into revision_input (revision_id, input_schema, keeps_threads, required_fields)
    select revision_id, ${JSON.stringify(schema)}::jsonb, ${keeps_threads}, ${required} from route where agent_id = ${agent.asset_id}`);
}

async function answer(agent: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.endsWith('/cancel') === true) {
    cancelled.push(agent);
    for (const one of hanging.splice(0)) reply(one, 409, { code: 'run_cancelled', detail: 'cancelled' });
    return reply(response, 202, {});
  }
  if (request.url !== '/invoke') return reply(response, 404, {});
  const body = (await json(request)) as { input: { text: string }; thread_id?: string };
  const { text } = body.input;
  calls.push({ agent, text, body });
  if (text.includes(`fail ${agent}`))
    return reply(response, 500, { code: 'agent_error', detail: 'ValueError: no tea' });
  if (text.includes(`hang ${agent}`)) return void hanging.push(response);
  reply(response, 200, { status: 'completed', output: agent === 'boss' ? decision(text) : `${agent}(${text})` });
}

/** What the supervisor decides: it calls the inner one, then answers with what came back. */
function decision(task: string): string {
  const { results } = JSON.parse(task) as { results: { status: string; output: { text: string } }[] };
  const [first] = results;
  if (first === undefined) return JSON.stringify({ calls: [{ agent: 'inner', input: 'tea' }] });
  return JSON.stringify({ answer: `${first.status}: ${first.output.text}` });
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' });
  response.end(JSON.stringify(body));
}

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nonexistent.sock', sync_budget_seconds: 20 } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  await storeMember('ann');
  await storeMember('bob', { keeps_threads: true });
  await storeMember('boss');
  await storeMember('strict', { required: ['title', 'body'] });
});
afterAll(async () => await app?.stop());
beforeEach(() => {
  calls = [];
  hanging = [];
  cancelled = [];
});

const kind = 'orchestration';
let made = 0;

interface Flow {
  strategy?: string;
  agents: Record<string, object>;
  version?: string;
  [field: string]: unknown;
}

const configOf = (name: string, { agents, version = '1.0.0', strategy = 'sequential', ...more }: Flow) => {
  const listed = Object.entries(agents).map(([local, one]) => ({ name: local, ...one }));
  return { name, version, team: 'ml', strategy, ...more, agents: listed } as never;
};

async function push(flow: Flow, name = `flow-${(made += 1)}`): Promise<string> {
  const body = { name, team: 'ml', visibility: 'team' as const, config: configOf(name, flow) };
  await max.client.call('registry.create', { params: { kind }, body });
  return name;
}

const deploy = async (name: string) =>
  await app.admin.client.call('orchestrations.deploy', { params: { name }, body: {} });

async function deployed(flow: Flow): Promise<string> {
  const name = await push(flow);
  await deploy(name);
  return name;
}

async function redeploy(name: string, flow: Flow): Promise<void> {
  const { version = '2.0.0' } = flow;
  await max.client.call('registry.edit', {
    params: { kind, name },
    body: { version, config: configOf(name, { ...flow, version }) },
  });
  await deploy(name);
}

async function run(name: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/orchestrations/${name}/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${max.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const read = async (name: string, said: { json: Record<string, unknown> }) =>
  await max.client.call('orchestrate.run', { params: { name, run_id: String(said.json['run_id']) } });

const ann = { ref: 'agents/ann' };
const bob = { ref: 'agents/bob' };
const of = (name: string) => ({ ref: `orchestrations/${name}` });

test('an orchestration is a member: its steps are below its own, and all calls belong to one run', async () => {
  const inner = await deployed({ agents: { ann, bob } });
  const outer = await deployed({ agents: { first: ann, inner: of(inner) } });
  const said = await run(outer, { input: 'tea' });
  expect(said).toMatchObject({
    status: 200,
    json: {
      status: 'done',
      output: { text: 'bob(ann(ann(tea)))', members: { inner: { output: { text: 'bob(ann(ann(tea)))' } } } },
    },
  });
  const { steps } = await read(outer, said);
  expect(steps.map(({ path, member, agent, state, run_id }) => [path, member, agent, state, run_id === null])).toEqual([
    ['first', 'first', 'agents/ann', 'done', false],
    ['inner', 'inner', `orchestrations/${inner}`, 'done', true],
    ['inner/ann', 'ann', 'agents/ann', 'done', false],
    ['inner/bob', 'bob', 'agents/bob', 'done', false],
  ]);
  const roots = await app.db.all(sql`
    select i.root_run_id, a.name as via from invocation i join asset a on a.id = i.via where i.root_run_id = ${String(said.json['run_id'])} order by i.created_at`);
  expect(roots.map((row) => (row as { via: string }).via)).toEqual([outer, inner, inner]);
});

const begin = async (name: string, input: string) => await run(name, { input }, { prefer: 'respond-async' });
const asked = (agent: string) => calls.filter((call) => call.agent === agent).length;
const hangs = async () => await expect.poll(() => hanging.length).toBe(1);
const letGo = (output: string) => hanging.splice(0).forEach((one) => reply(one, 200, { status: 'completed', output }));

async function ended(name: string, said: { json: Record<string, unknown> }) {
  await expect.poll(async () => (await read(name, said)).ended_at, { timeout: 20_000 }).not.toBeNull();
  return await read(name, said);
}

const refusal = async (name: string) =>
  await deploy(name).then(
    () => 'deployed',
    (error: unknown) =>
      (error as { fields: { members: { message: string; command: string | null }[] } }).fields.members[0],
  );

test.each([
  ['parallel', {}, { status: 'done', output: { members: { inner: { output: { text: 'ann(tea)' } } } } }],
  [
    'fan_out_fan_in',
    { merge_agent: 'ann' },
    { output: { text: expect.stringContaining('ann({"task":"tea","answers":{"inner"') as string } },
  ],
  ['router', { classifier: undefined }, { output: { text: 'ann(tea)' } }],
  ['supervisor', { supervisor_agent: 'boss' }, { output: { text: 'done: ann(tea)' } }],
])('%s has an orchestration as a member', async (strategy, config, answered) => {
  const inner = await deployed({ agents: { ann } });
  const lead: Record<string, object> =
    strategy === 'fan_out_fan_in' ? { ann } : strategy === 'supervisor' ? { boss: { ref: 'agents/boss' } } : {};
  const routes = strategy === 'router' ? { routes: [{ condition: 'default', target: 'inner' }] } : {};
  const agents = { inner: { ...of(inner), ...routes }, ...lead };
  const outer = await deployed({ strategy, supervisor_config: JSON.parse(JSON.stringify(config)) as object, agents });
  expect(await run(outer, { input: 'tea' })).toMatchObject({ status: 200, json: answered });
});

test('a failed member inside has its code, status and path in the answer, and the fallback of the outer one replaces it', async () => {
  const inner = await deployed({ agents: { ann } });
  const flow = { strategy: 'parallel', on_error: 'continue', agents: { inner: of(inner), bob } };
  const outer = await deployed(flow);
  const error = {
    code: 'agent_error',
    detail: `orchestrations/${inner} failed: agents/ann failed: ValueError: no tea.`,
    status: 500,
    path: 'inner/ann',
  };
  const said = await run(outer, { input: 'fail ann' });
  expect(said).toMatchObject({
    json: { status: 'partial', output: { members: { inner: { status: 'failed', error } } } },
  });
  const around = await deployed({ agents: { whole: of(outer) } });
  expect(await run(around, { input: 'fail ann' })).toMatchObject({
    json: { status: 'partial', output: { members: { whole: { status: 'partial' } } } },
  });
  const spare = await deployed({ agents: { inner: { ...of(inner), fallback: 'bob' }, bob } });
  expect(await run(spare, { input: 'fail ann' })).toMatchObject({ json: { output: { text: 'bob(bob(fail ann))' } } });
});

describe('orchestrations in a circle', () => {
  test('are refused at the deploy, with the whole circle', async () => {
    const one = await deployed({ agents: { ann } });
    const two = await deployed({ agents: { one: of(one) } });
    const three = await deployed({ agents: { two: of(two) } });
    const circle = [one, three, two, one].map((name) => `orchestrations/${name}`).join(' → ');
    await expect(redeploy(one, { agents: { three: of(three) } })).rejects.toMatchObject({
      code: 'members_not_ready',
      fields: { members: [{ member: 'three', message: expect.stringContaining(circle) as string }] },
    });
  });

  test('that a deploy during the run makes are refused by the call, and no fallback is called', async () => {
    const one = await deployed({ agents: { ann } });
    const two = await deployed({ agents: { bob, one: { ...of(one), fallback: 'spare' }, spare: ann } });
    const begun = await begin(two, 'hang bob');
    await hangs();
    await redeploy(two, { agents: { ann } });
    await redeploy(one, { agents: { two: of(two) } });
    letGo('tea');
    const { problem, steps } = await ended(two, begun);
    expect(problem).toMatchObject({ code: 'call_loop', path: 'one/two' });
    expect(problem?.['detail']).toContain(`orchestrations/${two} → orchestrations/${one} → orchestrations/${two}`);
    expect(steps.map(({ path }) => path)).toEqual(['bob', 'one', 'one/two']);
  });
});

test('five orchestrations can be in one another, and a sixth is refused', async () => {
  const names = [await deployed({ agents: { ann } })];
  for (let n = 2; n <= 5; n++) names.unshift(await deployed({ agents: { next: of(String(names[0])) } }));
  expect(await run(String(names[0]), { input: 'tea' })).toMatchObject({ json: { output: { text: 'ann(tea)' } } });
  expect(await refusal(await push({ agents: { next: of(String(names[0])) } }))).toMatchObject({
    message: expect.stringContaining('At most 5 orchestrations are in one another, and these are 6') as string,
  });
});

test('an orchestration without `use` on its member is refused at the deploy and at the call, and no agent is called', async () => {
  const inner = await deployed({ agents: { ann } });
  await app.admin.client.call('teams.create', { body: { name: 'ops' } });
  await app.admin.client.call('teams.add_member', {
    params: { team: 'ops' },
    body: { principal: `user:${max.email}`, role: 'admin' },
  });
  const config = configOf('foreign', { agents: { inner: of(inner) } }) as object;
  const body = {
    name: 'foreign',
    team: 'ops',
    visibility: 'team' as const,
    config: { ...config, team: 'ops' } as never,
  };
  await max.client.call('registry.create', { params: { kind }, body });
  const command = `svc acl grant --asset orchestrations/${inner} --principal orchestration:foreign --actions use`;
  expect(await refusal('foreign')).toMatchObject({ command });
  const entry = {
    resource_type: kind,
    resource_id: inner,
    principal_type: kind,
    principal_id: 'foreign',
    actions: ['use'],
  } as const;
  const { id } = await max.client.call('permissions.grant', { body: { ...entry, actions: ['use'] } });
  await deploy('foreign');
  expect(await run('foreign', { input: 'tea' })).toMatchObject({ status: 200 });
  calls = [];
  await max.client.call('permissions.revoke', { params: { id }, query: {} });
  expect(await run('foreign', { input: 'tea' })).toMatchObject({ status: 403, json: { code: 'forbidden' } });
  expect(calls).toEqual([]);
});

test.each(['outer', 'inner'])(
  'the budget of the %s orchestration holds for the calls of the inner one',
  async (whose) => {
    const budget = (of_level: string) => (of_level === whose ? { budget_usd: '1.00' } : {});
    const inner = await deployed({ ...budget('inner'), agents: { bob, ann } });
    const outer = await deployed({ ...budget('outer'), agents: { inner: of(inner) } });
    const begun = await begin(outer, 'hang bob');
    await hangs();
    await app.db.run(sql`
    insert into ledger (hold_id, at, day, key_id, accounts, key, team, tags, model, provider, upstream_model, attempt, outcome,
      estimated, input_tokens, output_tokens, usage, nano, root_run_id)
    select ${randomUUID()}, clock_now(), (clock_now() at time zone 'UTC')::date, ${randomUUID()}, ${[randomUUID()]}, 'gtk_12345678', 'ml', '{}', 'small',
      'openai', 'small', 1, 'answered', false, 10, 5, '{}', ${1e9}, ${String(begun.json['run_id'])}`);
    letGo('tea');
    const name = whose === 'outer' ? outer : inner;
    const { problem } = await ended(outer, begun);
    expect(problem).toMatchObject({ code: 'budget_exceeded', path: 'inner/ann' });
    expect(problem?.['detail']).toContain(`orchestrations/${name}`);
    expect(asked('ann')).toBe(0);
  },
);

test('all levels together make at most 50 calls', async () => {
  const six = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`m${n}`, ann]));
  const inner = await deployed({ strategy: 'parallel', agents: six });
  const eight = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`o${n}`, of(inner)]));
  const outer = await deployed({ strategy: 'parallel', agents: eight });
  expect(await run(outer, { input: 'tea' })).toMatchObject({ json: { member_code: 'too_many_calls' } });
  expect(calls.length).toBeLessThan(50);
});

describe('the end of a call inside', () => {
  test.each([
    [
      'timeout_seconds of the member',
      { timeout_seconds: 1 },
      {},
      {},
      { code: 'member_failed', member_code: 'member_timeout' },
    ],
    ['timeout_seconds of the run', {}, { timeout_seconds: 1 }, {}, { code: 'run_timeout' }],
    [
      'timeout_seconds of the inner one',
      {},
      {},
      { timeout_seconds: 1 },
      { code: 'member_failed', member_code: 'run_timeout' },
    ],
  ])('follows %s', async (_, member, outside, inside, problem) => {
    const inner = await deployed({ ...inside, agents: { bob } });
    const outer = await deployed({ ...outside, agents: { inner: { ...of(inner), ...member } } });
    expect(await run(outer, { input: 'hang bob' })).toMatchObject({
      status: problem.code === 'run_timeout' ? 504 : 502,
      json: problem,
    });
    expect(cancelled).toContain('bob');
  });

  test('follows a cancel of the run', async () => {
    const inner = await deployed({ agents: { bob } });
    const outer = await deployed({ agents: { inner: of(inner) } });
    const begun = await begin(outer, 'hang bob');
    await hangs();
    await max.client.call('orchestrate.cancel', { params: { name: outer, run_id: String(begun.json['run_id']) } });
    expect(await ended(outer, begun)).toMatchObject({ state: 'cancelled' });
    expect(cancelled).toContain('bob');
  });
});

test('an executor that takes the run over continues the chosen version, and calls no member twice', async () => {
  const inner = await deployed({ agents: { ann, bob, last: ann } });
  const outer = await deployed({ agents: { inner: of(inner) } });
  const begun = await begin(outer, 'hang bob');
  await hangs();
  await redeploy(inner, { agents: { bob } });
  await app.db.run(sql`
    update run set fence = fence + 1, owner = null, lease_until = null where id = ${String(begun.json['run_id'])}`);
  await expect
    .poll(
      async () =>
        (
          await app.db.one<{ attempts: number }>(sql`
      select attempt as attempts from run_step where run_id = ${String(begun.json['run_id'])} and name = 'inner'`)
        )?.attempts,
      { timeout: 20_000 },
    )
    .toBeGreaterThan(1);
  letGo('tea');
  const run_of = await ended(outer, begun);
  expect(run_of).toMatchObject({ state: 'done', output: { text: 'ann(tea)' } });
  expect(run_of.steps.map(({ path, version }) => [path, version])).toContainEqual(['inner', '1.0.0']);
  expect([asked('ann'), asked('bob')]).toEqual([2, 1]);
});

test('a stream has the steps inside below the one of the member', async () => {
  const inner = await deployed({ agents: { ann } });
  const outer = await deployed({ agents: { inner: of(inner) } });
  const response = await fetch(`${app.url}/orchestrations/${outer}/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${max.token}`, 'content-type': 'application/json' },
    body: '{"input":"tea"}',
  });
  const steps: string[] = [];
  if (response.body === null) throw new Error('the answer has no body');
  for await (const { data } of readServerSentEvents(response.body)) {
    const { type, stepName } = JSON.parse(data) as { type: string; stepName?: string };
    if (stepName !== undefined) steps.push(`${type} ${stepName}`);
  }
  expect(steps).toEqual([
    'STEP_STARTED inner',
    'STEP_STARTED inner/ann',
    'STEP_FINISHED inner/ann',
    'STEP_FINISHED inner',
  ]);
});

describe('what is given to an orchestration', () => {
  test('its members that keep threads get the thread, and a text that they cannot take is refused at the deploy', async () => {
    const inner = await deployed({ agents: { ann, bob } });
    const outer = await deployed({ agents: { inner: of(inner) } });
    expect(await run(outer, { input: 'tea', thread_id: 'one' })).toMatchObject({ status: 200 });
    expect(calls.map(({ body }) => body.thread_id)).toEqual([undefined, 'one']);
    const strict = await deployed({ agents: { strict: { ref: 'agents/strict' } } });
    expect(await refusal(await push({ agents: { ann, strict: of(strict) } }))).toMatchObject({
      message: expect.stringContaining('Its code needs title, body') as string,
    });
  });

  test('an `input` is the place in its input, and `retry` is refused by name', async () => {
    const inner = await deployed({ agents: { ann } });
    const outer = await deployed({
      agents: { inner: { ...of(inner), input: '/text', output: '/members/ann/output' } },
    });
    expect(await run(outer, { input: 'tea' })).toMatchObject({
      json: { output: { text: 'ann(tea)', members: { inner: { output: 'ann(tea)' } } } },
    });
    expect(await refusal(await push({ agents: { inner: { ...of(inner), input: '/none' } } }))).toMatchObject({
      message: expect.stringContaining(`names a field that orchestrations/${inner} does not have`) as string,
    });
    await expect(push({ agents: { inner: { ...of(inner), retry: true } } })).rejects.toMatchObject({ code: 'invalid' });
  });
});

const bindings: Binding[] = ['JSONRPC', 'HTTP+JSON'];
describe.each(bindings)('by A2A with %s, an orchestration', (binding) => {
  const clientOf = async (name: string, { token }: TestUser = max) =>
    await a2aClient(`${app.url}/orchestrations/${name}`, token, binding);

  test('answers a message with the task of its run, once for one message', async () => {
    const name = await deployed({ agents: { ann, inner: of(await deployed({ agents: { bob } })) } });
    const client = await clientOf(name);
    const message = say('tea', { contextId: 'holiday' });
    const task = (await client.sendMessage(message as never)) as { id: string };
    expect(task).toMatchObject({
      contextId: 'holiday',
      status: { state: 3 },
      artifacts: [{ parts: [{ content: { $case: 'text', value: 'bob(ann(tea))' } }, { content: { $case: 'data' } }] }],
    });
    expect(calls.map(({ body }) => body.thread_id)).toEqual([undefined, 'holiday']);
    expect(await client.sendMessage(message as never)).toEqual(task);
    expect(calls).toHaveLength(2);
    expect(await client.getTask({ id: task.id } as never)).toEqual(task);
    expect(await max.client.call('orchestrate.run', { params: { name, run_id: task.id } })).toMatchObject({
      state: 'done',
    });
    await expect(client.sendMessage(say('more', { taskId: task.id }) as never)).rejects.toThrow('waits for no message');
  });

  test('streams the task and its end, and a failed one says why', async () => {
    const client = await clientOf(await deployed({ agents: { ann } }));
    const cases = [];
    for await (const { payload } of client.sendMessageStream(say('tea') as never)) cases.push(payload?.$case);
    expect(cases).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
    expect(await client.sendMessage(say('fail ann') as never)).toMatchObject({
      status: { state: 4, message: { parts: [{ content: { value: 'agents/ann failed: ValueError: no tea.' } }, {}] } },
    });
  });

  test('begins a task at once, cancels it, and lists it', async () => {
    const name = await deployed({ agents: { bob } });
    const client = await clientOf(name);
    const at_once = { ...say('hang bob'), configuration: { returnImmediately: true, acceptedOutputModes: [] } };
    const { id } = (await client.sendMessage(at_once as never)) as { id: string };
    await hangs();
    const list = async (status: number) =>
      (await client.listTasks({ pageSize: 5, pageToken: '', status, tenant: '' } as never)).tasks.map((one) => one.id);
    expect([await list(2), await list(5)]).toEqual([[id], []]);
    expect(await client.cancelTask({ id } as never)).toMatchObject({ id, status: { state: 5 } });
    expect([await list(2), await list(5)]).toEqual([[], [id]]);
    await expect(client.cancelTask({ id } as never)).rejects.toThrow('already ended');
    expect(cancelled).toContain('bob');
  });

  test('its tasks belong to their caller alone', async () => {
    const name = await deployed({ agents: { ann } });
    const { id } = (await (await clientOf(name)).sendMessage(say('tea') as never)) as { id: string };
    const hers = await clientOf(name, vera);
    expect(await hers.sendMessage(say('milk') as never)).toMatchObject({ status: { state: 3 } });
    await expect(hers.getTask({ id } as never)).rejects.toThrow('No task of yours');
    await expect(hers.cancelTask({ id } as never)).rejects.toThrow('No task of yours');
    await expect(hers.resubscribeTask({ id } as never).next()).rejects.toThrow('No task of yours');
  });
});
