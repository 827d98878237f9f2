// A stream whose run goes on without its reader, with a plain HTTP server in place of the agent's container.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let bob: TestUser;
/** The call, and the one who listens to its events. */
let invoked: PromiseWithResolvers<ServerResponse>;
let heard: PromiseWithResolvers<ServerResponse>;

const answerCall = (request: IncomingMessage, response: ServerResponse) => {
  if (request.url === '/invoke') invoked.resolve(response);
  else if (request.url?.endsWith('/events') === true)
    heard.resolve(response.writeHead(200, { 'content-type': 'text/event-stream' }));
  else response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"running"}');
};

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
  const agent = await storeAgent(app, ada.email, { name: 'greeter' });
  await standInFor(app, agent, (request, response) => {
    request.resume();
    request.on('end', () => answerCall(request, response));
  });
});
afterAll(async () => await app?.stop());

async function begin(signal?: AbortSignal) {
  invoked = Promise.withResolvers();
  heard = Promise.withResolvers();
  return await fetch(`${app.url}/agents/greeter/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', prefer: 'respond-async' },
    body: '{"input":{}}',
    ...(signal === undefined ? {} : { signal }),
  });
}
const say = (response: ServerResponse, event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
const end = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const eventsIn = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice(6)) as Record<string, unknown>);

test('the events come as they are said, and the end has the result', async () => {
  const answered = await begin();
  const run_id = answered.headers.get('x-run-id');
  expect(answered.headers.get('preference-applied')).toBe('respond-async');
  const events = await heard.promise;
  say(events, { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Hello' });
  events.end();
  end(await invoked.promise, 200, { run_id, status: 'completed', thread_id: 't', output: { answer: 'Hello' } });
  expect(eventsIn(await answered.text())).toEqual([
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Hello' },
    { type: 'RUN_FINISHED', threadId: 't', runId: run_id, result: { answer: 'Hello' }, outcome: { type: 'success' } },
  ]);
});

test('a question is the end, and so is a failure of the agent', async () => {
  const asked = await begin();
  (await heard.promise).end();
  const interrupts = [{ id: 'i', value: { question: 'ok?' } }];
  end(await invoked.promise, 200, { run_id: 'r', status: 'interrupted', thread_id: 't', output: null, interrupts });
  expect(eventsIn(await asked.text()).at(-1)).toMatchObject({
    outcome: { type: 'interrupt', interrupts: [{ id: 'i', metadata: { value: { question: 'ok?' } } }] },
  });
  const failed = await begin();
  (await heard.promise).end();
  end(await invoked.promise, 500, { code: 'agent_failed', detail: 'ValueError: no' });
  expect(eventsIn(await failed.text())).toMatchObject([
    { type: 'RUN_ERROR', code: 'agent_failed', message: 'ValueError: no' },
  ]);
});

test('a reader who leaves ends nothing: the answer is kept for its caller alone', async () => {
  const leaving = new AbortController();
  const answered = await begin(leaving.signal);
  const run_id = answered.headers.get('x-run-id') ?? '';
  const call = await invoked.promise;
  leaving.abort();
  await answered.text().catch(() => {}); // it was left
  end(call, 200, { run_id, status: 'completed', thread_id: run_id, output: { answer: 'still here' } });
  const params = { name: 'greeter', run_id };
  const read = async () => (await (await ada.client.call('invoke.run', { params })).json()) as object;
  await expect.poll(read).toMatchObject({ output: { answer: 'still here' } });
  await expect(bob.client.call('invoke.run', { params })).rejects.toMatchObject({ code: 'run_gone' });
});
