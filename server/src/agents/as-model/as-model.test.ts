// Clients of OpenAI call an agent as a model, through the real service, with a plain HTTP server in place of its container.
import type { IncomingMessage, ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
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
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  agent = await storeAgent(app, ada.email, { name: 'greeter' });
  await standInFor(app, agent, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      if (path === '/ready') return void response.writeHead(200, json).end(JSON.stringify(ready));
      if (path === '/health') return void response.writeHead(200, json).end('{}');
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
const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });

const says = (response: ServerResponse, content: string) =>
  response
    .writeHead(200, json)
    .end(
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
    answer = (response) =>
      streams(response, [
        text('Hello '),
        text('Ada'),
        { type: 'TEXT_MESSAGE_END', messageId: 'm' },
        finished('Hello Ada'),
      ]);
    const pieces: string[] = [];
    for await (const { choices } of await openai.chat.completions.create({ model, messages, stream: true }))
      pieces.push(choices[0]?.delta.content ?? `(${choices[0]?.finish_reason})`);
    expect(pieces).toEqual(['', 'Hello ', 'Ada', '(stop)']);
    expect(sent[0]?.path).toBe('/stream');
  });
});
