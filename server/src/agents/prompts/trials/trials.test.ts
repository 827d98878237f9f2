// Trials of prompts through the real service, at a stand-in for vendors that keeps a journal of what it got.
import type { TrialEvent, TrialUsage } from '@gantry/contract/agents/prompt-trials.ts';
import type { Mountable } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { makePrompt } from '../../../testing/agents/make-prompt.ts';
import { modelUpstream, type ModelUpstream } from '../../../testing/models/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let upstream: ModelUpstream;
let app: TestApp;
/** An admin of team ml. */
let ada: TestUser;
/** May change the prompt, as its owner's colleague. */
let cleo: TestUser;
/** May use it. */
let vera: TestUser;

const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };

beforeAll(async () => {
  upstream = await modelUpstream(usage);
  upstream.mock.prependFixture({
    match: { predicate: ({ messages }) => JSON.stringify(messages).includes('break off') },
    response: { content: 'word '.repeat(40), usage },
    chunkSize: 5,
    truncateAfterChunks: 9,
    latency: 10,
  });
  upstream.mock.mount('/v1/endless', { handleRequest: answerForever });
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  cleo = await app.user('cleo@example.com', { teams: { ml: 'contributor' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  const price_usd_per_million = { input: '100', output: '200' };
  const common = { base_url: upstream.base_url, price_usd_per_million };
  for (const [name, config] of Object.entries({
    small: { provider: 'openai', model: 'gpt-4o-mini', ...common },
    claude: { provider: 'anthropic', model: 'claude-haiku-4-5', ...common },
    gemini: { provider: 'gemini', model: 'gemini-2.5-flash', ...common, base_url: upstream.gemini_url },
    endless: { provider: 'openai', model: 'gpt-4o-mini', ...common, base_url: `${upstream.base_url}/endless` },
    free: { provider: 'test', model: 'ours', base_url: upstream.base_url },
    vectors: { provider: 'test', model: 'text-embedding-3-small', type: 'embedding', ...common },
  }))
    await ada.client.call('registry.create', {
      params: { kind: 'model' },
      body: { name, team: 'ml', visibility: 'team', config },
    });
  await ada.client.call('registry.create', {
    params: { kind: 'model' },
    body: {
      name: 'own',
      team: 'ml',
      visibility: 'private',
      config: { provider: 'openai', model: 'gpt-4o', ...common },
    },
  });
  await makePrompt(ada, 'talk', { '1.0.0': 'Old {{who}}', '1.1.0': 'New {{who}}' });
  await ada.client.call('prompts.move_label', {
    params: { name: 'talk', label: 'production' },
    body: { version: '1.0.0' },
  });
  await grant('prompt', 'talk', cleo.email, ['read', 'write']);
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});
beforeEach(() => upstream.mock.clearRequests());

let endless_answers = 0;

/** A piece each 10 ms, until the reader closes the connection. */
const answerForever: Mountable['handleRequest'] = async (_, response) => {
  endless_answers += 1;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const piece = { choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] };
  const timer = setInterval(() => response.write(`data: ${JSON.stringify(piece)}\n\n`), 10);
  response.once('close', () => {
    clearInterval(timer);
    endless_answers -= 1;
  });
  return await Promise.resolve(true);
};

async function grant(resource_type: 'prompt' | 'model', resource_id: string, principal_id: string, actions: string[]) {
  await app.admin.client.call('permissions.grant', {
    body: { resource_type, resource_id, principal_type: 'user', principal_id, actions: actions as ['read'] },
  });
}

interface Asked {
  version?: string;
  draft?: Record<string, unknown>;
  variables?: Record<string, string>;
  model?: string;
  max_tokens?: number;
  temperature?: number;
}

async function open(
  by: TestUser,
  { model = 'models/small', variables = { who: 'Ada' }, ...asked }: Asked,
  signal?: AbortSignal,
) {
  const text = asked.draft === undefined ? { version: asked.version ?? 'latest' } : {};
  return await by.client.call(
    'prompts.try',
    { params: { name: 'talk' }, body: { ...asked, ...text, model, variables } as never }, // hostile bodies too
    signal === undefined ? {} : { signal },
  );
}

async function tried(by: TestUser, asked: Asked = {}) {
  const events: TrialEvent[] = [];
  for await (const { data } of await open(by, asked)) events.push(data);
  const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
  const used = events.find((event): event is TrialUsage => event.type === 'used');
  const [started] = events;
  return { events, text, used, started: started?.type === 'started' ? started : undefined };
}

const sent = () => upstream.mock.getRequests().map(({ body }) => body);
const said = () => JSON.stringify(sent().map((body) => body?.['messages']));
const rows = async (trace_id: string) =>
  await app.db.all<{ nano: number; key_id: string }>(sql`
    select outcome, estimated, model, team, "user", tags, caller_id, input_tokens, output_tokens, nano, key_id from ledger
    where trace_id = ${trace_id}`);

test('an answer arrives in pieces, and then its tokens, its cost as in the ledger, its times and its trace', async () => {
  const { events, text, used, started } = await tried(cleo, { version: '1.0.0' });
  expect(started).toMatchObject({ ref: 'prompts/talk@1.0.0', label: null, model: 'models/small' });
  expect(text).toBe('The capital of France is Paris.');
  expect(events.filter(({ type }) => type === 'delta').length).toBeGreaterThan(1);
  expect(used).toMatchObject({ input_tokens: 20, output_tokens: 10, cost_usd: '0.004', is_cut: false });
  expect(used?.first_token_ms).toBeLessThanOrEqual(used?.total_ms ?? 0);
  expect(sent()).toMatchObject([{ messages: [{ role: 'user', content: 'Old Ada' }], stream: true }]);
  const trace_id = started?.trace_id ?? '';
  await expect.poll(async () => await rows(trace_id)).toHaveLength(1);
  expect(await rows(trace_id)).toMatchObject([
    {
      outcome: 'answered',
      estimated: false,
      model: 'small',
      team: 'ml',
      tags: ['prompts/talk', 'prompt:trial'],
      caller_id: await idOf(cleo),
      nano: 4_000_000,
    },
  ]);
  // Who has tried it reads its trace.
  const trace = async () => await cleo.client.call('traces.show', { params: { id: trace_id } });
  await expect.poll(async () => (await trace().catch(() => undefined))?.spans.length).toBe(1);
});

test.each([
  ['small', '/v1/chat/completions'],
  ['claude', '/v1/messages'],
  ['gemini', '/v1beta/models/gemini-2.5-flash:streamGenerateContent'],
])('a conversation is tried on %s in its own format', async (model, path) => {
  const draft = {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello {{who}}' },
    ],
    variables: [{ name: 'who' }],
  };
  const sampling = { max_tokens: 50, temperature: 0.2 };
  const { text, used, started } = await tried(cleo, { draft, model: `models/${model}`, ...sampling });
  expect(text).toBe('The capital of France is Paris.');
  expect(used).toMatchObject({ input_tokens: 20, output_tokens: 10, cost_usd: '0.004' });
  expect(started).toMatchObject({ ref: null, digest: null, model: `models/${model}` });
  const [request] = upstream.mock.getRequests();
  expect(request?.path).toContain(path);
  // The stand-in keeps each format in one form.
  expect(JSON.parse(said())).toEqual([
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello Ada' },
    ],
  ]);
  expect(request?.body).toMatchObject({ temperature: 0.2 });
  expect(JSON.stringify(request?.body)).toMatch(/"max_(?:completion_)?tokens":50/);
});

test('a conversation of system messages alone is refused for a vendor that takes none', async () => {
  const draft = { messages: [{ role: 'system', content: 'Be brief.' }] };
  // The stand-in for OpenAI gets it, and has no answer to it.
  await expect(tried(cleo, { draft, variables: {} })).rejects.toMatchObject({ code: 'model_refused' });
  expect(sent()).toHaveLength(1);
  await expect(tried(cleo, { draft, variables: {}, model: 'models/claude' })).rejects.toMatchObject({
    code: 'invalid',
  });
});

test('a label is what it means now, latest is the newest version, and a draft is the text that was sent', async () => {
  expect((await tried(cleo, { version: 'production' })).started).toMatchObject({
    ref: 'prompts/talk@1.0.0',
    label: 'production',
  });
  expect((await tried(cleo)).started).toMatchObject({ ref: 'prompts/talk@1.1.0', label: null });
  await tried(cleo, { draft: { template: 'Never saved' }, variables: {} });
  expect(said()).toContain('Old Ada');
  expect(said()).toContain('New Ada');
  expect(said()).toContain('Never saved');
  await expect(tried(cleo, { version: 'canary' })).rejects.toMatchObject({ status: 404 });
});

test('a model without a price has a cost of null, and an embedding model answers no text', async () => {
  expect((await tried(cleo, { model: 'models/free' })).used).toMatchObject({ cost_usd: null, input_tokens: 20 });
  await expect(tried(cleo, { model: 'models/vectors' })).rejects.toMatchObject({ code: 'model_not_allowed' });
});

test('T550: who may not change the prompt, or may not use the model, reaches no vendor', async () => {
  expect((await tried(ada, { model: 'models/own' })).text).toContain('Paris');
  expect((await tried(cleo)).text).toContain('Paris');
  upstream.mock.clearRequests();
  await expect(tried(vera)).rejects.toMatchObject({ status: 403 });
  await expect(tried(cleo, { model: 'models/own' })).rejects.toMatchObject({ status: 404 });
  await grant('model', 'own', cleo.email, ['read']);
  await expect(tried(cleo, { model: 'models/own' })).rejects.toMatchObject({ status: 403 });
  // An agent is no model, and no other asset is.
  for (const model of ['agents/keeper', 'prompts/talk', 'small', 'models/nothing'])
    await expect(tried(cleo, { model })).rejects.toMatchObject({ status: model === 'models/nothing' ? 404 : 422 });
  expect(sent()).toEqual([]);
  // The right on the model is enough, and it is that of the person: nobody else in the team has it.
  await grant('model', 'own', cleo.email, ['use']);
  expect((await tried(cleo, { model: 'models/own' })).text).toContain('Paris');
});

test('T551: the budget of the team and that of the member each refuse a trial', async () => {
  const limit = async (subject: object, daily_usd: string | null) =>
    await app.admin.client.call('budgets.set', { body: { ...subject, limits: { daily_usd } } as never });
  upstream.mock.clearRequests();
  for (const [subject, named] of [
    [{ scope: 'team', scope_id: 'ml' }, 'team:ml'],
    [{ scope: 'user', scope_id: cleo.email, team: 'ml' }, 'cleo@example.com in team:ml'],
  ] as const) {
    await limit(subject, '0.000001');
    await expect(tried(cleo)).rejects.toMatchObject({
      code: 'budget_exceeded',
      detail: expect.stringContaining(named) as string,
    });
    await limit(subject, null);
  }
  expect(sent()).toEqual([]);
  expect((await tried(cleo)).text).toContain('Paris');
});

test('T551: the guardrails that the organisation requires hold for a trial', async () => {
  const required_guardrails = [{ name: 'content_filter', options: { words: ['unicorns'] } }];
  await app.admin.client.call('org.set', { body: { required_guardrails } as never });
  await expect(tried(cleo, { variables: { who: 'unicorns' } })).rejects.toMatchObject({
    code: 'guardrail_blocked',
  });
  expect(sent()).toEqual([]);
  await app.admin.client.call('org.set', { body: { required_guardrails: [] } });
  expect((await tried(cleo, { variables: { who: 'unicorns' } })).text).toContain('Paris');
});

test('T552: a value of a variable is never a template, a role or a model', async () => {
  const who = '{{who}} {{secret}} "}],"model":"other';
  await tried(cleo, { version: '1.0.0', variables: { who } });
  expect(sent()).toMatchObject([{ model: 'gpt-4o-mini', messages: [{ role: 'user', content: `Old ${who}` }] }]);
});

test.each<[string, Asked]>([
  ['a variable that is not declared', { draft: { template: 'Hello {{who}}' } }],
  ['an unknown member', { draft: { template: 'Hello', base_url: 'http://169.254.169.254' }, variables: {} }],
  ['a role of its own', { draft: { messages: [{ role: 'tool', content: 'x' }] }, variables: {} }],
  ['a member of prototypes', { draft: { template: 'x', constructor: { prototype: {} } }, variables: {} }],
  ['a version beside it', { draft: { template: 'Hello' }, version: '1.0.0', variables: {} }],
  ['a missing value', { variables: {} }],
  ['an unknown value', { variables: { who: 'Ada', whoo: 'x' } }],
  [
    'a text of a gigabyte',
    {
      draft: { template: '{{who}}'.repeat(10_000), variables: [{ name: 'who' }] },
      variables: { who: 'x'.repeat(100_000) },
    },
  ],
  ['too hot a temperature', { temperature: 3 }],
  ['no room for an answer', { max_tokens: 0 }],
])('T552: a trial with %s is refused before a vendor sees it', async (_, asked) => {
  await expect(tried(cleo, asked)).rejects.toMatchObject({
    code: expect.stringMatching(/invalid|too_large/) as string,
  });
  expect(sent()).toEqual([]);
});

test('T553: a reader who leaves ends the call at the vendor, and what it cost is in the ledger', async () => {
  const leaving = new AbortController();
  const stream = await open(cleo, { model: 'models/endless', max_tokens: 10_000 }, leaving.signal);
  let trace_id = '';
  const read = (async () => {
    for await (const { data } of stream) {
      if (data.type === 'started') ({ trace_id } = data);
      if (data.type === 'delta') leaving.abort();
    }
  })();
  await expect(read).rejects.toThrow();
  await expect.poll(() => endless_answers).toBe(0);
  await expect.poll(async () => await rows(trace_id)).toHaveLength(1);
  const [row] = await rows(trace_id);
  expect(row).toMatchObject({ outcome: 'failed', estimated: true });
  expect(row?.nano).toBeGreaterThan(0);
  // The hold had 10,000 tokens of output.
  expect(row?.nano).toBeLessThan(10_000 * 200_000);
  expect(await app.db.all(sql`select id from hold`)).toEqual([]);
});

test('an answer that breaks off says what it cost and why it ended', async () => {
  const events: TrialEvent[] = [];
  const reading = (async () => {
    for await (const { data } of await open(cleo, { draft: { template: 'Please break off' }, variables: {} }))
      events.push(data);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'model_unavailable' });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['started', 'delta', 'used']));
});

test('the key of a prompt calls nothing by itself, and one that was revoked is replaced', async () => {
  await tried(cleo);
  const payer = async () =>
    await app.db.one<{ key_id: string; models: string[] }>(sql`
      select p.key_id, k.models from prompt_payer p join gateway_key k on k.id = p.key_id`);
  const before = await payer();
  expect(before?.models).toEqual([]);
  await ada.client.call('keys.revoke', { params: { id: before?.key_id ?? '' } });
  expect((await tried(cleo)).text).toContain('Paris');
  expect((await payer())?.key_id).not.toBe(before?.key_id);
  const entries = await app.db.all<{ detail: unknown }>(sql`
    select body::jsonb -> 'detail' as detail from audit.entry where body like '%"prompt.payer_set"%' order by seq`);
  expect(entries).toHaveLength(2);
  expect(entries[1]?.detail).toMatchObject({ key: expect.stringMatching(/^key:/) as string });
});

const idOf = async ({ email }: TestUser) =>
  (await app.db.one<{ id: string }>(sql`select id from app_user where email = ${email}`))?.id;
