// The protocol at the ingress, by the official SDK and by plain HTTP, with a plain HTTP server in place of the agent's container.
import type { RequestListener, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Client } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { a2aClient, say, type Binding } from '../../../testing/agents/a2a-client.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

interface Body {
  input?: Record<string, unknown>;
  resume?: unknown;
  thread_id?: string;
}
interface Called {
  run_id: string;
  body: Body;
}

let app: TestApp;
let ada: TestUser;
let bob: TestUser;
let url: string;
/** The answer of the agent, and its calls. */
let answer: (called: Called, response: ServerResponse) => void;
let calls: Called[];
let keeps_threads: boolean;
/** The container gets the cancellation of a run. */
let cancel: () => void;
const schema = { type: 'object', properties: { question: { type: 'string' } } };

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nonexistent.sock', sync_budget_seconds: 1 } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
  url = `${app.url}/agents/greeter`;
  const yaml = 'description: Answers questions.\n';
  const agent = await storeAgent(app, ada.email, { name: 'greeter', yaml });
  const container: RequestListener = (request, response) => {
    if (request.url === '/ready') return reply(response, { status: 'ready', input_schema: schema, keeps_threads });
    if (request.url?.endsWith('/cancel') === true) {
      cancel();
      return reply(response, {}, 202);
    }
    if (request.url !== '/invoke')
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    void (async () => {
      const called = { run_id: String(request.headers['x-svc-run-id']), body: (await json(request)) as Body };
      calls.push(called);
      answer(called, response);
    })();
  };
  await standInFor(app, agent, container);
  const rules = 'guardrails:\n- name: content_filter\n  options: {words: [secret]}\n';
  await standInFor(app, await storeAgent(app, ada.email, { name: 'guarded', yaml: rules }), container);
});
afterAll(async () => await app?.stop());
beforeEach(() => {
  calls = [];
  keeps_threads = true;
  answer = ({ run_id, body }, response) =>
    reply(response, { run_id, status: 'completed', thread_id: body.thread_id, output: { said: 'hello', ...body } });
});

function reply(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' });
  response.end(JSON.stringify(body));
}

const bindings: Binding[] = ['JSONRPC', 'HTTP+JSON'];
describe.each(bindings)('by %s, the official SDK', (binding) => {
  let client: Client;
  beforeAll(async () => (client = await a2aClient(url, ada.token, binding)));

  test('sends a text and gets the task with its artifact', async () => {
    const task = await client.sendMessage(say('hi') as never);
    expect(calls).toMatchObject([{ body: { input: { question: 'hi' } } }]);
    expect(task).toMatchObject({
      id: calls[0]?.run_id,
      contextId: calls[0]?.body.thread_id,
      status: { state: 3 },
      artifacts: [
        {
          parts: [
            { content: { $case: 'text', value: expect.stringContaining('hello') as string } },
            { content: { $case: 'data', value: { said: 'hello', input: { question: 'hi' } } } },
          ],
        },
      ],
    });
  });

  test('sends data as the input, unchanged, in the context of the caller', async () => {
    const task = await client.sendMessage(say({ question: 'hi', n: [1, null] }, { contextId: 'holiday' }) as never);
    expect(calls).toMatchObject([{ body: { input: { question: 'hi', n: [1, null] }, thread_id: 'holiday' } }]);
    expect(task).toMatchObject({ contextId: 'holiday' });
  });

  test('reads its tasks of a context, the latest first, page by page', async () => {
    const contextId = crypto.randomUUID();
    const sent: string[] = [];
    for (const text of ['one', 'two', 'three'])
      sent.unshift(((await client.sendMessage(say(text, { contextId }) as never)) as { id: string }).id);
    const list = async (pageToken: string) =>
      await client.listTasks({ contextId, pageSize: 2, pageToken, status: 3, tenant: '' } as never);
    const first = await list('');
    expect([first.tasks.map(({ id }) => id), first.totalSize]).toEqual([sent.slice(0, 2), 3]);
    expect(first.tasks[0]?.artifacts).toEqual([]);
    const second = await list(first.nextPageToken);
    expect([second.tasks.map(({ id }) => id), second.nextPageToken]).toEqual([sent.slice(2), '']);
    expect(await client.getTask({ id: String(sent[0]) } as never)).toMatchObject({ artifacts: [{ name: 'output' }] });
  });

  test('answers the question of a task that waits, and the task completes', async () => {
    const interrupts = [{ id: 'i', value: 'Sure?' }];
    answer = ({ run_id, body }, response) =>
      reply(
        response,
        'resume' in body
          ? { run_id, status: 'completed', output: `said ${String(body.resume)}` }
          : { run_id, status: 'interrupted', output: {}, interrupts },
      );
    const asks = (await client.sendMessage(say('go') as never)) as { id: string; contextId: string };
    expect(asks).toMatchObject({
      status: {
        state: 6,
        message: { parts: [{ content: { value: 'Sure?' } }, { content: { value: { interrupts } } }] },
      },
    });
    const done = await client.sendMessage(say('yes', { taskId: asks.id }) as never);
    expect(calls[1]?.body).toEqual({ resume: 'yes', thread_id: asks.contextId });
    expect(done).toMatchObject({
      id: asks.id,
      status: { state: 3 },
      artifacts: [{ parts: [{ content: { value: 'said yes' } }] }],
    });
    await expect(client.sendMessage(say('again', { taskId: asks.id }) as never)).rejects.toThrow(
      'waits for no message',
    );
  });

  test('gets a task at once, follows it to its end, and no events after that', async () => {
    const held = Promise.withResolvers<() => void>();
    answer = ({ run_id }, response) =>
      held.resolve(() => reply(response, { run_id, status: 'completed', output: 'late' }));
    const at_once = { ...say('slow'), configuration: { returnImmediately: true, acceptedOutputModes: [] } };
    const { id, status } = (await client.sendMessage(at_once as never)) as { id: string; status: { state: number } };
    expect(status.state).toBe(2);
    const finish = await held.promise;
    const seen: unknown[] = [];
    for await (const { payload } of client.resubscribeTask({ id } as never)) {
      seen.push(payload);
      if (seen.length === 1) finish();
    }
    expect(seen).toMatchObject([
      { $case: 'task', value: { id, status: { state: 2 } } },
      { $case: 'artifactUpdate', value: { artifact: { parts: [{ content: { value: 'late' } }] }, lastChunk: true } },
      { $case: 'statusUpdate', value: { status: { state: 3 } } },
    ]);
    await expect(client.resubscribeTask({ id } as never).next()).rejects.toThrow('no further events');
  });

  test('reads a message as a stream; a failure of the agent is a failed task', async () => {
    answer = (_, response) => reply(response, { code: 'agent_error', detail: 'it broke', run_status: 'failed' }, 500);
    const seen: unknown[] = [];
    for await (const { payload } of client.sendMessageStream(say('hi') as never)) seen.push(payload);
    expect(seen).toMatchObject([
      { $case: 'task', value: { status: { state: 2 } } },
      {
        $case: 'statusUpdate',
        value: {
          status: {
            state: 4,
            message: { parts: [{ content: { value: 'it broke' } }, { content: { value: { code: 'agent_error' } } }] },
          },
        },
      },
    ]);
  });

  test('cancels a task: the run in the container ends, and an ended task stays as it is', async () => {
    let running: (() => void) | undefined;
    answer = (_, response) => {
      running = () => reply(response, { code: 'run_cancelled', detail: 'the run was cancelled' }, 409);
    };
    cancel = () => running?.();
    const at_once = { ...say('slow'), configuration: { returnImmediately: true, acceptedOutputModes: [] } };
    const { id } = (await client.sendMessage(at_once as never)) as { id: string };
    await expect.poll(() => running).toBeDefined();
    expect(await client.cancelTask({ id } as never)).toMatchObject({ id, status: { state: 5 } });
    await expect(client.cancelTask({ id } as never)).rejects.toThrow('has already ended');
  });

  test('gets the refusals of the protocol', async () => {
    const file = {
      content: { $case: 'url', value: 'file:///etc/passwd' },
      metadata: undefined,
      filename: '',
      mediaType: '',
    };
    await expect(client.sendMessage(say('', { parts: [file] as never }) as never)).rejects.toThrow('no files');
    await expect(client.getTask({ id: crypto.randomUUID() } as never)).rejects.toThrow('No task of yours');
    await expect(client.getTask({ id: "' or 1=1" } as never)).rejects.toThrow('No task of yours');
    await expect(client.sendMessage(say('x', { contextId: 'a\u0000b' }) as never)).rejects.toThrow(
      'control characters',
    );
    expect(calls).toEqual([]);
  });
});

const rpc = async (method: string, params: unknown, { token = ada.token, version = '1.0', agent = 'greeter' } = {}) => {
  const answered = await fetch(`${app.url}/agents/${agent}/a2a`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'a2a-version': version },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'one', method, params }),
  });
  return { status: answered.status, headers: answered.headers, body: (await answered.json()) as Record<string, never> };
};
const message = (text: string) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
});

test('the card names the agent, its input, its addresses and how to sign in', async () => {
  const card = async (token: string) =>
    await fetch(`${url}/.well-known/agent-card.json`, { headers: { authorization: `Bearer ${token}` } });
  expect(await (await card(ada.token)).json()).toMatchObject({
    name: 'greeter',
    description: 'Answers questions.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${url}/a2a`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extensions: [{ uri: 'urn:gantry:a2a:threads', params: { keeps_threads: true } }],
    },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    skills: [{ id: 'greeter', description: 'Answers questions. Input: question (string).' }],
  });
  expect((await card('nobody')).status).toBe(401);
  keeps_threads = false;
  expect(await (await card(ada.token)).json()).toMatchObject({
    capabilities: { extensions: [{ params: { keeps_threads: false } }] },
  });
});

test('a task belongs to its caller alone', async () => {
  const sent = await rpc('SendMessage', message('hi'));
  const { id } = (sent.body as unknown as { result: { task: { id: string } } }).result.task;
  expect((await rpc('GetTask', { id })).body).toMatchObject({ id: 'one', result: { id } });
  for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask'])
    expect((await rpc(method, { id }, bob)).body).toMatchObject({ error: { code: -32001 } });
  const again = { message: { ...message('hi').message, taskId: id } };
  expect((await rpc('SendMessage', again, bob)).body).toMatchObject({ error: { code: -32001 } });
  expect((await rpc('ListTasks', {}, bob)).body).toMatchObject({ result: { tasks: [], totalSize: 0 } });
});

test.each([
  ['a version that is not served', 'SendMessage', message('hi'), '2.0', -32009],
  ['a method of 1.0 without its version', 'SendMessage', message('hi'), '', -32601],
  ['an unknown method', 'constructor', {}, '1.0', -32601],
  ['push notifications', 'CreateTaskPushNotificationConfig', {}, '1.0', -32003],
  [
    'a message that asks for them',
    'SendMessage',
    { ...message('hi'), configuration: { taskPushNotificationConfig: {} } },
    '1.0',
    -32003,
  ],
  ['an extended card', 'GetExtendedAgentCard', {}, '1.0', -32007],
  [
    'a message without parts',
    'SendMessage',
    { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } },
    '1.0',
    -32602,
  ],
  [
    'a message of an agent',
    'SendMessage',
    { message: { ...message('hi').message, role: 'ROLE_AGENT' } },
    '1.0',
    -32602,
  ],
  ['a state that is none', 'ListTasks', { status: "x' or true" }, '1.0', -32602],
  ['a page of another list', 'ListTasks', { pageToken: 'WyJ4Il0' }, '1.0', -32602],
  ['a time that is none', 'ListTasks', { statusTimestampAfter: '-1' }, '1.0', -32602],
])('%s is refused, and the agent is not called', async (_, method, params, version, code) => {
  const { status, body } = await rpc(method, params, { version });
  expect({ status, body }).toMatchObject({ status: 200, body: { id: 'one', error: { code } } });
  expect(calls).toEqual([]);
});

test('a body that is nested too deeply, or is no request, is refused', async () => {
  const post = async (body: string) => {
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', 'a2a-version': '1.0' };
    return (await (await fetch(`${url}/a2a`, { method: 'POST', headers, body })).json()) as object;
  };
  const deep = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${'['.repeat(100)}${']'.repeat(100)}}`;
  expect(await post(deep)).toMatchObject({ id: null, error: { code: -32700 } });
  expect(await post('{')).toMatchObject({ error: { code: -32700 } });
  for (const body of ['[]', '7', '{"jsonrpc":"1.0","id":1,"method":"GetTask"}'])
    expect(await post(body)).toMatchObject({ error: { code: -32600 } });
});

test('of two answers to one question, one continues the task', async () => {
  answer = ({ run_id, body }, response) =>
    reply(response, { run_id, status: 'resume' in body ? 'completed' : 'interrupted', output: {}, interrupts: [] });
  const sent = await rpc('SendMessage', message('go'));
  const { id } = (sent.body as unknown as { result: { task: { id: string } } }).result.task;
  const resume = () => ({ message: { ...message('yes').message, taskId: id } });
  const both = await Promise.all([rpc('SendMessage', resume()), rpc('SendMessage', resume())]);
  const codes = both.map(({ body }) => (body as { error?: { code: number } }).error?.code);
  expect(codes.filter((code) => code === undefined)).toHaveLength(1);
  expect(codes).toContain(-32004);
  expect(calls).toHaveLength(2);
});

test('the same message of one caller has one task, and other content or another caller has another', async () => {
  const said = message('hi');
  const taskOf = async (sent: object, as = ada.token) =>
    ((await rpc('SendMessage', sent, { token: as })).body as unknown as { result: { task: { id: string } } }).result
      .task;
  const [first, again] = await Promise.all([taskOf(said), taskOf(said)]);
  expect(again).toEqual(first);
  expect(await taskOf(said)).toEqual(first);
  expect(calls).toHaveLength(1);
  expect((await taskOf({ message: { ...said.message, parts: [{ text: 'other' }] } })).id).not.toBe(first.id);
  expect((await taskOf(said, bob.token)).id).not.toBe(first.id);
});

test('a message waits for the end of its task, also beyond the sync budget', async () => {
  answer = ({ run_id }, response) =>
    void setTimeout(() => reply(response, { run_id, status: 'completed', output: 'late' }), 1500);
  expect((await rpc('SendMessage', message('slow'))).body).toMatchObject({
    result: { task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'late' }] }] } },
  });
});

test('a full agent is a refusal with the time to wait', async () => {
  answer = (_, response) => {
    response.setHeader('x-svc-not-begun', 'full');
    response.setHeader('retry-after', '7');
    reply(response, { code: 'too_many_runs', detail: 'the agent is full' }, 429);
  };
  const { status, headers, body } = await rpc('SendMessage', message('hi'));
  expect([status, headers.get('retry-after')]).toEqual([429, '7']);
  expect(body).toMatchObject({ detail: 'the agent is full', error: { status: 'RESOURCE_EXHAUSTED' } });
});

test('an agent without threads gets none', async () => {
  keeps_threads = false;
  expect((await rpc('SendMessage', message('hi'))).body).toMatchObject({
    result: { task: { contextId: expect.any(String) as string } },
  });
  expect(calls).toMatchObject([{ body: { input: { question: 'hi' } } }]);
  expect(calls[0]?.body).not.toHaveProperty('thread_id');
});

test('0.3 has its own names, with an empty version too', async () => {
  const sent = { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] } };
  const { body } = await rpc('message/send', sent, { version: '' });
  expect(body).toMatchObject({
    result: {
      kind: 'task',
      status: { state: 'completed' },
      artifacts: [{ parts: [{ kind: 'text' }, { kind: 'data', data: { said: 'hello' } }] }],
    },
  });
  const { id } = (body as unknown as { result: { id: string } }).result;
  expect((await rpc('tasks/get', { id }, { version: '0.3' })).body).toMatchObject({ result: { kind: 'task', id } });
  expect((await rpc('tasks/cancel', { id }, { version: '0.3.0' })).body).toMatchObject({ error: { code: -32002 } });
});

test('a blocked message is a rejected task, and the agent is not called', async () => {
  const guarded = { agent: 'guarded' };
  expect((await rpc('SendMessage', message('hi'), guarded)).body).toMatchObject({
    result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } },
  });
  calls = [];
  const { body } = await rpc('SendMessage', message('a secret'), guarded);
  const status = {
    state: 'TASK_STATE_REJECTED',
    message: { parts: [{ text: expect.stringContaining('content_filter blocked the input') as string }, {}] },
  };
  expect(body).toMatchObject({ result: { task: { status } } });
  const { id } = (body as unknown as { result: { task: { id: string } } }).result.task;
  expect((await rpc('GetTask', { id }, guarded)).body).toMatchObject({ result: { id, status } });
  expect(calls).toEqual([]);
});
