// Members of orchestrations that wait for a person: who sees the question, and what becomes of the answer. No process executes the runs here.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../../ground/database/sql.ts';
import { openEnvelope } from '../../../ground/envelope/envelope.ts';
import { storeAgent, type StoredAgent } from '../../../testing/stored/stored-agent.ts';
import { deployedOrchestration, orchestrationRunOf } from '../../../testing/stored/stored-orchestrations.ts';
import { storeThread } from '../../../testing/stored/stored-thread.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { forgetOldMemory } from '../forget-old.ts';
import type { MemoryParts } from '../parts.ts';
import { answerTo } from './answer-run.ts';

let app: TestApp;
let cal: TestUser;
let dora: TestUser;
let otto: TestUser;
let agent: StoredAgent;
let parts: MemoryParts;
let count = 0;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  const owner = await app.user('owner@example.com', { teams: { ml: 'admin' } });
  cal = await app.user('cal@example.com', { teams: { ops: 'viewer' } });
  dora = await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'admin' } });
  const yaml = 'access: {may_answer: ["role:deployer"], visibility: team}\n';
  agent = await storeAgent(app, owner.email, { name: 'asker', yaml });
  await standInFor(app, agent, (_, response) => response.end('{}'));
  await deployedOrchestration(app, owner, { name: 'desk', agent, visibility: 'org' });
  const resource = { resource_type: 'orchestration', resource_id: 'desk' } as const;
  const principal = { principal_type: 'team', principal_id: 'ops' } as const;
  await app.admin.client.call('permissions.grant', { body: { ...resource, ...principal, actions: ['read', 'use'] } });
  parts = { db: app.db, envelope: openEnvelope(app.keys.envelope) };
});
afterAll(async () => await app?.stop());

/** A run of cal that waits for the member. */
async function waitingRun() {
  const name = `question ${++count}`;
  const thread = (await storeThread(app, agent, cal.email, { name, states: 2, waits: true })) ?? '';
  const run_id = await orchestrationRunOf(app, 'desk', cal.email, 'done');
  // As if another process held it, so none executes it when it is woken.
  await app.db.run(sql`
    update run set state = 'waiting', waiting_since = clock_now(), ended_at = null, owner = 'nobody', lease_until = clock_now() + interval '1 hour'
    where id = ${run_id}`);
  const row = await app.db.one<{ agent_id: string; space: string; owner_id: string }>(sql`
    update thread set via = 'orchestrations/desk' where id = ${thread} returning agent_id, space, owner_id`);
  if (row === undefined) throw new Error('no thread');
  const ask = async () =>
    await answerTo(parts, { run_id, path: 'one', n: 1 }, { ...row, name, via: 'orchestrations/desk' });
  expect(await ask()).toEqual({ state: 'waits' });
  return { thread, run_id, ask };
}

/** A task of cal: the run, and a message to it. */
async function asTask(run_id: string) {
  const task = JSON.stringify({ context_id: 'context', input: 'hi' });
  await app.db.run(sql`update run set input = input || ${task}::jsonb where id = ${run_id}`);
  return async (by: TestUser, text: string, messageId: string = randomUUID()) => {
    const message = { messageId, role: 'ROLE_USER', taskId: run_id, parts: [{ text }] };
    const answered = await fetch(`${app.url}/orchestrations/desk/a2a/message:send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by.token}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message, configuration: { returnImmediately: true } }),
    });
    return { status: answered.status, text: await answered.text() };
  };
}

test('a message of A2A answers the only question of its task once, and the task says what is asked', async () => {
  const { run_id, ask } = await waitingRun();
  const say = await asTask(run_id);
  const shown = await fetch(`${app.url}/orchestrations/desk/a2a/tasks/${run_id}`, {
    headers: { authorization: `Bearer ${cal.token}`, 'a2a-version': '1.0' },
  });
  expect(await shown.json()).toMatchObject({
    status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'really?' }, {}] } },
  });
  expect((await say(dora, 'no')).status).toBe(404);
  const first = await say(cal, 'tea', 'one');
  expect([first.status, first.text]).toEqual([200, expect.stringContaining('TASK_STATE_WORKING')]);
  expect(await stateOf(run_id)).toBe('queued');
  expect(await ask()).toMatchObject({ state: 'answered', value: 'tea' });
  expect((await say(cal, 'tea', 'one')).status).toBe(200);
  const second = await say(cal, 'milk', 'two');
  expect([second.status, second.text]).toEqual([400, expect.stringContaining('The task waits for no message')]);
});

test('a message of A2A to a task with several questions is refused, and names who asks', async () => {
  const { run_id, ask } = await waitingRun();
  const say = await asTask(run_id);
  const other = (await storeThread(app, agent, cal.email, { name: `other ${run_id}`, states: 2, waits: true })) ?? '';
  await app.db.run(sql`
    insert into thread_wait (run_id, path, n, thread_id, checkpoint_id) values (${run_id}, 'two', 1, ${other}, 'state 1')`);
  const { status, text } = await say(cal, 'tea');
  expect([status, text]).toEqual([400, expect.stringContaining('2 questions wait, of agents/asker, agents/asker.')]);
  expect(await ask()).toEqual({ state: 'waits' });
});

const inboxOf = async ({ client }: TestUser) => (await client.call('inbox.list', { query: { limit: 200 } })).items;
const answer = async (by: TestUser, thread: string, value: string) =>
  await by.client.call('threads.answer', { params: { name: 'asker', thread }, body: { value } });
const codeOf = async (work: Promise<unknown>) =>
  await work.then(
    () => 'none',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
const stateOf = async (id: string) =>
  (await app.db.one<{ state: string }>(sql`select state from run where id = ${id}`))?.state;

test('its caller, who has no right on the member, answers, and the run is woken', async () => {
  const { thread, run_id, ask } = await waitingRun();
  const mine = (await inboxOf(cal)).find((one) => one.thread === thread);
  expect(mine).toMatchObject({ orchestration: 'orchestrations/desk', is_own: true, thread_id: null });
  const reply = await answer(cal, thread, 'tea');
  expect([reply.status, await reply.json()]).toMatchObject([202, { run_id, status: 'running' }]);
  expect(await stateOf(run_id)).toBe('queued');
  expect(await ask()).toMatchObject({ state: 'answered', value: 'tea', checkpoint_id: 'state 1' });
  expect((await inboxOf(cal)).filter((one) => one.thread === thread)).toEqual([]);
});

test('one whom the member names answers for the caller; nobody else sees it', async () => {
  const { thread, ask } = await waitingRun();
  expect(await inboxOf(otto)).toEqual([]);
  expect(await codeOf(answer(otto, thread, 'no'))).toBe('not_found');
  expect(await ask()).toEqual({ state: 'waits' });
  expect((await inboxOf(dora)).find((one) => one.thread === thread)).toMatchObject({ caller: cal.email });
  expect(await (await answer(dora, thread, 'tea')).json()).toMatchObject({ status: 'answered' });
  const { items } = await app.admin.client.call('audit.list', { query: { action: 'thread.answered' } });
  expect(items[0]).toMatchObject({ actor: { name: dora.email }, detail: { thread, caller: cal.email } });
});

test('of two answers, one reaches the run, and none is readable at rest', async () => {
  const { thread, run_id } = await waitingRun();
  const codes = await Promise.all([cal, dora].map(async (by) => await codeOf(answer(by, thread, 'secret words'))));
  expect(codes.filter((code) => code === 'none')).toHaveLength(1);
  const row = await app.db.one<{ value: Buffer }>(sql`select value from thread_wait where run_id = ${run_id}`);
  expect(row?.value.toString('latin1')).not.toContain('secret words');
});

test('a deleted thread wakes its run, which finds nothing to wait for', async () => {
  const { thread, run_id, ask } = await waitingRun();
  await app.db.run(sql`update thread set used_at = used_at - interval '1 year' where id = ${thread}`);
  await forgetOldMemory(app.db);
  expect(await stateOf(run_id)).toBe('queued');
  expect(await ask()).toEqual({ state: 'gone' });
});

test('a question ends with its run', async () => {
  const { thread, run_id } = await waitingRun();
  await app.db.run(sql`update run set state = 'cancelled', ended_at = clock_now() where id = ${run_id}`);
  expect((await inboxOf(cal)).filter((one) => one.thread === thread)).toEqual([]);
  expect(await codeOf(answer(cal, thread, 'tea'))).not.toBe('none');
});
