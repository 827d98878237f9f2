// The official client of AG-UI, unchanged, at /stream, with a plain HTTP server in place of the agent's container. e2e/shared/as-model.test.ts has a
// real one. The client warns of each member that the protocol does not have.
import type { ServerResponse } from 'node:http';
import { HttpAgent, type BaseEvent } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let ready: object;
let answer: (response: ServerResponse) => void;
let sent: Record<string, unknown>[] = [];

const json = { 'content-type': 'application/json' };

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  await standInFor(app, await storeAgent(app, ada.email, { name: 'greeter' }), (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/ready') return void response.writeHead(200, json).end(JSON.stringify(ready));
      sent.push(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>);
      answer(response);
    });
  });
});
afterAll(async () => await app?.stop());
beforeEach(() => {
  sent = [];
  ready = { input_schema: { properties: { messages: { type: 'array' } } }, keeps_threads: true };
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  // oxlint-disable-next-line no-console -- the client says there what it has taken out of an event
  expect(console.warn).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

const started = { type: 'RUN_STARTED', threadId: 't', runId: 'r', protocolVersion: '1.0' };
const finished = { type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: { type: 'success' } };
const says = (text: string, messageId: string) => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text },
  { type: 'TEXT_MESSAGE_END', messageId },
];
const streams = (events: readonly object[]) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end();
};

function client() {
  const headers = { authorization: `Bearer ${ada.token}` };
  const agent = new HttpAgent({ url: `${app.url}/agents/greeter/stream`, headers, threadId: 'trip' });
  const events: BaseEvent[] = [];
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) });
  return { agent, events };
}

test('talks, and brings all messages of its thread, each under its id', async () => {
  answer = streams([started, ...says('Hello Ada', 'm1'), finished]);
  const { agent, events } = client();
  agent.addMessage({ id: 'u1', role: 'user', content: 'Hello' });
  await agent.runAgent({ runId: 'first' });
  for (const event of events) EventSchemas.parse(event);
  expect(events.map(({ type }) => type)).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ]);
  expect(events.at(0)).toMatchObject({ threadId: 'trip', runId: 'first', protocolVersion: '1.0' });
  agent.addMessage({ id: 'u2', role: 'user', content: 'And now?' });
  await agent.runAgent({ runId: 'second' });
  expect(sent.at(1)).toEqual({
    input: {
      messages: [
        { id: 'u1', role: 'user', content: 'Hello' },
        { id: 'm1', role: 'assistant', content: 'Hello Ada' },
        { id: 'u2', role: 'user', content: 'And now?' },
      ],
    },
    thread_id: 'trip',
  });
});

test('answers what a run asks, and abandons it', async () => {
  const interrupt = { id: 'i1', reason: 'interrupt', metadata: { value: 'Which city?' } };
  const { agent } = client();
  agent.addMessage({ id: 'u1', role: 'user', content: 'Weather' });
  const asks = streams([started, { ...finished, outcome: { type: 'interrupt', interrupts: [interrupt] } }]);
  answer = asks;
  await agent.runAgent();
  answer = streams([started, ...says('Sunny', 'm1'), finished]);
  await agent.runAgent({ resume: [{ interruptId: 'i1', status: 'resolved', payload: 'Rome' }] });
  expect(sent.at(1)).toEqual({ resume: 'Rome', thread_id: 'trip' });
  answer = asks;
  await agent.runAgent();
  answer = streams([started, finished]);
  await agent.runAgent({ resume: [{ interruptId: 'i1', status: 'cancelled' }] });
  expect(sent.at(3)).toMatchObject({ input: { messages: [{ id: 'u1' }, { id: 'm1' }] } });
});

test('answers several questions each by its id', async () => {
  const interrupts = ['i1', 'i2'].map((id) => ({ id, reason: 'interrupt' }));
  const { agent } = client();
  answer = streams([started, { ...finished, outcome: { type: 'interrupt', interrupts } }]);
  await agent.runAgent();
  answer = streams([started, finished]);
  const resume = ['i1', 'i2'].map((interruptId) => ({
    interruptId,
    status: 'resolved' as const,
    payload: interruptId,
  }));
  await agent.runAgent({ resume });
  expect(sent.at(1)).toMatchObject({ resume: { i1: 'i1', i2: 'i2' } });
});

test('reads a run that its container has broken off as failed', async () => {
  answer = (response) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(`data: ${JSON.stringify(started)}\n\n`, () => response.destroy());
  const { agent, events } = client();
  await agent.runAgent().catch(() => {}); // a client may throw for it
  expect(EventSchemas.parse(events.at(-1))).toMatchObject({ type: 'RUN_ERROR', code: 'agent_unavailable' });
});

test('sends images and the results of tools, and what an agent cannot use is left out', async () => {
  answer = streams([started, finished]);
  const { agent } = client();
  const call = { id: 'c1', type: 'function' as const, function: { name: 'weather', arguments: '{}' } };
  agent.setMessages([
    {
      id: 'u1',
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } },
        { type: 'audio', source: { type: 'url', value: 'https://example.com/a.mp3' } },
      ],
    },
    { id: 'm1', role: 'assistant', toolCalls: [call] },
    { id: 'r1', role: 'tool', toolCallId: 'c1', content: 'sunny' },
  ]);
  await agent.runAgent();
  expect(sent.at(0)?.['input']).toEqual({
    messages: [
      {
        id: 'u1',
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      { id: 'm1', role: 'assistant', content: '', tool_calls: [call] },
      { id: 'r1', role: 'tool', content: 'sunny', tool_call_id: 'c1' },
    ],
  });
});

test('an agent without threads gets the messages alone, and one with a single text the last one', async () => {
  answer = streams([started, finished]);
  ready = { input_schema: { properties: { topic: { type: 'string' } } } };
  const { agent } = client();
  agent.setMessages([
    { id: 's1', role: 'system', content: 'Be kind.' },
    { id: 'u1', role: 'user', content: 'AI' },
  ]);
  await agent.runAgent();
  expect(sent).toEqual([{ input: { topic: 'AI' } }]);
});

test('a malformed request is refused before the run, and one in the service’s own form is no request of the protocol', async () => {
  const post = async (body: object) =>
    await fetch(`${app.url}/agents/greeter/stream`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${ada.token}` },
      body: JSON.stringify(body),
    });
  answer = streams([started, finished]);
  const input = { threadId: 't', runId: 'r', messages: [] };
  expect((await post(input)).status).toBe(200);
  const malformed = [
    { ...input, messages: [{ role: 'user', content: 'no id' }] },
    { ...input, protocolVersion: '2.0' },
    { ...input, threadId: '' },
    { ...input, resume: 'yes' },
  ];
  for (const body of malformed) {
    const refused = await post(body);
    expect([refused.status, await refused.json()]).toMatchObject([422, { code: 'invalid' }]);
  }
  expect(sent).toHaveLength(1);
  const own = { input: { threadId: 't', runId: 'r', messages: [] } };
  expect((await post(own)).status).toBe(200);
  expect(sent.at(1)).toEqual(own);
});
