import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { makeSpan, storeSpans } from '../../testing/stored/make-span.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import type { Span } from './span.ts';

let app: TestApp;
let owner: TestUser;
let caller: TestUser;
let reader: TestUser;
let agent: StoredAgent;
let hidden: StoredAgent;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  owner = await app.user('owner@example.com', { teams: { ml: 'contributor' } });
  caller = await app.user('caller@example.com', { teams: { ml: 'viewer' } });
  reader = await app.user('reader@example.com');
  agent = await storeAgent(app, owner.email, { name: 'greeter', yaml: 'access: { visibility: org }' });
  hidden = await storeAgent(app, owner.email, { name: 'hidden', yaml: 'access: { visibility: private }' });
});
afterAll(async () => await app?.stop());

const idOf = async ({ client }: TestUser) => (await client.call('auth.me', {})).id;
const show = async ({ client }: TestUser, id: string) => await client.call('traces.show', { params: { id } });
const list = async ({ client }: TestUser, query: Record<string, string> = {}) =>
  (await client.call('traces.list', { query })).items.map(({ trace_id }) => trace_id);

async function store(...spans: Partial<Span>[]): Promise<string> {
  const { trace_id } = makeSpan();
  await storeSpans(
    app.db,
    spans.map((span) => makeSpan({ trace_id, agent_id: agent.asset_id, ...span })),
  );
  return trace_id;
}

test('the content of a call is for its caller and for admins of the agent; other readers see the rest', async () => {
  const trace_id = await store({ caller_id: await idOf(caller), input: 'the question', output: 'the answer' });
  for (const one of [caller, owner, app.admin])
    expect((await show(one, trace_id)).spans).toMatchObject([
      { content: 'shown', input: 'the question', output: 'the answer' },
    ]);
  expect((await show(reader, trace_id)).spans).toMatchObject([
    { name: 'invoke', agent: 'greeter', content: 'not_permitted', input: null, output: null },
  ]);
});

test('a span of the agent has the caller of its run, and no other caller of the same trace sees its content', async () => {
  const [mine, theirs] = ['0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e11', '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e12'];
  const other = await app.user('other@example.com', { teams: { ml: 'viewer' } });
  const trace_id = await store(
    { run_id: mine, caller_id: await idOf(caller) },
    { run_id: theirs, caller_id: await idOf(other) },
    { run_id: mine, source: 'agent', name: 'step' },
    { source: 'agent', name: 'step without a run' },
  );
  const seen = async (user: TestUser) =>
    Object.fromEntries((await show(user, trace_id)).spans.map(({ name, content }) => [name, content]));
  expect(await seen(caller)).toMatchObject({ step: 'shown', 'step without a run': 'not_permitted' });
  expect(await seen(other)).toMatchObject({ step: 'not_permitted', 'step without a run': 'not_permitted' });
});

test('a caller who may no longer call sees no content', async () => {
  const trace_id = await store({ caller_id: await idOf(reader) });
  expect((await show(reader, trace_id)).spans[0]?.content).toBe('not_permitted');
});

test('a trace shows each reader the spans of the agents that they may read, and their sums', async () => {
  const paid = {
    source: 'gateway',
    kind: 'llm',
    input_tokens: 10,
    output_tokens: 5,
    cost_nano_usd: 1_500_000,
  } as const;
  const told = { source: 'agent', kind: 'llm', input_tokens: 10, output_tokens: 5 } as const;
  const trace_id = await store(paid, told, { ...paid, agent_id: hidden.asset_id, status: 'error', error: 'boom' });
  expect(await show(owner, trace_id)).toMatchObject({
    input_tokens: 20,
    output_tokens: 10,
    usd: '0.003',
    status: 'error',
  });
  const seen = await show(reader, trace_id);
  expect(seen).toMatchObject({ input_tokens: 10, output_tokens: 5, usd: '0.0015', status: 'ok' });
  expect(seen.spans.map(({ agent: name }) => name)).toEqual(['greeter', 'greeter']);
  const other = await store({ agent_id: hidden.asset_id });
  await expect(show(reader, other)).rejects.toMatchObject({ code: 'not_found' });
});

test('a list has an entry per call, with the sums of its run, and filters it', async () => {
  const { run_id } = makeSpan({ run_id: '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10' });
  const now_us = Date.now() * 1000;
  const slow = await store(
    { run_id, started_us: now_us - 5_000_000, status: 'error', error: 'agent_error' },
    { run_id, source: 'gateway', input_tokens: 3, output_tokens: 4, cost_nano_usd: 1 },
    { run_id, source: 'agent' },
    { run_id, source: 'gateway', input_tokens: 3, output_tokens: 4, cost_nano_usd: 1 },
  );
  const { items } = await owner.client.call('traces.list', { query: { agent: 'greeter', run: run_id ?? '' } });
  expect(items).toMatchObject([{ trace_id: slow, input_tokens: 6, output_tokens: 8, usd: '0.000000002' }]);
  expect(await list(owner, { status: 'error', agent: 'greeter' })).toEqual([slow]);
  expect(await list(owner, { min_duration_ms: '4000' })).toEqual([slow]);
  expect(await list(owner, { since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
});

test('a call to a model without an agent is for its caller and for admins of the paying team', async () => {
  const lead = await app.user('lead@example.com', { teams: { ops: 'admin' } });
  const team = await app.db.one<{ id: string }>(sql`select id from team where name = 'ops'`);
  const team_id = team?.id ?? null;
  const trace_id = await store({ source: 'gateway', agent_id: null, team_id, caller_id: await idOf(reader) });
  expect((await show(reader, trace_id)).spans[0]?.content).toBe('shown');
  expect((await show(lead, trace_id)).spans[0]?.content).toBe('not_permitted');
  expect(await list(lead)).toContain(trace_id);
  expect(await list(owner)).not.toContain(trace_id);
  await expect(show(owner, trace_id)).rejects.toMatchObject({ code: 'not_found' });
});

test('doctor reports spans that were not stored', async () => {
  const look = async () => (await app.admin.client.call('service.doctor', {})).find(({ part }) => part === 'traces');
  expect(await look()).toMatchObject({ verdict: 'ok' });
  const old = makeSpan();
  const week_us = 7 * 86_400e6;
  await storeSpans(app.db, [{ ...old, started_us: old.started_us - week_us }]);
  expect(await look()).toMatchObject({ verdict: 'warning', detail: expect.stringContaining('1 not_of_today') });
});

test('a service whose database has a nearly full disk stores no spans, and doctor says why', async () => {
  const freeBytes = async () => await Promise.resolve(1024 ** 3 - 1);
  const full = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' }, freeBytes });
  try {
    const { key } = await full.admin.client.call('keys.create', { body: { max_budget: '1' } });
    await fetch(`${full.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'unknown', messages: [] }),
    });
    const look = async () => (await full.admin.client.call('service.doctor', {})).find(({ part }) => part === 'traces');
    await expect.poll(look).toMatchObject({ detail: expect.stringContaining('1 storage_full') });
    expect((await full.admin.client.call('traces.list', { query: {} })).items).toEqual([]);
  } finally {
    await full.stop();
  }
});
