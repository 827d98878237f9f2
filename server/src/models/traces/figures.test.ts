import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { makeSpan } from '../../testing/stored/make-span.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { openFigures } from './figures.ts';
import type { Span } from './span.ts';

let app: TestApp;
let owner: TestUser;
let caller: TestUser;
let reader: TestUser;
let agent: StoredAgent;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  owner = await app.user('owner@example.com', { teams: { ml: 'contributor' } });
  caller = await app.user('caller@example.com', { teams: { ml: 'viewer' } });
  reader = await app.user('reader@example.com');
  agent = await storeAgent(app, owner.email, { name: 'greeter', yaml: 'access: { visibility: org }' });
});
afterAll(async () => await app?.stop());

const call = (ms: number, more: Partial<Span> = {}): Span => {
  const span = makeSpan({ agent_id: agent.asset_id, run_id: randomUUID(), name: 'invoke greeter', ...more });
  return { ...span, started_us: span.ended_us - ms * 1000 };
};
const idOf = async ({ client }: TestUser) => (await client.call('auth.me', {})).id;
const runsOf = async ({ client }: TestUser) =>
  (await client.call('traces.runs', { params: { name: 'greeter' } })).items;
const statusOf = async ({ client }: TestUser) => {
  const { items } = await client.call('agents.statuses', {});
  return items.find(({ name }) => name === 'greeter')?.last_24h;
};

test('a figure that the database refuses stops no other one', async () => {
  const faults: unknown[] = [];
  const figures = openFigures({ db: app.db, onError: (error) => faults.push(error) });
  const [ill, well] = [randomUUID(), randomUUID()];
  figures.add([call(20, { run_id: 'no id' }), call(20, { agent_id: ill, run_id: ill, name: '\0' })]);
  figures.add([call(20, { agent_id: well, run_id: well })]);
  await figures.close();
  expect(await app.db.all(sql`select id from agent_run`)).toEqual([{ id: well }]);
  expect(await app.db.all(sql`select agent_id from call_figure where agent_id in (${ill}, ${well})`)).toHaveLength(2);
  expect(faults).toMatchObject([{ message: 'the database refuses 2 figures of calls' }]);
  await app.db.run(sql`delete from agent_run`);
  await app.db.run(sql`delete from call_figure`);
});

test('each call to an agent is counted once, by several processes too, and no other span is', async () => {
  expect(await statusOf(caller)).toEqual({ calls: 0, errors: 0, blocked: 0, p50_ms: null, p95_ms: null });
  const faults: unknown[] = [];
  const parts = { db: openDatabase(app.connection), onError: (error: unknown) => faults.push(error) };
  const processes = [openFigures(parts), openFigures(parts)];
  for (const figures of processes) {
    figures.add([call(20), call(20), call(4000, { status: 'error', error: 'agent_error' })]);
    figures.add([call(20, { status: 'error', error: 'guardrail_blocked' })]);
    figures.add([makeSpan({ source: 'gateway', agent_id: agent.asset_id, run_id: randomUUID() })]);
  }
  await Promise.all(processes.map(async (figures) => await figures.close()));
  await parts.db.close();
  expect(faults).toEqual([]);
  const shown = await statusOf(caller);
  expect(shown).toMatchObject({ calls: 8, errors: 2, blocked: 2 });
  expect(shown?.p50_ms).toBeLessThanOrEqual(50);
  expect(shown?.p95_ms).toBeGreaterThan(2500);
  expect(await owner.client.call('agents.status', { params: { name: 'greeter' } })).toMatchObject({ last_24h: shown });
});

test('the figures of an agent over the time have each call in its part, and its cost for those who may edit it', async () => {
  const figuresOf = async ({ client }: TestUser, since?: string) =>
    await client.call('traces.figures', { params: { name: 'greeter' }, query: { since } });
  const before = await figuresOf(caller);
  expect(before).toMatchObject({ step_seconds: 1800 });
  expect(before.steps).toHaveLength(48);
  const db = openDatabase(app.connection);
  const figures = openFigures({ db, onError: () => {} });
  const hours_ago = (hours: number) => ({ ended_us: (Date.now() - hours * 3_600_000) * 1000 });
  figures.add([
    call(20),
    call(4000, { status: 'error', error: 'agent_error' }),
    call(20, hours_ago(3)),
    call(20, hours_ago(30)),
  ]);
  await figures.close();
  await db.close();
  const after = await figuresOf(caller);
  const newly = after.steps.map(({ calls, errors }, n) => [
    calls - (before.steps[n]?.calls ?? 0),
    errors - (before.steps[n]?.errors ?? 0),
  ]);
  expect(newly.filter(([calls]) => calls !== 0)).toEqual([
    [1, 0],
    [2, 1],
  ]);
  expect(newly.at(-7)?.[0]).toBe(1);
  expect(
    (await figuresOf(caller, new Date(Date.now() - 36 * 3_600_000).toISOString())).steps.reduce(
      (sum, { calls }) => sum + calls,
      0,
    ),
  ).toBe(after.steps.reduce((sum, { calls }) => sum + calls, 0) + 1);
  expect(after.steps[0]?.usd).toBeNull();
  expect((await figuresOf(owner)).steps[0]?.usd).toBe('0.00');
});

test('calls that could not be written are written later, and none is lost', async () => {
  const before = (await statusOf(caller))?.calls ?? 0;
  const faults: unknown[] = [];
  const db = openDatabase(app.connection);
  const figures = openFigures({ db, onError: (error) => faults.push(error) });
  await app.db.run(sql`alter table call_figure rename to call_figure_away`);
  figures.add([call(20)]);
  await figures.flush();
  expect(faults).toHaveLength(1);
  await app.db.run(sql`alter table call_figure_away rename to call_figure`);
  figures.add([call(20)]);
  await figures.close();
  await db.close();
  expect(faults).toHaveLength(1);
  expect((await statusOf(caller))?.calls).toBe(before + 2);
});

test('a list has the caller’s own runs, and all runs for admins of the agent, without content', async () => {
  const own = call(30, { caller_id: await idOf(caller) });
  const other = call(30, { caller_id: await idOf(owner), error: 'boom', status: 'error' });
  const db = openDatabase(app.connection);
  const figures = openFigures({ db, onError: () => {} });
  figures.add([own, other]);
  await figures.close();
  await db.close();
  expect(await runsOf(caller)).toEqual([
    {
      run_id: own.run_id,
      name: 'invoke',
      caller: caller.email,
      trace_id: own.trace_id,
      revision_id: null,
      started_at: new Date(own.started_us / 1000).toISOString(),
      duration_ms: 30,
      status: 'ok',
      error: null,
    },
  ]);
  for (const one of [owner, app.admin])
    expect((await runsOf(one)).map(({ run_id }) => run_id)).toEqual(expect.arrayContaining([own.run_id, other.run_id]));
  expect(await runsOf(reader)).toEqual([]);
});
