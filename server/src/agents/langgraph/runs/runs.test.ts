// Runs in the background, and what their clients ask about them.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { ended, langgraphStage, refused, type LanggraphStage } from '../../../testing/agents/langgraph-stage.ts';
import { forgetOldRuns } from '../forget-old.ts';

let stage: LanggraphStage;
let { app, agent, cal, eve, heard, ask, makeThread } = {} as LanggraphStage;
beforeAll(async () => {
  stage = await langgraphStage();
  ({ app, agent, cal, eve, heard, ask, makeThread } = stage);
});
afterAll(async () => await app?.stop());
beforeEach(() => stage.reset());

const run = { assistant_id: 'chatter', input: { text: 'hello' }, metadata: { name: 'first' } };
const runsOf = async (thread: string, query = '') => (await ask(cal, 'GET', `/threads/${thread}/runs${query}`)).list;

/** The agent gets a run and holds it. */
async function heldRun(thread: string): Promise<{ run_id: string; response: ServerResponse }> {
  const held = Promise.withResolvers<ServerResponse>();
  stage.answer = (response) => held.resolve(response);
  const { json } = await ask(cal, 'POST', `/threads/${thread}/runs`, run);
  return { run_id: json.run_id, response: await held.promise };
}

test('a run in the background is listed, and joined at its end', async () => {
  const thread = await makeThread();
  const { run_id, response } = await heldRun(thread);
  const shown = (await ask(cal, 'GET', `/threads/${thread}/runs/${run_id}`)).json;
  const of = { run_id, thread_id: thread, assistant_id: agent.asset_id, metadata: { name: 'first' } };
  expect(shown).toMatchObject({ ...of, status: 'running', multitask_strategy: 'enqueue' });
  expect(await runsOf(thread, '?status=success')).toEqual([]);
  const joining = ask(cal, 'GET', `/threads/${thread}/runs/${run_id}/join`);
  const following = ask(cal, 'GET', `/threads/${thread}/runs/${run_id}/stream?cancel_on_disconnect=0`);
  ended(response, { output: { said: 'hi' } });
  // The thread has no state, because the agent is a stand-in that stores none.
  expect([(await joining).status, (await joining).json]).toEqual([200, {}]);
  expect((await following).text).toContain('event: values\ndata: {}');
  expect(await runsOf(thread, '?status=success')).toMatchObject([of]);
  expect(await runsOf(thread, '?offset=1')).toEqual([]);
});

test('a run that was waited for or streamed stays on the list', async () => {
  const thread = await makeThread();
  await ask(cal, 'POST', `/threads/${thread}/runs/wait`, run);
  await ask(cal, 'POST', `/threads/${thread}/runs/stream`, run);
  stage.answer = (response) => ended(response, { output: {} }, 'interrupted');
  await ask(cal, 'POST', `/threads/${thread}/runs/wait`, run);
  stage.answer = (response) => refused(response, 500, 'agent_error');
  await ask(cal, 'POST', `/threads/${thread}/runs/wait`, run);
  const statuses = async () => (await runsOf(thread)).map(({ status }) => status);
  await expect.poll(statuses).toEqual(['error', 'interrupted', 'success', 'success']);
  expect((await ask(cal, 'GET', `/threads/${thread}`)).json.status).toBe('idle');
});

test('a failed run is joined with its error', async () => {
  const thread = await makeThread();
  const { run_id, response } = await heldRun(thread);
  refused(response, 500, 'agent_error');
  const at = `/threads/${thread}/runs/${run_id}`;
  const error = { error: 'agent_error', message: 'because' };
  expect((await ask(cal, 'GET', `${at}/join`)).json).toEqual({ __error__: error });
  expect((await ask(cal, 'GET', `${at}/stream`)).text).toContain(`event: error\ndata: ${JSON.stringify(error)}`);
});

test('a run is cancelled by its caller, and an ended one stays as it is', async () => {
  const thread = await makeThread();
  const { run_id, response } = await heldRun(thread);
  const at = `/threads/${thread}/runs/${run_id}/cancel`;
  expect((await ask(eve, 'POST', at)).status).toBe(404);
  expect((await ask(cal, 'POST', `${at}?action=rollback`)).status).toBe(501);
  const waiting = ask(cal, 'POST', `${at}?wait=1`);
  await expect.poll(() => stage.cancelled).toEqual([run_id]);
  refused(response, 409, 'run_cancelled');
  expect((await waiting).status).toBe(200);
  expect(await runsOf(thread)).toMatchObject([{ run_id, status: 'interrupted' }]);
  expect((await ask(cal, 'POST', at)).status).toBe(200);
  expect(stage.cancelled).toEqual([run_id]);
});

test('with multitask_strategy interrupt, the run on the thread is cancelled and the new one follows it', async () => {
  const thread = await makeThread();
  const { run_id, response } = await heldRun(thread);
  stage.answer = (next) => ended(next, { output: { said: 'second' } });
  const next = ask(cal, 'POST', `/threads/${thread}/runs/wait`, { ...run, multitask_strategy: 'interrupt' });
  await expect.poll(() => stage.cancelled).toEqual([run_id]);
  expect(heard).toHaveLength(1);
  refused(response, 409, 'run_cancelled');
  expect((await next).json).toEqual({ said: 'second' });
});

test('without a strategy, a run waits for the one before it', async () => {
  const thread = await makeThread();
  const { response } = await heldRun(thread);
  stage.answer = (next) => ended(next, { output: { said: 'second' } });
  const next = ask(cal, 'POST', `/threads/${thread}/runs/wait`, run);
  await expect.poll(async () => (await runsOf(thread)).length).toBe(2);
  expect([heard.length, stage.cancelled]).toEqual([1, []]);
  ended(response, { output: { said: 'first' } });
  expect((await next).json).toEqual({ said: 'second' });
});

test('a run is nothing to another caller, and nothing on another thread', async () => {
  const thread = await makeThread();
  const { json } = await ask(cal, 'POST', `/threads/${thread}/runs`, run);
  const other = await makeThread();
  const theirs = await makeThread(eve);
  for (const path of ['', '/join', '/stream']) {
    expect((await ask(cal, 'GET', `/threads/${thread}/runs/${json.run_id}${path}`)).status).toBe(200);
    expect((await ask(cal, 'GET', `/threads/${other}/runs/${json.run_id}${path}`)).status).toBe(404);
    expect((await ask(eve, 'GET', `/threads/${theirs}/runs/${json.run_id}${path}`)).status).toBe(404);
    expect((await ask(eve, 'GET', `/threads/${thread}/runs/${json.run_id}${path}`)).status).toBe(404);
    expect((await ask(cal, 'GET', `/threads/${thread}/runs/${randomUUID()}${path}`)).status).toBe(404);
  }
});

test('a run in the background needs no thread', async () => {
  const { json, status } = await ask(cal, 'POST', '/runs', run);
  expect([status, json]).toMatchObject([200, { thread_id: null, status: 'pending' }]);
  await expect.poll(() => heard).toMatchObject([{ run_id: json.run_id, body: { input: { text: 'hello' } } }]);
});

test('a run whose call was refused leaves no record, and an old record goes with its call', async () => {
  const thread = await makeThread();
  const { response } = await heldRun(thread);
  await ask(cal, 'POST', `/threads/${thread}/runs`, { ...run, multitask_strategy: 'reject' });
  ended(response, { output: {} });
  const count = async () =>
    (
      await app.db.one<{ n: number }>(sql`
        select count(*) as n from langgraph_run r join thread t on t.id = r.thread_id where t.name = ${thread}`)
    )?.n;
  expect(await count()).toBe(1);
  await app.db.run(sql`update langgraph_run set created_at = created_at - interval '8 days'`);
  await forgetOldRuns(app.db);
  expect(await count()).toBe(1);
  await expect.poll(async () => (await runsOf(thread))[0]?.status).toBe('success');
  await app.db.run(sql`delete from invocation`);
  await forgetOldRuns(app.db);
  expect(await count()).toBe(0);
});

test('items are kept, found and deleted, each caller has their own', async () => {
  const address = { namespace: ['notes', 'tea'], key: 'one' };
  expect((await ask(cal, 'PUT', '/store/items', { ...address, value: { text: 'Earl Grey' } })).status).toBe(204);
  const path = '/store/items?namespace=notes.tea&key=one';
  expect((await ask(cal, 'GET', path)).json).toMatchObject({ ...address, value: { text: 'Earl Grey' } });
  expect((await ask(eve, 'GET', path)).text).toBe('null');
  const search = { namespace_prefix: ['notes'], query: 'grey' };
  expect((await ask(cal, 'POST', '/store/items/search', search)).json).toMatchObject({ items: [address] });
  expect((await ask(eve, 'POST', '/store/items/search', search)).json).toEqual({ items: [] });
  const spaces = await ask(cal, 'POST', '/store/namespaces', { max_depth: 1 });
  expect(spaces.json).toEqual({ namespaces: [['notes']] });
  expect((await ask(cal, 'DELETE', '/store/items', address)).status).toBe(204);
  expect((await ask(cal, 'GET', path)).text).toBe('null');
});
