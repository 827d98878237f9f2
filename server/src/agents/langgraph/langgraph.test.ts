// langgraph's API, as its SDKs speak it. The agent is a stand-in that answers as the wrapper does.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { ended, langgraphStage, refused, type LanggraphStage } from '../../testing/agents/langgraph-stage.ts';
import { storeThread } from '../../testing/stored/stored-thread.ts';
import type { TestUser } from '../../testing/test-app.ts';

let stage: LanggraphStage;
let { app, agent, cal, eve, otto, heard, ask, makeThread } = {} as LanggraphStage;
beforeAll(async () => {
  stage = await langgraphStage();
  ({ app, agent, cal, eve, otto, heard, ask, makeThread } = stage);
});
afterAll(async () => await app?.stop());
beforeEach(() => stage.reset());

const run = { assistant_id: 'chatter', input: { text: 'hello' } };

test('the agent is the assistant, by its name and its id, and no other one', async () => {
  const [found] = (await ask(cal, 'POST', '/assistants/search', {})).list;
  expect(found).toMatchObject({ assistant_id: agent.asset_id, graph_id: 'chatter', metadata: { version: '1.0.0' } });
  expect((await ask(cal, 'POST', '/assistants/search', { graph_id: 'other' })).json).toEqual([]);
  for (const id of ['chatter', agent.asset_id])
    expect((await ask(cal, 'GET', `/assistants/${id}`)).json).toMatchObject({ assistant_id: agent.asset_id });
  expect(await ask(cal, 'GET', `/assistants/${randomUUID()}`)).toMatchObject({ status: 404 });
  expect(await ask(otto, 'GET', '/assistants/chatter')).toMatchObject({ status: 404 });
  expect(await ask(cal, 'POST', '/runs/wait', { ...run, assistant_id: 'other' })).toMatchObject({ status: 404 });
});

test('an older version is listed, and a run that names it is refused with the next step', async () => {
  await app.governed(sql`
    insert into version (asset_id, version, digest, state, message, pushed_by, authors)
    select asset_id, '0.9.0', digest, state, message, pushed_by, authors from version where asset_id = ${agent.asset_id} returning id`);
  const versions = (await ask(cal, 'POST', '/assistants/chatter/versions', {})).list;
  expect(versions).toMatchObject([
    { assistant_id: agent.asset_id, metadata: { version: '1.0.0' } },
    { assistant_id: 'chatter@0.9.0', metadata: { version: '0.9.0' } },
  ]);
  const named = async (assistant_id: string) => await ask(cal, 'POST', '/runs/wait', { ...run, assistant_id });
  expect((await named('chatter@1.0.0')).status).toBe(200);
  const older = await named('chatter@0.9.0');
  expect([older.status, older.json.code]).toEqual([409, 'version_not_serving']);
  expect(older.text).toContain('svc deploy agents/chatter@0.9.0');
  expect((await named('chatter@0.8.0')).status).toBe(404);
});

test('the graph is as the container draws it, and an agent that is none is a 501', async () => {
  const paths = ['/graph?xray=true', '/graph', '/subgraphs?recurse=true', '/subgraphs/inner'];
  const at = (path: string) => `/assistants/chatter${path}`;
  for (const path of paths) expect((await ask(cal, 'GET', at(path))).status).toBe(200);
  expect(stage.asked).toEqual([
    '/graph?xray=all',
    '/graph?xray=0',
    '/subgraphs?namespace=&recurse=1',
    '/subgraphs?namespace=inner&recurse=0',
  ]);
  stage.draw = (response) => refused(response, 404, 'not_found');
  expect(await ask(cal, 'GET', at('/graph'))).toMatchObject({ status: 501, json: { code: 'not_answered' } });
  expect((await ask(otto, 'GET', at('/graph'))).status).toBe(404);
});

test('a batch of runs begins in the background, and none of it when one is refused', async () => {
  const thread_id = await makeThread();
  const refusedBatch = await ask(cal, 'POST', '/runs/batch', [run, { ...run, webhook: 'https://example.com' }]);
  expect([refusedBatch.status, heard]).toEqual([501, []]);
  const { list, status } = await ask(cal, 'POST', '/runs/batch', [run, { ...run, thread_id, assistantId: 'chatter' }]);
  expect([status, list.map((one) => one.thread_id)]).toEqual([200, [null, thread_id]]);
  await expect.poll(() => heard.length).toBe(2);
});

test('a thread is made, found by its metadata, changed and deleted, by its caller alone', async () => {
  const thread = await makeThread(cal, { metadata: { topic: 'tea', n: 1 } });
  const shown = (await ask(cal, 'GET', `/threads/${thread}`)).json;
  expect(shown).toMatchObject({
    thread_id: thread,
    status: 'idle',
    metadata: { topic: 'tea', n: 1, graph_id: 'chatter', assistant_id: agent.asset_id },
    interrupts: {},
  });
  const search = async (by: TestUser, body: object) => (await ask(by, 'POST', '/threads/search', body)).json;
  expect(await search(cal, { metadata: { topic: 'tea' } })).toMatchObject([{ thread_id: thread }]);
  expect(await search(cal, { metadata: { topic: 'tea', graph_id: 'other' } })).toEqual([]);
  expect(await search(eve, {})).toEqual([]);
  expect((await ask(cal, 'POST', '/threads/count', { metadata: { topic: 'tea' } })).json).toBe(1);
  const changed = await ask(cal, 'PATCH', `/threads/${thread}`, { metadata: { n: 2 } });
  expect(changed.json.metadata).toMatchObject({ topic: 'tea', n: 2 });
  expect(await ask(eve, 'PATCH', `/threads/${thread}`, { metadata: {} })).toMatchObject({ status: 404 });
  expect(await ask(eve, 'DELETE', `/threads/${thread}`)).toMatchObject({ status: 404 });
  expect(await ask(cal, 'DELETE', `/threads/${thread}`)).toMatchObject({ status: 204 });
  expect(await ask(cal, 'GET', `/threads/${thread}`)).toMatchObject({ status: 404 });
});

test('the state of a nested graph is found by its namespace, and under the step that runs it', async () => {
  const thread = randomUUID();
  const id = await storeThread(app, agent, cal.email, { name: thread, states: 2, waits: true });
  const nest = async (ns: string, state: string, next: string) =>
    await app.db.run(sql`
      insert into thread_state (thread_id, ns, id, versions, next_nodes, source, step, body)
      values (${id}, ${ns}, ${state}, '{}', array[${next}], 'loop', 1, '\\x00')`);
  await nest('plan:old', 'state 0 a', 'gone');
  await nest('plan:1', 'state 1 a', 'first');
  await nest('plan:1', 'state 1 b', 'second');
  await nest('plan:2', 'state 1 c', 'other');
  await nest('plan:1|second:3', 'state 1 d', 'inmost');
  await app.db.run(sql`update thread_state set next_nodes = '{plan,plan,say}' where thread_id = ${id} and ns = ''`);
  const at = `/threads/${thread}/state`;
  const outer = (await ask(cal, 'GET', at)).json;
  const tasksOf = (state: object) => (state as { tasks: Record<string, unknown>[] }).tasks;
  expect(tasksOf(outer).map(({ checkpoint, state }) => [checkpoint, state])).toEqual([
    [{ thread_id: thread, checkpoint_ns: 'plan:1' }, null],
    [{ thread_id: thread, checkpoint_ns: 'plan:2' }, null],
    [null, null],
  ]);
  const [first, second] = tasksOf((await ask(cal, 'GET', `${at}?subgraphs=true`)).json);
  expect(first?.['state']).toMatchObject({
    next: ['second'],
    checkpoint: { checkpoint_ns: 'plan:1', checkpoint_id: 'state 1 b' },
    interrupts: [{ value: 'really?' }],
    tasks: [{ state: { next: ['inmost'], checkpoint: { checkpoint_ns: 'plan:1|second:3' } } }],
  });
  expect(second?.['state']).toMatchObject({ next: ['other'] });
  const checkpoint = { checkpoint_ns: 'plan:1' };
  const inner = (await ask(cal, 'POST', `${at}/checkpoint`, { checkpoint })).json;
  expect(inner).toMatchObject({ next: ['second'], checkpoint: { ...checkpoint, checkpoint_id: 'state 1 b' } });
  const history = (await ask(cal, 'POST', `/threads/${thread}/history`, { checkpoint })).list;
  expect(history.map((one) => one.checkpoint.checkpoint_id)).toEqual(['state 1 b', 'state 1 a']);
  const older = { checkpoint: { checkpoint_id: 'state 0' }, subgraphs: true };
  expect(tasksOf((await ask(cal, 'POST', `${at}/checkpoint`, older)).json)[0]?.['state']).toMatchObject({
    next: ['gone'],
  });
  const nowhere = { checkpoint: { checkpoint_ns: 'plan:9' } };
  expect((await ask(cal, 'POST', `${at}/checkpoint`, nowhere)).status).toBe(404);
  expect((await ask(eve, 'POST', `${at}/checkpoint`, { checkpoint })).status).toBe(404);
});

test('a thread id is taken once, unless the client says that it may be there', async () => {
  const thread_id = randomUUID();
  expect(await makeThread(cal, { thread_id })).toBe(thread_id);
  expect(await ask(cal, 'POST', '/threads', { thread_id })).toMatchObject({ status: 409 });
  const again = await ask(cal, 'POST', '/threads', { thread_id, if_exists: 'do_nothing' });
  expect([again.status, again.json.thread_id]).toEqual([200, thread_id]);
  expect(await makeThread(eve, { thread_id })).toBe(thread_id);
});

test('a thread that waits shows its interrupt, its state and its history, and a copy has the states', async () => {
  const thread = randomUUID();
  await storeThread(app, agent, cal.email, { name: thread, states: 3, waits: true });
  await app.db.run(sql`
    update thread_state s set next_nodes = '{ask}' from thread t
    where t.id = s.thread_id and t.name = ${thread} and s.id = 'state 2'`);
  const state = (await ask(cal, 'GET', `/threads/${thread}/state`)).json;
  const interrupts = [{ id: '1', value: 'really?' }];
  expect(state).toMatchObject({
    next: ['ask'],
    tasks: [{ name: 'ask', interrupts }],
    interrupts,
    checkpoint: { thread_id: thread, checkpoint_id: 'state 2', checkpoint_ns: '' },
  });
  expect((await ask(cal, 'GET', `/threads/${thread}`)).json.status).toBe('interrupted');
  const history = (await ask(cal, 'POST', `/threads/${thread}/history`, { limit: 2 })).list;
  expect(history.map((one) => one.checkpoint.checkpoint_id)).toEqual(['state 2', 'state 1']);
  expect(history[1]?.interrupts).toEqual([]);
  const older = await ask(cal, 'POST', `/threads/${thread}/history`, { before: history[1]?.checkpoint });
  expect(older.list.map((one) => one.checkpoint.checkpoint_id)).toEqual(['state 0']);
  const at = { checkpoint: { checkpoint_id: 'state 1' } };
  expect((await ask(cal, 'POST', `/threads/${thread}/state/checkpoint`, at)).json.interrupts).toEqual([]);
  expect((await ask(cal, 'GET', `/threads/${thread}/state/${encodeURIComponent('state 9')}`)).status).toBe(404);
  for (const path of [`/threads/${thread}/state`, `/threads/${thread}`])
    expect((await ask(eve, 'GET', path)).status).toBe(404);
  expect((await ask(eve, 'POST', `/threads/${thread}/history`, {})).status).toBe(404);
  expect((await ask(eve, 'POST', `/threads/${thread}/copy`)).status).toBe(404);
  expect(heard).toEqual([]);
});

test('a state of an empty thread is empty', async () => {
  const thread = await makeThread();
  expect((await ask(cal, 'GET', `/threads/${thread}/state`)).json).toMatchObject({ values: {}, next: [], tasks: [] });
  expect((await ask(cal, 'POST', `/threads/${thread}/history`, {})).json).toEqual([]);
  const copy = await ask(cal, 'POST', `/threads/${thread}/copy`);
  expect(copy.json.thread_id).not.toBe(thread);
});

test('a run is waited for: the agent gets its thread, and the client its values', async () => {
  const thread = await makeThread();
  stage.answer = (response) => ended(response, { output: { said: 'hi' }, interrupts: [{ id: 'i', value: 'sure?' }] });
  const body = { ...run, config: { configurable: { thread_id: thread, voice: 'low' }, tags: ['a'] }, context: {} };
  const reply = await ask(cal, 'POST', `/threads/${thread}/runs/wait`, body);
  expect(reply.json).toEqual({ said: 'hi', __interrupt__: [{ id: 'i', value: 'sure?' }] });
  expect(reply.headers.get('content-location')).toBe(`/threads/${thread}/runs/${reply.headers.get('x-run-id')}`);
  expect(heard).toMatchObject([
    {
      path: '/invoke',
      thread,
      body: { input: { text: 'hello' }, thread_id: thread, config: { configurable: { voice: 'low' }, tags: ['a'] } },
      graph: { is_command: false, goes_on: false, before: null },
    },
  ]);
});

test('a config chooses no thread, and a header of the caller says nothing to the agent', async () => {
  const theirs = await makeThread(eve);
  const thread = await makeThread();
  const configurable = { thread_id: theirs, checkpoint_id: '1', checkpoint_ns: 'inner', checkpoint_map: {} };
  const url = `${app.url}/agents/chatter/langgraph/threads/${thread}/runs/wait`;
  const headers = {
    authorization: `Bearer ${cal.token}`,
    'content-type': 'application/json',
    'x-svc-graph': encodeURIComponent(JSON.stringify({ checkpoint_id: 'forged' })),
    'x-svc-thread': theirs,
  };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...run, config: { configurable } }),
  });
  expect(response.status).toBe(200);
  expect(heard).toHaveLength(1);
  expect(heard[0]?.body).toEqual({ input: { text: 'hello' }, thread_id: thread });
  expect(heard[0]).toMatchObject({ thread, graph: { checkpoint_id: null } });
});

test('a run is streamed in the events of the SDK', async () => {
  const thread = await makeThread();
  const stream_mode = ['values', 'messages-tuple', 'updates'];
  const asked = { ...run, stream_mode, stream_subgraphs: true, interrupt_before: ['say'], interrupt_after: '*' };
  const { text, headers } = await ask(cal, 'POST', `/threads/${thread}/runs/stream`, asked);
  expect(text.match(/^event: .*$/gm)).toEqual(
    ['metadata', 'messages', 'updates|inner:1', 'values'].map((e) => `event: ${e}`),
  );
  expect(text).toContain(`data: {"run_id":"${headers.get('x-run-id')}","attempt":1}`);
  expect(text).toContain('data: [{"type":"AIMessageChunk","content":"h"},{"langgraph_node":"say"}]');
  const modes = ['values', 'messages', 'updates'];
  expect(heard[0]?.graph).toMatchObject({ modes, subgraphs: true, before: ['say'], after: '*' });
});

test('the result of an agent without a graph is its values', async () => {
  stage.answer = (response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.end(`data: ${JSON.stringify({ type: 'RUN_FINISHED', result: { raw: 'done' } })}\n\n`);
  };
  const { text } = await ask(cal, 'POST', '/runs/stream', run);
  expect(text).toContain('event: values\ndata: {"raw":"done"}');
});

test('a command resumes, and no input goes on', async () => {
  const thread = await makeThread();
  await ask(cal, 'POST', `/threads/${thread}/runs/wait`, { assistant_id: 'chatter', command: { resume: false } });
  await ask(cal, 'POST', `/threads/${thread}/runs/wait`, { assistant_id: 'chatter', input: null });
  expect(heard).toMatchObject([
    { body: { resume: { resume: false } }, graph: { is_command: true, goes_on: false } },
    { body: { resume: null }, graph: { is_command: false, goes_on: true } },
  ]);
  expect((await ask(cal, 'POST', '/runs/wait', { assistant_id: 'chatter' })).status).toBe(422);
});

test('a run needs a thread that is there, unless it may make one', async () => {
  const thread = randomUUID();
  expect((await ask(cal, 'POST', `/threads/${thread}/runs/wait`, run)).status).toBe(404);
  expect((await ask(cal, 'POST', `/threads/${thread}/runs/stream`, run)).status).toBe(404);
  const other = await makeThread(eve);
  expect((await ask(cal, 'POST', `/threads/${other}/runs/wait`, run)).status).toBe(404);
  expect(heard).toEqual([]);
  const made = await ask(cal, 'POST', `/threads/${thread}/runs/wait`, { ...run, if_not_exists: 'create' });
  expect(made.json).toEqual({ said: 'hi' });
});

test('with multitask_strategy reject, a run on a busy thread is refused', async () => {
  const thread = await makeThread();
  const held = Promise.withResolvers<ServerResponse>();
  stage.answer = (response) => held.resolve(response);
  const first = ask(cal, 'POST', `/threads/${thread}/runs/wait`, run);
  const response = await held.promise;
  expect((await ask(cal, 'GET', `/threads/${thread}`)).json.status).toBe('busy');
  for (const way of ['wait', 'stream']) {
    const answered = await ask(cal, 'POST', `/threads/${thread}/runs/${way}`, { ...run, multitask_strategy: 'reject' });
    expect([answered.status, answered.json.code]).toEqual([409, 'thread_busy']);
  }
  ended(response, { output: { said: 'first' } });
  expect((await first).json).toEqual({ said: 'first' });
  expect(heard).toHaveLength(1);
});

test('a failure of the agent is an error within the answer, and a refusal of its input is HTTP', async () => {
  stage.answer = (response) => refused(response, 500, 'agent_error');
  const failed = await ask(cal, 'POST', '/runs/wait', run);
  expect([failed.status, failed.json]).toEqual([200, { __error__: { error: 'agent_error', message: 'because' } }]);
  stage.answer = (response) => refused(response, 422, 'invalid_input');
  for (const way of ['wait', 'stream']) {
    const answered = await ask(cal, 'POST', `/runs/${way}`, run);
    expect([way, answered.status, answered.json.detail]).toEqual([way, 422, 'because']);
  }
  stage.answer = (response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.end('data: {"type":"RUN_ERROR","code":"agent_error","message":"broke"}\n\n');
  };
  const { text } = await ask(cal, 'POST', '/runs/stream', run);
  expect(text).toContain('event: error\ndata: {"error":"agent_error","message":"broke"}');
});

test('what is not answered is refused by its name', async () => {
  const thread = await makeThread();
  const cases: [object, string][] = [
    [{ webhook: 'https://example.com' }, '`webhook`'],
    [{ stream_mode: ['values', 'lifecycle'] }, '`stream_mode: lifecycle`'],
    [{ multitask_strategy: 'rollback' }, '`multitask_strategy: rollback`'],
    [{ after_seconds: 5 }, '`after_seconds`'],
    [{ checkpoint: { checkpoint_ns: 'inner' } }, 'nested graph'],
  ];
  for (const [member, named] of cases) {
    const answered = await ask(cal, 'POST', `/threads/${thread}/runs/stream`, { ...run, ...member });
    expect([answered.status, answered.json.code]).toEqual([501, 'not_answered']);
    expect(answered.json.detail).toContain(named);
  }
  const paths = [
    ['POST', `/threads/${thread}/commands`],
    ['POST', `/assistants`],
    ['POST', `/runs/crons`],
  ] as const;
  for (const [method, path] of paths) expect(await ask(cal, method, path)).toMatchObject({ status: 501 });
  expect(await ask(otto, 'POST', '/runs/crons')).toMatchObject({ status: 404 });
  expect(heard).toEqual([]);
});
