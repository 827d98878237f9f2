// Runs that wait for a person, and who may answer them. The agent is a stand-in that says what it was resumed with.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../../ground/database/sql.ts';
import { storeAgent, type StoredAgent } from '../../../testing/stored/stored-agent.ts';
import { storeThread } from '../../../testing/stored/stored-thread.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let owner: TestUser;
let cal: TestUser;
let dora: TestUser;
let otto: TestUser;
let agent: StoredAgent;
const heard: { body: Record<string, unknown>; thread: string | undefined; caller: string | undefined }[] = [];

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  owner = await app.user('owner@example.com', { teams: { ml: 'contributor' } });
  cal = await app.user('cal@example.com', { teams: { ml: 'viewer' } });
  dora = await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'admin' } });
  const yaml = 'access: {may_answer: ["role:deployer"], visibility: team}\n';
  agent = await storeAgent(app, owner.email, { name: 'asker', yaml });
  await standInFor(app, agent, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      if (request.url === '/invoke') {
        const one = (name: string) => String(request.headers[name]);
        heard.push({
          body: JSON.parse(text) as Record<string, unknown>,
          thread: one('x-svc-thread'),
          caller: one('x-svc-caller'),
        });
      }
      const end = () => {
        response.setHeader('content-type', 'application/json');
        response.end('{"run_id":"1","status":"completed","output":{"private":"for the caller"}}');
      };
      if (request.url === '/invoke') void goOn(String(request.headers['x-svc-thread'])).then(end);
      else end();
    });
  });
  await app.governed(sql`update revision set kept_by_service = true returning id`);
});
afterAll(async () => await app?.stop());
beforeEach(() => void heard.splice(0));

/** The step of the run asks another question at the same state. */
let asksAgain = false;

/** The run moves its thread to another state. */
async function goOn(name: string): Promise<void> {
  if (asksAgain) {
    const later = sql`date_trunc('milliseconds', waiting_since) + interval '1 second'`;
    await app.db.run(sql`update thread set waiting_since = ${later} where name = ${decodeURIComponent(name)}`);
    return;
  }
  await app.db.run(sql`
    insert into thread_state (thread_id, ns, id, versions, source, step, body)
    select id, '', 'state 9', '{}', 'loop', 9, '\\x00' from thread where name = ${decodeURIComponent(name)}`);
}

let count = 0;
async function waiting(): Promise<string> {
  const name = `question ${++count}`;
  return (await storeThread(app, agent, cal.email, { name, states: 2, waits: true })) ?? '';
}
const answer = async (by: TestUser, thread: string, body: object) =>
  await by.client.call('threads.answer', { params: { name: 'asker', thread }, body: { value: null, ...body } });
const codeOf = async (work: Promise<unknown>) =>
  await work.then(
    () => 'none',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
const inboxOf = async ({ client }: TestUser) => (await client.call('inbox.list', { query: { limit: 200 } })).items;

test('its caller answers, and gets the answer of the agent', async () => {
  const thread = await waiting();
  const [mine] = await inboxOf(cal);
  expect(mine).toMatchObject({ agent: 'agents/asker', thread, thread_id: 'question 1', is_own: true });
  expect(mine?.interrupts).toEqual([{ id: '1', value: 'really?' }]);
  const reply = await answer(cal, thread, { value: { ok: true }, checkpoint_id: mine?.checkpoint_id });
  expect(await reply.json()).toMatchObject({ output: { private: 'for the caller' } });
  expect(heard).toMatchObject([{ body: { thread_id: 'question 1', resume: { ok: true } }, thread: 'question%201' }]);
});

test('one whom the agent names answers for the caller, sees the question, and nothing that the run gives', async () => {
  const thread = await waiting();
  expect((await inboxOf(dora)).find((one) => one.thread === thread)).toMatchObject({
    caller: cal.email,
    thread_id: null,
    is_own: false,
    interrupts: [{ value: 'really?' }],
  });
  const text = await (await answer(dora, thread, { value: 'yes' })).text();
  expect(text).toContain('"status":"answered"');
  expect(text).not.toContain('private');
  await expect.poll(() => heard.length).toBe(1);
  // The run goes on as its caller.
  const [, claims = ''] = heard[0]?.caller?.split('.') ?? [];
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ email: cal.email });
  const { items } = await app.admin.client.call('audit.list', { query: { action: 'thread.answered' } });
  expect(items[0]).toMatchObject({ actor: { name: dora.email }, detail: { thread, caller: cal.email } });
});

test('nobody else sees it, or can answer it', async () => {
  const thread = await waiting();
  expect(await inboxOf(otto)).toEqual([]);
  expect(await inboxOf(owner)).toEqual([]);
  for (const other of [otto, owner]) expect(await codeOf(answer(other, thread, { value: 'yes' }))).toBe('not_found');
  expect(heard).toEqual([]);
});

test('of two answers to one question, one reaches the run', async () => {
  const thread = await waiting();
  const [row] = (await inboxOf(cal)).filter((one) => one.thread === thread);
  const seen = row && { checkpoint_id: row.checkpoint_id };
  const codes = await Promise.all(
    [cal, dora].map(async (by) => await codeOf(answer(by, thread, { value: by.email, ...seen }))),
  );
  expect(codes.toSorted()).toEqual(['answered_already', 'none']);
  expect(heard).toHaveLength(1);
});

test('a late answer does not count for the next question of the same step', async () => {
  const thread = await waiting();
  const [row] = (await inboxOf(cal)).filter((one) => one.thread === thread);
  const seen = row && { checkpoint_id: row.checkpoint_id, waiting_since: row.waiting_since };
  asksAgain = true;
  const answers = [cal, dora].map(async (by) => await codeOf(answer(by, thread, { value: by.email, ...seen })));
  const [one, other] = (await Promise.all(answers)).toSorted((a, b) => (a === 'none' ? -1 : b === 'none' ? 1 : 0));
  expect(one).toBe('none');
  // While the run continues, nothing waits that dora could see.
  expect(['answered_already', 'not_found']).toContain(other);
  expect(await codeOf(answer(cal, thread, { value: 'late', ...seen }))).toBe('answered_already');
  expect(heard).toHaveLength(1);
  asksAgain = false;
});

test('an answer to a state that has passed is refused', async () => {
  const thread = await waiting();
  expect(await codeOf(answer(cal, thread, { value: 'yes', checkpoint_id: 'state 0' }))).toBe('answered_already');
  expect(heard).toEqual([]);
});

test('an answer that the agent would fail on is refused before the run, and the question goes on waiting', async () => {
  const config = (action_name: string, ...allowed_decisions: string[]) => ({ action_name, allowed_decisions });
  const batched = {
    id: '1',
    value: {
      action_requests: [{ name: 'refund', args: { amount: 80 } }],
      review_configs: [config('refund', 'approve', 'edit', 'reject')],
    },
  };
  const forms = [{ properties: { type: { const: 'approve' } }, required: ['type'] }, editOf({ type: 'integer' })];
  const own = {
    id: 'a'.repeat(32),
    value: { type: 'tool_approval', name: 'refund', args: { amount: 80 }, tool_call_id: '1' },
    response_schema: { oneOf: forms },
  };
  const edited = (args: object, name = 'refund') => ({ type: 'edit', edited_action: { name, args } });
  const many = (...decisions: object[]) => ({ decisions });
  const rows: [asked: object, value: unknown, refusal: string | undefined][] = [
    [batched, 'approve', 'a list with one for each action'],
    [batched, many(), 'The answer has 0 decisions'],
    [batched, many({ type: 'respond', message: 'x' }), 'refund takes approve, edit or reject, not respond.'],
    [batched, many(edited({}, 'pay')), 'An edit keeps the tool'],
    [batched, many({ type: 'reject', message: 1 }), 'The `message` is a text.'],
    [own, { type: 'reject' }, 'refund takes approve or edit, not reject.'],
    [own, { [own.id]: edited({ amount: 'many' }) }, 'must be integer'],
    [own, { ['b'.repeat(32)]: { type: 'approve' } }, 'No question that waits has the id'],
    [{ id: '1', value: 'How much?', response_schema: { type: 'integer' } }, 'many', 'The answer must be integer'],
    [batched, many(edited({ amount: 5 })), undefined],
    [own, { [own.id]: edited({ amount: 5 }) }, undefined],
    // A schema that cannot be read refuses nothing: the graph checks the answer.
    [{ id: '1', value: 'How much?', response_schema: { $ref: '#/nowhere' } }, 'many', undefined],
  ];
  const answers = async () =>
    (await app.admin.client.call('audit.list', { query: { action: 'thread.answered', limit: 200 } })).items.length;
  const answered = await answers();
  for (const [asked, value, refusal] of rows) {
    const name = `question ${++count}`;
    const thread = (await storeThread(app, agent, cal.email, { name, states: 2, waits: [asked] })) ?? '';
    for (const by of refusal === undefined ? [dora] : [cal, dora]) {
      const said = await answer(by, thread, { value }).then(
        () => undefined,
        (error: unknown) => (error instanceof Problem && error.code === 'answer_refused' ? error.detail : error),
      );
      if (refusal === undefined) expect(said).toBeUndefined();
      else expect(said).toContain(refusal);
    }
    if (refusal !== undefined) expect((await inboxOf(cal)).some((one) => one.thread === thread)).toBe(true);
  }
  await expect.poll(() => heard.length).toBe(rows.filter(([, , refusal]) => refusal === undefined).length);
  // A refused answer is no answer on the record.
  expect(await answers()).toBe(answered + heard.length);
});

const editOf = (amount: object) => ({
  properties: {
    type: { const: 'edit' },
    edited_action: { properties: { args: { properties: { amount } } } },
  },
  required: ['type', 'edited_action'],
});

test('an answer of another person does not help a caller who may not call the agent any more', async () => {
  const thread = await waiting();
  await app.admin.client.call('teams.remove_member', { params: { team: 'ml', principal: `user:${cal.email}` } });
  expect(await codeOf(answer(dora, thread, { value: 'yes' }))).not.toBe('none');
  expect(heard).toEqual([]);
});
