// Calls to an agent without a container, at a process without an engine. The test does the work of the keeper.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let agent: StoredAgent;
let serving: { revision_id: string; place: string; url: string };
let calls: string[] = [];

beforeAll(async () => {
  app = await testApp({ config: { roles: ['api', 'ingress'], sync_budget_seconds: 2 } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  agent = await storeAgent(app, ada.email, { name: 'sleeper', yaml: 'deploy: {scaling: {min: 0}}\n' });
  await standInFor(app, agent, (request, response) => {
    calls.push(String(request.url));
    const type = request.url === '/stream' ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type });
    response.end(type === 'application/json' ? '{"output":"awake"}' : 'data: {"type":"RUN_FINISHED"}\n\n');
  });
  const row = await app.db.one<typeof serving>(sql`select revision_id, place::text, url from instance`);
  if (row === undefined) throw new Error('the agent has no instance');
  serving = row;
});
afterAll(async () => await app?.stop());
beforeEach(async () => {
  await app.db.run(sql`delete from instance`);
  calls = [];
});

const call = async (path = 'invoke', headers: Record<string, string> = {}, { token } = ada) =>
  await fetch(`${app.url}/agents/sleeper/${path}`, {
    method: path === 'invoke' || path === 'stream' || path.endsWith('cancel') ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(path === 'invoke' || path === 'stream' ? { body: '{"input":{}}' } : {}),
  });
const planned = async () => await app.db.all(sql`select problem from instance where place is null`);
const untilPlanned = async () => await expect.poll(planned, { interval: 20 }).toHaveLength(1);

/** The container of the planned instance answers. */
async function start(): Promise<void> {
  await untilPlanned();
  await app.db.run(sql`update instance set place = ${serving.place}::jsonb, url = ${serving.url}`);
}

async function failWith(problem: string): Promise<void> {
  await untilPlanned();
  await app.db.run(sql`
    update instance set url = null, problem = ${problem}, next_start_at = clock_now() + interval '60 s'`);
}

test('many calls at once plan one instance, and each is answered once by it', async () => {
  const answers = Array.from({ length: 20 }, async () => await call());
  await start();
  for (const answer of await Promise.all(answers)) {
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ output: 'awake' });
  }
  expect(calls.filter((path) => path === '/invoke')).toHaveLength(20);
  expect(await app.db.all(sql`select from instance`)).toHaveLength(1);
});

test('its health, its input schema and its status start nothing, and no caller without the right to call it does', async () => {
  const input_schema = { type: 'object', properties: { message: { type: 'string' } } };
  await app.db.run(sql`
    insert into revision_input (revision_id, input_schema, keeps_threads)
    values (${serving.revision_id}, ${JSON.stringify(input_schema)}::jsonb, false)`);
  expect(await (await call('health')).json()).toMatchObject({
    code: 'agent_unavailable',
    detail: 'agents/sleeper is asleep.',
  });
  expect(await ada.client.call('invoke.input', { params: { name: 'sleeper' } })).toEqual({
    input_schema,
    keeps_threads: false,
    files: null,
  });
  const { state } = await ada.client.call('agents.status', { params: { name: 'sleeper' } });
  expect(state).toBe('asleep');
  const outsider = await app.user('otto@example.com', { teams: { ops: 'admin' } });
  expect((await call('invoke', {}, outsider)).status).toBeGreaterThanOrEqual(403);
  expect((await call('invoke', {}, { ...ada, token: 'x' })).status).toBe(401);
  expect((await call('stream', {}, { ...ada, token: 'x' })).status).toBe(401);
  expect(await planned()).toEqual([]);
  const allowed = call();
  await start();
  expect((await allowed).status).toBe(200);
});

test('a call that waits longer than the sync budget has a run id, and its answer later', async () => {
  const [waited, detached] = await Promise.all([call(), call('invoke', { prefer: 'respond-async' })]);
  const ids: string[] = [];
  for (const begun of [waited, detached]) {
    expect(begun.status).toBe(202);
    ids.push(((await begun.json()) as { run_id: string }).run_id);
  }
  expect(calls).toEqual([]);
  await start();
  for (const id of ids) {
    await expect.poll(async () => (await call(`runs/${id}`)).status).toBe(200);
    expect(await (await call(`runs/${id}`)).json()).toEqual({ output: 'awake' });
  }
  expect(calls.filter((path) => path === '/invoke')).toHaveLength(2);
});

test('a stream waits for the start, also beyond the sync budget', async () => {
  const late = await call('stream');
  expect([late.status, late.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const streaming = call('stream');
  await start();
  expect(await (await streaming).text()).toContain('RUN_FINISHED');
  expect(await late.text()).toMatch(/^: waiting\n\n[^]*RUN_FINISHED/);
});

test('a failed start ends all waiting calls with its reason, and later calls do not repeat it', async () => {
  const detached = (await (await call('invoke', { prefer: 'respond-async' })).json()) as { run_id: string };
  const [waiting, streaming] = [call(), call('stream')];
  await failWith('secret_missing');
  const reason = {
    code: 'agent_unavailable',
    reason: 'secret_missing',
    detail: expect.stringMatching(/^agents\/sleeper could not be started: /),
    hint: expect.stringContaining('svc status sleeper'),
  };
  for (const refused of [
    await waiting,
    await streaming,
    await call(),
    await call('invoke', { prefer: 'respond-async' }),
  ]) {
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(await refused.json()).toMatchObject(reason);
  }
  await expect.poll(async () => await (await call(`runs/${detached.run_id}`)).json()).toMatchObject(reason);
  expect(await app.db.all(sql`select from instance`)).toHaveLength(1);
  expect(calls).toEqual([]);
});

test('a waiting call that is cancelled is not sent, nor is one whose agent is stopped', async () => {
  const { run_id } = (await (await call('invoke', { prefer: 'respond-async' })).json()) as { run_id: string };
  expect((await call(`runs/${run_id}/cancel`)).status).toBe(202);
  expect(await (await call(`runs/${run_id}`)).json()).toMatchObject({ code: 'cancelled', run_status: 'cancelled' });
  const leaving = new AbortController();
  const left = fetch(`${app.url}/agents/sleeper/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    body: '{"input":{}}',
    signal: leaving.signal,
  }).catch(() => 'left');
  const waiting = call();
  await untilPlanned();
  leaving.abort();
  expect(await left).toBe('left');
  const stop = async (desired: string) =>
    await app.governed(sql`update route set desired = ${desired} where agent_id = ${agent.asset_id} returning id`);
  await stop('stopped');
  expect(await (await waiting).json()).toMatchObject({ code: 'not_deployed', detail: 'agents/sleeper is stopped.' });
  await stop('running');
  await start();
  expect((await call()).status).toBe(200);
  expect(calls.filter((path) => path === '/invoke')).toHaveLength(1);
});
