// Changes of a thread's state, and of threads.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { ended, langgraphStage, refused, type LanggraphStage } from '../../../testing/agents/langgraph-stage.ts';
import { storeThread } from '../../../testing/stored/stored-thread.ts';

let stage: LanggraphStage;
let { app, agent, cal, eve, heard, ask, makeThread } = {} as LanggraphStage;
beforeAll(async () => {
  stage = await langgraphStage();
  ({ app, agent, cal, eve, heard, ask, makeThread } = stage);
});
afterAll(async () => await app?.stop());
beforeEach(() => stage.reset());

test('an update is a call of the agent, and answers with the new state', async () => {
  const thread = await makeThread();
  const output = { checkpoint_ns: '', checkpoint_id: 'new' };
  stage.answer = (response) => ended(response, { output });
  const update = { values: { said: 'by hand' }, as_node: 'say', checkpoint: { checkpoint_id: 'old' } };
  const { json, status } = await ask(cal, 'POST', `/threads/${thread}/state`, update);
  const at = { thread_id: thread, ...output };
  expect([status, json]).toEqual([200, { checkpoint: { ...at, checkpoint_map: null }, configurable: at }]);
  expect(heard).toMatchObject([
    {
      path: '/invoke',
      thread,
      body: { resume: { values: update.values, as_node: 'say' }, thread_id: thread },
      graph: { is_update: true, checkpoint_id: 'old' },
    },
  ]);
  // It is no run of the thread.
  expect((await ask(cal, 'GET', `/threads/${thread}/runs`)).json).toEqual([]);
});

test('nobody changes the state of another caller, and nobody that of a thread on which a run works', async () => {
  const thread = await makeThread();
  expect((await ask(eve, 'POST', `/threads/${thread}/state`, { values: {} })).status).toBe(404);
  const held = Promise.withResolvers<ServerResponse>();
  stage.answer = (response) => held.resolve(response);
  const running = ask(cal, 'POST', `/threads/${thread}/runs/wait`, { assistant_id: 'chatter', input: {} });
  const response = await held.promise;
  const busy = await ask(cal, 'POST', `/threads/${thread}/state`, { values: {} });
  expect([busy.status, busy.json.code]).toEqual([409, 'thread_busy']);
  ended(response, { output: {} });
  await running;
  expect(heard).toHaveLength(1);
});

test('a change that the graph does not take is refused with its reason', async () => {
  const thread = await makeThread();
  stage.answer = (response) => refused(response, 422, 'invalid_request');
  const { status, json } = await ask(cal, 'POST', `/threads/${thread}/state`, { values: {}, as_node: 'nobody' });
  expect([status, json]).toMatchObject([422, { code: 'invalid', detail: 'because' }]);
});

test('threads are pruned: deleted, or all of their states but the latest, of their caller alone', async () => {
  const [one, other, theirs] = [randomUUID(), randomUUID(), randomUUID()];
  for (const [name, by] of [
    [one, cal],
    [other, cal],
    [theirs, eve],
  ] as const)
    await storeThread(app, agent, by.email, { name, states: 3 });
  const states = async (name: string) =>
    (await app.db.all(sql`select from thread_state s join thread t on t.id = s.thread_id where t.name = ${name}`))
      .length;
  const keeping = { thread_ids: [one, theirs, 'nothing'], strategy: 'keep_latest' };
  expect((await ask(cal, 'POST', '/threads/prune', keeping)).json).toEqual({ pruned_count: 1 });
  expect([await states(one), await states(other), await states(theirs)]).toEqual([1, 3, 3]);
  const { json } = await ask(cal, 'POST', '/threads/prune', { thread_ids: [one, other, theirs] });
  expect(json).toEqual({ pruned_count: 2 });
  expect((await ask(cal, 'GET', `/threads/${one}`)).status).toBe(404);
  expect(await states(theirs)).toBe(3);
});
