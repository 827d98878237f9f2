// A stream through the ingress, with a plain HTTP server in place of the agent's container.
import type { ServerResponse } from 'node:http';
import { Problem } from '@gantry/contract/problems.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { eventsOfAgent } from './agent-events.ts';

let app: TestApp;
let ada: TestUser;
let agent_id: string;
let answer: (response: ServerResponse) => void;
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const agent = await storeAgent(app, ada.email, { name: 'greeter' });
  agent_id = agent.asset_id;
  await standInFor(app, agent, (request, response) => {
    request.resume();
    request.on('end', () => answer(response));
  });
});
afterAll(async () => await app?.stop());

const stream = async (signal?: AbortSignal) =>
  await fetch(`${app.url}/agents/greeter/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    body: '{"input":{}}',
    ...(signal === undefined ? {} : { signal }),
  });
const events = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

test('the head is sent before the first byte, and each event on arrival', async () => {
  const agent = Promise.withResolvers<ServerResponse>();
  answer = (response) => {
    events(response).flushHeaders();
    agent.resolve(response);
  };
  const { status, headers, body } = await stream();
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-run-id')).toMatch(/^[0-9a-f-]{36}$/);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (const one of ['data: {"n":1}\n\n', ': keepalive\n\n']) {
    (await agent.promise).write(one);
    expect(await reader?.read()).toEqual({ done: false, value: one });
  }
  (await agent.promise).end();
  expect((await reader?.read())?.done).toBe(true);
});

const runErrorIn = (event = '') => JSON.parse(event.replace(/^data: /, '')) as object;

test('a connection that breaks within an event ends the stream with a RUN_ERROR, without half an event', async () => {
  answer = (response) => void events(response).write('data: {"n":1}\n\ndata: {"n":', () => response.destroy());
  const answered = await stream();
  const [first, last, ...more] = (await answered.text()).split('\n\n');
  expect([first, more]).toEqual(['data: {"n":1}', ['']]);
  expect(runErrorIn(last)).toEqual({
    type: 'RUN_ERROR',
    code: 'agent_unavailable',
    message: expect.stringContaining('The connection to agents/greeter broke'),
  });
});

test('a stream whose container ended says so, with the reason that the keeper has seen', async () => {
  answer = (response) => void events(response).write('data: {"n":1}\n\n', () => response.destroy());
  const answered = await stream();
  const detail = 'The container exited with code 137 because it ran out of memory.';
  await app.db.run(sql`
    insert into agent_event (agent_id, target, revision_id, instance_id, kind, reason, detail)
    select v.agent_id, i.target, v.id, i.id, 'ended', 'out_of_memory', ${detail}
    from instance i join revision v on v.id = i.revision_id where v.agent_id = ${agent_id}`);
  const [, last] = (await answered.text()).split('\n\n');
  expect(runErrorIn(last)).toMatchObject({
    code: 'agent_unavailable',
    message: `${detail} The container stopped or died before the run ended.`,
    metadata: { run_status: 'interrupted', reason: 'out_of_memory' },
  });
});

test('a connection that breaks before the agent answers leaves the run unknown', async () => {
  answer = (response) => void response.destroy();
  const answered = await stream();
  expect(answered.status).toBe(503);
  expect(await answered.json()).toMatchObject({
    code: 'agent_unavailable',
    detail: expect.stringContaining('cannot tell whether the run began'),
    run_status: 'unknown',
    run_id: expect.any(String),
  });
});

test('a connection that breaks before the first event leaves the run unknown: it may still have waited in its container', async () => {
  answer = (response) => void events(response).write(': keepalive\n\n', () => response.destroy());
  const [, last] = (await (await stream()).text()).split('\n\n');
  expect(runErrorIn(last)).toMatchObject({ code: 'agent_unavailable', metadata: { run_status: 'unknown' } });
});

const spoken = 'data: {"n":1}\n\n: keepalive\n\ndata: {"n":2}\ndata: 3\n\ndata: {"n":';
const whole = spoken.slice(0, spoken.lastIndexOf('\n\n') + 2);

test('for all chunk sizes, only whole events come before the RUN_ERROR, and without an error all bytes come', async () => {
  const relayed = async (sizes: readonly number[], end: () => void) => {
    const cut = async function* () {
      let at = 0;
      for (const size of sizes) yield await Promise.resolve(Buffer.from(spoken.slice(at, (at += size))));
      end();
    };
    let text = '';
    const why = async () => await Promise.resolve(new Problem('agent_unavailable'));
    for await (const chunk of eventsOfAgent(cut(), { why })) text += String(chunk);
    return text;
  };
  const breaks = () => {
    throw new Error('other side closed');
  };
  for (let size = 1; size <= spoken.length; size++) {
    const sizes = Array<number>(Math.ceil(spoken.length / size)).fill(size);
    expect(await relayed(sizes, () => {})).toBe(spoken);
    const broken = await relayed(sizes, breaks);
    expect(broken.slice(0, whole.length)).toBe(whole);
    expect(runErrorIn(broken.slice(whole.length))).toMatchObject({ type: 'RUN_ERROR' });
  }
});

test('a refusal by the agent is a whole answer', async () => {
  const problem = '{"code":"invalid_input","status":422}';
  answer = (response) => void response.writeHead(422, { 'content-type': 'application/problem+json' }).end(problem);
  const answered = await stream();
  expect([answered.status, answered.headers.get('content-length')]).toEqual([422, String(problem.length)]);
  expect(await answered.text()).toBe(problem);
});

test('a reader that leaves ends the agent’s stream', async () => {
  const closed = Promise.withResolvers<void>();
  answer = (response) => {
    response.once('close', () => closed.resolve());
    events(response).write('data: {"n":1}\n\n');
  };
  const hangUp = new AbortController();
  const reader = (await stream(hangUp.signal)).body?.getReader();
  await reader?.read();
  hangUp.abort();
  await expect(closed.promise).resolves.toBeUndefined();
});
