// A database that is away, or an agent's connection that breaks, in the midst of a call.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../ground/database/database.ts';
import { sql, type Sql } from '../../../ground/database/sql.ts';
import { openEnvelope } from '../../../ground/envelope/envelope.ts';
import { noTurns } from '../../../testing/agents/no-turns.ts';
import { openGuardrailRecord } from '../../../models/guardrails/record.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { openIngress } from '../ingress.ts';

let app: TestApp;
let ada: TestUser;
let answer: RequestListener;
const lines: string[] = [];
beforeAll(async () => {
  // No keeper finds fault with the container that is stood in for.
  app = await testApp({ config: { engine_host: 'unix:///nonexistent.sock' }, onLog: (line) => lines.push(line) });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const agent = await storeAgent(app, ada.email, { name: 'greeter' });
  await standInFor(app, agent, (request, response) => answer(request, response));
});
afterAll(async () => await app?.stop());

const send = async (path: string, init: RequestInit = {}) =>
  await fetch(`${app.url}/agents/greeter/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', prefer: 'respond-async' },
  });

async function begin(): Promise<string> {
  const begun = await send('invoke', { method: 'POST', body: '{"input":"hi"}' });
  return ((await begun.json()) as { run_id: string }).run_id;
}

const allowConnections = async (most: number) => {
  const here = await app.db.one<{ name: string }>(sql`select current_database() as name`);
  await app.db.run({ strings: [`alter database "${here?.name}" connection limit ${most}`], values: [] });
};

test('a detached call has its run id when the container knows the run, so no kill -9 loses the call', async () => {
  let held: ServerResponse | undefined;
  let asked = 0;
  answer = ({ method, url }, response) => {
    if (url === '/invoke') held = response;
    else
      response.writeHead(method === 'GET' && ++asked > 3 ? 202 : 404, { 'content-type': 'application/json' }).end('{}');
  };
  const run_id = await begin();
  expect(asked).toBe(4);
  held?.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"held"}');
  await expect.poll(async () => await (await send(`runs/${run_id}`)).json()).toEqual({ output: 'held' });
});

test('an answer that comes while the database is away is stored when it is back', async () => {
  let held: ServerResponse | undefined;
  answer = ({ url }, response) => {
    if (url === '/invoke') held = response;
    else response.writeHead(202, { 'content-type': 'application/json' }).end('{}');
  };
  const run_id = await begin();
  await expect.poll(() => held).toBeDefined();
  await allowConnections(0);
  await app.db.run(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'svc_app'`,
  );
  const read = async () => await send(`runs/${run_id}`);
  await expect.poll(async () => (await read()).status).toBe(503);
  const finished = held === undefined ? [] : once(held, 'finish');
  held?.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"late"}');
  await finished;
  for (let n = 0; n < 5; n++) expect((await read()).status).toBe(503);
  await allowConnections(-1);
  await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe(200);
  expect(await (await read()).json()).toEqual({ output: 'late' });
});

test('the calls of an earlier service are followed as soon as the database is back', async () => {
  const run_id = randomUUID();
  await app.db.run(sql`
    insert into invocation (id, agent_id, revision_id, caller_id, state)
    select ${run_id}, a.id, ${randomUUID()}, u.id, 'running' from asset a, app_user u where a.name = 'greeter' and u.email = ${ada.email}`);
  const stopping = new AbortController();
  const failed: unknown[] = [];
  let tries = 0;
  const db = openDatabase(app.connection);
  const ingress = openIngress({
    db: { ...db, all: async <Row extends object>(query: Sql) => (tries++, await db.all<Row>(query)) },
    owner: 'test',
    alone: false,
    agents: {
      find: async () => await Promise.reject(new Error('nobody calls')),
      member: async () => await Promise.reject(new Error('nobody calls')),
      wake: async () => {},
      instance: async () => undefined,
      lastEnd: async () => undefined,
    },
    run_key: Buffer.alloc(32),
    envelope: openEnvelope(Buffer.alloc(32)),
    models: async () => await Promise.reject(new Error('nobody judges')),
    turns: noTurns,
    guardrails: openGuardrailRecord(db, { onError: (error) => failed.push(error) }),
    spans: { add: () => {} },
    base_url: () => '',
    sync_budget_ms: 1000,
    stopping: stopping.signal,
    onError: (error) => failed.push(error),
  });
  await allowConnections(0);
  ingress.followed.start();
  await expect.poll(() => tries, { timeout: 10_000 }).toBeGreaterThan(1);
  await allowConnections(-1);
  await expect.poll(async () => (await send(`runs/${run_id}`)).status, { timeout: 10_000 }).toBe(503);
  expect(failed).toEqual([]);
  stopping.abort();
  await ingress.close();
  await db.close();
});

test.each([
  [200, 'text/html'],
  [401, 'application/json'],
])('an answer of %i %s does not pass either where the container is asked for it anew', async (status, content_type) => {
  answer = ({ url }, response) => {
    if (url === '/invoke') response.destroy();
    else response.writeHead(status, { 'content-type': content_type }).end('<script>');
  };
  const run_id = await begin();
  await expect.poll(async () => (await send(`runs/${run_id}`)).status).not.toBe(202);
  expect(await (await send(`runs/${run_id}`)).json()).toMatchObject({ code: 'agent_error' });
});

test('the cancellation of a call in a hanging container is refused after five seconds', async () => {
  let running: ServerResponse | undefined;
  answer = ({ method, url }, response) => {
    if (url === '/invoke') running = response;
    else if (method === 'GET') response.writeHead(202, { 'content-type': 'application/json' }).end('{}');
  };
  const run_id = await begin();
  const cancelled = await send(`runs/${run_id}/cancel`, { method: 'POST', signal: AbortSignal.timeout(10_000) });
  expect(await cancelled.json()).toMatchObject({ code: 'agent_unavailable' });
  running?.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

test('a caller who left before the call is sent calls nobody', async () => {
  let calls = 0;
  answer = (_, response) => {
    calls++;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const left = new AbortController();
  const asked = await app.db.transaction(async (tx) => {
    await tx.run(sql`lock table audit.head in access exclusive mode`);
    const sent = send('invoke', { method: 'POST', body: '{"input":"hi"}', signal: left.signal }).catch(() => 'left');
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await app.db.all(waiting)).length).toBeGreaterThan(0);
    left.abort();
    // Its connection is closed before this one is answered.
    await fetch(`${app.url}/livez`);
    return sent;
  });
  expect(asked).toBe('left');
  await expect.poll(() => lines.some((line) => line.includes('/invoke') && line.includes('"status":408'))).toBe(true);
  expect(calls).toBe(0);
});
