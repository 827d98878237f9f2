// Clients of OpenAI call an agent as a model, through the real service, with a plain HTTP server in place of its container.
import type { IncomingMessage, ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { storeCost } from '../../testing/stored/stored-costs.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let agent: StoredAgent;
let openai: OpenAI;
let ready: object;
let answer: (response: ServerResponse, body: Sent) => void;
/** The requests that began a run. */
let sent: { path: string; headers: IncomingMessage['headers']; body: Sent }[] = [];

interface Sent {
  input?: Record<string, unknown>;
  resume?: unknown;
  thread_id?: string;
}

const json = { 'content-type': 'application/json' };
const conversation = { properties: { messages: { type: 'array' } } };
const model = 'agents/greeter';
const messages = [{ role: 'user' as const, content: 'Hello' }];

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock', sync_budget_seconds: 2 } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  agent = await storeAgent(app, ada.email, { name: 'greeter' });
  await standInFor(app, agent, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      if (path === '/ready') return void response.writeHead(200, json).end(JSON.stringify(ready));
      if (path === '/health') return void response.writeHead(200, json).end('{}');
      if (path.startsWith('/runs/')) return void response.writeHead(200, json).end('{"status": "running"}');
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Sent;
      sent.push({ path, headers, body });
      answer(response, body);
    });
  });
  openai = clientOf(await keyOf({ models: [model] }));
});
afterAll(async () => await app?.stop());
beforeEach(() => {
  sent = [];
  ready = { input_schema: conversation, keeps_threads: true };
  answer = (response) => says(response, 'Hello Ada');
});

const keyOf = async (body: object, { client } = ada) => (await client.call('keys.create', { body })).key ?? '';
const clientOf = (apiKey: string, maxRetries = 0) => new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries });

const says = (response: ServerResponse, content: string) =>
  response.writeHead(200, json).end(
    JSON.stringify({
      run_id: 'r',
      status: 'completed',
      output: { messages: [...messages, { role: 'assistant', content }] },
    }),
  );

const streams = (response: ServerResponse, events: readonly object[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end();
};
const text = (delta: string, messageId = 'm') => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta });
const ends = (messageId = 'm') => ({ type: 'TEXT_MESSAGE_END', messageId });
const finished = (content: string) => ({
  type: 'RUN_FINISHED',
  runId: 'r',
  threadId: 't',
  result: { messages: [{ role: 'assistant', content }] },
  outcome: { type: 'success' },
});

describe('Chat Completions', () => {
  test('all messages are the input, and the answer is the last message of the agent', async () => {
    const said = [{ role: 'system' as const, content: 'Be kind.' }, ...messages];
    const {
      choices,
      model: named,
      object,
    } = await openai.chat.completions.create({ model, messages: said, temperature: 1 });
    expect([object, named, choices[0]?.message.content, choices[0]?.finish_reason]).toEqual([
      'chat.completion',
      model,
      'Hello Ada',
      'stop',
    ]);
    expect(sent).toMatchObject([{ path: '/invoke', body: { input: { messages: said } } }]);
    expect(sent[0]?.body).not.toHaveProperty('thread_id');
  });

  test('a stream has the pieces of the text on arrival', async () => {
    answer = (response) => streams(response, [text('Hello '), text('Ada'), ends(), finished('Hello Ada')]);
    const pieces: string[] = [];
    for await (const { choices } of await openai.chat.completions.create({ model, messages, stream: true }))
      pieces.push(choices[0]?.delta.content ?? `(${choices[0]?.finish_reason})`);
    expect(pieces).toEqual(['', 'Hello ', 'Ada', '(stop)']);
    expect(sent[0]?.path).toBe('/stream');
  });

  const streamedText = async (client = openai) => {
    let all = '';
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    for await (const { choices } of stream) all += choices[0]?.delta.content ?? '';
    return all;
  };

  test('messages at the same time come one after the other, and the answer comes also when no piece had it', async () => {
    answer = (response) =>
      streams(response, [text('a', '1'), text('x', '2'), text('b', '1'), ends('2'), ends('1'), finished('the end')]);
    expect(await streamedText()).toBe('ab\n\nx\n\nthe end');
  });

  test('a crew that streams no text gives its answer at the end', async () => {
    answer = (response) =>
      streams(response, [{ type: 'RUN_FINISHED', runId: 'r', threadId: 't', result: { raw: 'done' } }]);
    expect(await streamedText()).toBe('done');
  });

  test.each([
    ['budget_exceeded', 'budget_exceeded'],
    ['run_cancelled', 'cancelled'],
    ['no such code', 'agent_error'],
  ])('a stream that ends with the failure %s throws the error %s after its text', async (code, thrown) => {
    answer = (response) =>
      streams(response, [text('Hel'), { type: 'RUN_ERROR', code, message: 'It ended.', runId: 'r' }]);
    await expect(streamedText()).rejects.toMatchObject({
      error: { code: thrown, message: expect.stringContaining('It ended.') },
    });
  });

  test('a connection that breaks throws an error', async () => {
    answer = (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`data: ${JSON.stringify(text('Hel'))}\n\n`, () => response.destroy());
    await expect(streamedText()).rejects.toMatchObject({ error: { code: 'agent_unavailable' } });
  });

  test.each([
    [{ tools: [{ type: 'function', function: { name: 'weather' } }] }, '/tools'],
    [{ n: 2 }, '/n'],
    [{ response_format: { type: 'json_object' } }, '/response_format'],
    [{ stop: ['.'] }, '/stop'],
    [{ logprobs: true }, '/logprobs'],
    [{ modalities: ['text', 'audio'] }, '/modalities'],
    [{ messages: [{ role: 'tool', content: 'sunny', tool_call_id: 'c' }] }, '/messages/0/role'],
    [{ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] }, '/messages/0/content/0'],
  ])('%j is refused by its name', async (more, pointer) => {
    const body = { model, messages, ...more } as OpenAI.ChatCompletionCreateParamsNonStreaming; // a client can send anything
    await expect(openai.chat.completions.create(body)).rejects.toMatchObject({
      status: 400,
      error: { code: 'invalid', message: expect.stringContaining(pointer) },
    });
    expect(sent).toEqual([]);
  });

  test('members that ask for nothing, or about a model, are no reason to refuse', async () => {
    const body = { tools: [], n: 1, stop: null, response_format: { type: 'text' as const }, max_tokens: 5, seed: 1 };
    expect((await openai.chat.completions.create({ model, messages, ...body })).choices[0]?.message.content).toBe(
      'Hello Ada',
    );
  });

  test('the failure of a call keeps its reason, and its client does not repeat it', async () => {
    const failed = { code: 'agent_error', detail: 'the agent’s code raised LookupError: no such thing' };
    answer = (response) =>
      response.writeHead(500, { 'content-type': 'application/problem+json' }).end(JSON.stringify(failed));
    const repeating = clientOf(await keyOf({ models: [model] }), 2);
    await expect(repeating.chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 502,
      error: { code: 'agent_error', message: expect.stringContaining('no such thing') },
    });
    expect(sent).toHaveLength(1);
  });
});

test('a call that takes longer than the sync budget is stored, and answered at its end', async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  answer = (response) => begun.resolve(response);
  const asking = openai.chat.completions.create({ model, messages }).withResponse();
  const response = await begun.promise;
  const id = String(response.req.headers['x-svc-run-id']);
  const stored = async () => await app.db.one(sql`select state, status from invocation where id = ${id}`);
  await expect.poll(stored).toEqual({ state: 'running', status: null });
  says(response, 'Hello Ada');
  const { data, response: answered } = await asking;
  expect([data.choices[0]?.message.content, answered.headers.get('x-run-id')]).toEqual(['Hello Ada', id]);
  await expect.poll(stored).toEqual({ state: 'ended', status: 200 });
});

describe('an agent without messages', () => {
  test('with one text gets the last message of the user alone', async () => {
    ready = { input_schema: { properties: { topic: { type: 'string' } } } };
    answer = (response) => response.writeHead(200, json).end(JSON.stringify({ output: { raw: 'A report' } }));
    const said = [...messages, { role: 'assistant' as const, content: 'Hi' }, { role: 'user' as const, content: 'AI' }];
    expect((await openai.chat.completions.create({ model, messages: said })).choices[0]?.message.content).toBe(
      'A report',
    );
    expect(sent[0]?.body).toEqual({ input: { topic: 'AI' } });
    const strict = [{ role: 'system' as const, content: 'Be kind.' }, ...messages];
    await expect(openai.chat.completions.create({ model, messages: strict })).rejects.toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('takes one text') },
    });
  });

  test('with several fields is not called, and the refusal names them', async () => {
    ready = { input_schema: { properties: { topic: { type: 'string' }, pages: { type: 'integer' } } } };
    await expect(openai.chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('takes topic, pages') },
    });
    expect(sent).toEqual([]);
  });
});

describe('Responses', () => {
  test('an answer can be continued: its id has the thread', async () => {
    const first = await openai.responses.create({ model, input: 'Hello' });
    expect([first.object, first.status, first.output_text]).toEqual(['response', 'completed', 'Hello Ada']);
    const second = await openai.responses.create({ model, input: 'And now?', previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    const [one, two] = sent.map(({ body }) => body);
    expect(one?.thread_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(two).toEqual({ input: { messages: [{ role: 'user', content: 'And now?' }] }, thread_id: one?.thread_id });
  });

  test('a conversation is the thread of that name', async () => {
    const { conversation: of } = await openai.responses.create({ model, input: 'Hello', conversation: 'trip' });
    expect([of?.id, sent[0]?.body.thread_id]).toEqual(['trip', 'trip']);
  });

  test('with `store: false` there is no thread, and nothing to continue', async () => {
    const { id } = await openai.responses.create({ model, input: 'Hello', store: false });
    expect(sent[0]?.body).not.toHaveProperty('thread_id');
    await expect(openai.responses.create({ model, input: 'And?', previous_response_id: id })).rejects.toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('/previous_response_id') },
    });
  });

  test('an agent that keeps no threads answers once', async () => {
    ready = { input_schema: conversation, keeps_threads: false };
    const { id } = await openai.responses.create({ model, input: 'Hello' });
    expect([id, sent[0]?.body.thread_id]).toEqual([expect.stringMatching(/^resp_[0-9a-f]{32}$/), undefined]);
    await expect(openai.responses.create({ model, input: 'Hello', conversation: 'trip' })).rejects.toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('keeps no threads') },
    });
  });

  test('a stream has the events that the client puts together to the same answer', async () => {
    answer = (response) => streams(response, [text('Hello '), text('Ada'), ends(), finished('Hello Ada')]);
    const stream = openai.responses.stream({ model, input: 'Hello' });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type.replace('response.', ''));
    expect(types).toEqual(
      [
        'created',
        'in_progress',
        'output_item.added',
        'content_part.added',
        'output_text.delta',
        'output_text.delta',
      ].concat(['output_text.done', 'content_part.done', 'output_item.done', 'completed']),
    );
    const { output_text, id, status } = await stream.finalResponse();
    expect([output_text, status, id]).toEqual(['Hello Ada', 'completed', expect.stringMatching(/^resp_\w+_[\w-]+$/)]);
  });

  test('a stream whose run fails ends with its reason', async () => {
    const failed = { type: 'RUN_ERROR', code: 'agent_error', message: 'It broke.', runId: 'r' };
    answer = (response) => streams(response, [text('Hel'), failed]);
    const last = (await Array.fromAsync(await openai.responses.create({ model, input: 'Hello', stream: true }))).at(-1);
    expect(last).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'agent_error', message: expect.stringContaining('It broke.') } },
    });
  });

  test.each([
    [{ tools: [{ type: 'web_search' }] }, '/tools'],
    [{ background: true }, '/background'],
    [{ text: { format: { type: 'json_object' } } }, '/text'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, '/input'],
    [{ conversation: 'trip', previous_response_id: `resp_${'0'.repeat(32)}_dHJpcA` }, '/conversation'],
  ])('%j is refused by its name', async (more, pointer) => {
    const body = { model, input: 'Hello', ...more } as OpenAI.Responses.ResponseCreateParamsNonStreaming; // a client can send anything
    await expect(openai.responses.create(body)).rejects.toMatchObject({
      status: 400,
      error: { code: 'invalid', message: expect.stringContaining(pointer) },
    });
    expect(sent).toEqual([]);
  });
});

test('an answer counts the tokens of its run, whole and streamed, unless a provider has not counted', async () => {
  let estimated = false;
  const spends = (then: (response: ServerResponse) => void) => (response: ServerResponse) => {
    const run_id = String(response.req.headers['x-svc-run-id']);
    const cost = { team: 'ml', model: 'small', nano: 1, run_id };
    void Promise.all([storeCost(app, cost), storeCost(app, { ...cost, estimated })]).then(() => then(response));
  };
  answer = spends((response) => says(response, 'Hello Ada'));
  const counted = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
  expect((await openai.chat.completions.create({ model, messages })).usage).toEqual(counted);
  expect((await openai.responses.create({ model, input: 'Hello' })).usage).toMatchObject({
    input_tokens: 20,
    output_tokens: 10,
  });
  answer = spends((response) => streams(response, [text('Hello Ada'), ends(), finished('Hello Ada')]));
  const asked = { model, messages, stream: true as const, stream_options: { include_usage: true } };
  expect((await Array.fromAsync(await openai.chat.completions.create(asked))).at(-1)?.usage).toEqual(counted);
  estimated = true;
  expect((await Array.fromAsync(await openai.chat.completions.create(asked))).at(-1)?.usage).toBeUndefined();
});

test('a run that waits for a person answers with its question, whole and streamed', async () => {
  const asked = { id: 'i', value: 'Which city?' };
  answer = (response) =>
    response
      .writeHead(200, json)
      .end(JSON.stringify({ run_id: 'r', status: 'interrupted', output: {}, interrupts: [asked] }));
  expect((await openai.responses.create({ model, input: 'Weather' })).output_text).toBe('Which city?');
  const interrupt = { id: 'i', reason: 'interrupt', metadata: { value: 'Which city?' } };
  answer = (response) =>
    streams(response, [{ type: 'RUN_FINISHED', result: {}, outcome: { type: 'interrupt', interrupts: [interrupt] } }]);
  expect((await openai.responses.stream({ model, input: 'Weather' }).finalResponse()).output_text).toBe('Which city?');
});

describe('a key', () => {
  const ask = async (client: OpenAI, named = model) => await client.chat.completions.create({ model: named, messages });

  test('of a person calls as that person', async () => {
    await ask(openai);
    const [, claims = ''] = String(sent[0]?.headers['x-svc-caller']).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ email: ada.email });
  });

  test('of a service principal calls as that service principal', async () => {
    await ada.client.call('principals.create', {
      body: { name: 'bot', team: 'ml', role: 'viewer', allowed_assets: ['agents/*'] },
    });
    const bot = clientOf(await keyOf({ scope: 'principal', scope_id: 'bot', models: [model] }));
    await ask(bot);
    const [, claims = ''] = String(sent[0]?.headers['x-svc-caller']).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: expect.any(String) });
    expect(sent).toHaveLength(1);
  });

  test('with the pattern * names no agent', async () => {
    const client = clientOf(await keyOf({ models: ['*'] }));
    await expect(ask(client)).rejects.toMatchObject({ status: 403, error: { code: 'model_not_allowed' } });
    expect((await client.models.list()).data).toEqual([]);
    expect(sent).toEqual([]);
  });

  test.each(['team', 'org'] as const)('of scope %s cannot name an agent', async (scope) => {
    const creating = app.admin.client.call('keys.create', {
      body: { scope, ...(scope === 'team' && { scope_id: 'ml' }), models: [model] },
    });
    await expect(creating).rejects.toMatchObject({ code: 'invalid' });
  });

  test('cannot name an agent that its creator may not use, one that does not exist, or a pattern of agents', async () => {
    const eve = await app.user('eve@example.com', { teams: { other: 'admin' } });
    for (const named of [model, 'agents/nobody', 'agents/*'])
      await expect(keyOf({ models: [named] }, eve)).rejects.toMatchObject({ code: 'invalid' });
  });

  test('of an agent calls no agent, whatever its models are', async () => {
    const key = await keyOf({ scope: 'agent', scope_id: 'greeter', models: ['*'] });
    await app.governed(
      sql`update gateway_key set models = ${['*', model]} where prefix = ${key.slice(0, 12)} returning id`,
    );
    await expect(ask(clientOf(key))).rejects.toMatchObject({
      status: 403,
      error: { code: 'model_not_allowed', message: expect.stringContaining('subagents') },
    });
    expect((await clientOf(key).models.list()).data).toEqual([]);
  });

  test('whose holder may no longer use the agent is refused as for a call of that person, and lists it no longer', async () => {
    const cal = await app.user('cal@example.com', { teams: { other: 'viewer' } });
    const to = {
      resource_type: 'agent',
      resource_id: agent.asset_id,
      principal_type: 'user',
      principal_id: cal.email,
    } as const;
    const { id } = await ada.client.call('permissions.grant', { body: { ...to, actions: ['read', 'use'] } });
    const client = clientOf(await keyOf({ models: [model] }, cal));
    await ask(client);
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual([model]);
    await ada.client.call('permissions.revoke', { params: { id }, query: { actions: 'use' } });
    await expect(ask(client)).rejects.toMatchObject({ status: 403, error: { code: 'forbidden' } });
    expect((await client.models.list()).data).toEqual([]);
    const { items } = await app.admin.client.call('audit.list', { query: { action: 'refused', asset: model } });
    expect(items.map(({ actor: { name } }) => name)).toEqual([`key:${client.apiKey?.slice(0, 12)}`]);
    expect(sent).toHaveLength(1);
  });

  test('lists its agents', async () => {
    expect((await openai.models.list()).data).toMatchObject([{ id: model, owned_by: 'ml' }]);
  });

  test('that is revoked ends its stream within a second', async () => {
    const created = await ada.client.call('keys.create', { body: { models: [model] } });
    const closed = Promise.withResolvers<void>();
    answer = (response) => {
      response.once('close', () => closed.resolve());
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`data: ${JSON.stringify(text('Hel'))}\n\n`);
    };
    const client = clientOf(created.key ?? '');
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    const reading = (async () => {
      for await (const _ of stream);
    })();
    await ada.client.call('keys.revoke', { params: { id: created.id } });
    const revoked_at = performance.now();
    await expect(reading).rejects.toMatchObject({ error: { code: 'invalid_api_key' } });
    expect(performance.now() - revoked_at).toBeLessThan(2000);
    await closed.promise;
    await expect(ask(client)).rejects.toMatchObject({ status: 401 });
  });

  test('calls agents also at a process that has the role gateway alone', async () => {
    const { url } = await app.another({ roles: ['gateway'] });
    const client = new OpenAI({ apiKey: openai.apiKey ?? '', baseURL: `${url}/v1`, maxRetries: 0 });
    expect((await ask(client)).choices[0]?.message.content).toBe('Hello Ada');
  });

  test('calls an agent in the formats of OpenAI alone', async () => {
    const response = await fetch(`${app.url}/v1/messages`, {
      method: 'POST',
      headers: { ...json, 'x-api-key': openai.apiKey ?? '' },
      body: JSON.stringify({ model, max_tokens: 16, messages }),
    });
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'model_not_allowed' } }]);
  });
});
