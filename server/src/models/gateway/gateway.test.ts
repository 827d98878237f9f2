// Calls to models through the real service, with OpenAI's own client. The upstream's journal says what really reached it.
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { gatewayKeys } from '../../ground/config/key-form.ts';
import { modelUpstream, type ModelUpstream } from '../../testing/models/model-upstream.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let upstream: ModelUpstream;
let app: TestApp;
let ada: TestUser;

beforeAll(async () => {
  upstream = await modelUpstream();
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  await ada.client.call('registry.create', {
    params: { kind: 'model' },
    body: {
      name: 'small',
      team: 'ml',
      config: {
        provider: 'test',
        model: 'gpt-4o-mini',
        base_url: upstream.base_url,
        price_usd_per_million: { input: '0.15', output: '0.60' },
      },
    },
  });
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});

const clientOf = (key: string | undefined) =>
  new OpenAI({ apiKey: key ?? '', baseURL: `${app.url}/v1`, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'What is the capital of France?' }];
const spentBy = async (id: string) =>
  await app.db
    .one<{ spent: number; held: number }>(
      sql`select month_spent as spent, month_held as held from account where id = ${id}`,
    )
    .then((row) => row ?? { spent: -1, held: -1 });
const rows = async () =>
  await app.db.all<Record<string, unknown>>(
    sql`select model, "user", team, outcome, input_tokens, output_tokens, nano, estimated from ledger order by at`,
  );

test('a call with a key is answered, charged to the nano-dollar, and leaves no hold', async () => {
  const { key, prefix } = await ada.client.call('keys.create', { body: { max_budget: '1' } });
  expect(key?.slice(0, 12)).toBe(prefix);
  const answer = await clientOf(key).chat.completions.create({ model: 'small', messages });
  expect(answer.choices[0]?.message.content).toBe('The capital of France is Paris.');
  await expect.poll(rows).toEqual([
    {
      model: 'small',
      user: 'ada@example.com',
      team: 'ml',
      outcome: 'answered',
      input_tokens: 20,
      output_tokens: 10,
      // 20 × $0.15 + 10 × $0.60 per million.
      nano: 9000,
      estimated: false,
    },
  ]);
  expect(await app.db.all(sql`select id from hold`)).toEqual([]);
  expect(upstream.mock.getRequests().at(-1)?.body).toMatchObject({ model: 'gpt-4o-mini', max_tokens: 4096 });
});

test('a stream arrives as the upstream sent it, without the usage that the client has not asked for', async () => {
  const { key, id } = await ada.client.call('keys.create', { body: { max_budget: '1' } });
  const seen = { text: '', usages: 0 };
  for await (const chunk of await clientOf(key).chat.completions.create({ model: 'small', messages, stream: true })) {
    seen.text += chunk.choices[0]?.delta.content ?? '';
    if (chunk.usage) seen.usages += 1;
  }
  expect(seen).toEqual({ text: 'The capital of France is Paris.', usages: 0 });
  await expect.poll(async () => await spentBy(id)).toEqual({ spent: 9000, held: 0 });

  const asking = { model: 'small', messages, stream: true, stream_options: { include_usage: true } } as const;
  for await (const chunk of await clientOf(key).chat.completions.create(asking)) if (chunk.usage) seen.usages += 1;
  expect(seen.usages).toBe(1);
  await expect.poll(async () => await spentBy(id)).toEqual({ spent: 18_000, held: 0 });
});

test('a client that leaves in the middle of a stream is charged what the upstream says', async () => {
  const slow = upstream.mock.on(
    { userMessage: 'slowly' },
    { content: 'one two three four five six seven eight' },
    { latency: 40, chunkSize: 4 },
  );
  const { key, id } = await ada.client.call('keys.create', { body: { max_budget: '1' } });
  const asked = [{ role: 'user' as const, content: 'slowly' }];
  const stream = await clientOf(key).chat.completions.create({ model: 'small', messages: asked, stream: true });
  for await (const _ of stream) break;
  await expect.poll(async () => (await spentBy(id)).held).toBe(0);
  const row = await app.db.one(sql`select outcome, estimated from ledger where key_id = ${id}`);
  expect(row).toEqual({ outcome: 'answered', estimated: false });
  expect(slow).toBeDefined();
});

test('a budget is used to 99 %, never exceeded, and ends the next call with a readable error, on two services', async () => {
  const other = await app.another();
  // 590 × $0.15 + 10 × $0.60 per million: 94,500 nano-USD for each call, about as much as is held for it.
  const usage = { prompt_tokens: 590, completion_tokens: 10, total_tokens: 600 };
  upstream.mock.prependFixture({ match: { userMessage: 'count' }, response: { content: 'one two three', usage } });
  const limits = { daily_usd: '0.0105' };
  const { key, id } = await ada.client.call('keys.create', { body: { limits } });
  const count = [{ role: 'user' as const, content: 'count' }];
  const journal = () => upstream.mock.getRequests().length;
  const before = journal();
  const clients = [app.url, other.url].map(
    (url) => new OpenAI({ apiKey: key ?? '', baseURL: `${url}/v1`, maxRetries: 0 }),
  );
  const codes = new Map<string, number>();
  const callUntilSpent = async (client: OpenAI | undefined) => {
    for (;;) {
      try {
        await client?.chat.completions.create({ model: 'small', messages: count, max_completion_tokens: 10 });
      } catch (error) {
        if (!(error instanceof OpenAI.APIError)) throw error;
        codes.set(String(error.code), (codes.get(String(error.code)) ?? 0) + 1);
        if (error.code === 'budget_exceeded') return error;
        if (error.code !== 'budget_in_flight') throw error;
      }
    }
  };
  const ended = await Promise.all(Array.from({ length: 64 }, async (_, n) => await callUntilSpent(clients[n % 2])));
  const spent = async () => await spentBy(id);
  await expect.poll(async () => (await spent()).held).toBe(0);
  expect((await spent()).spent).toBeLessThanOrEqual(10_500_000);
  expect((await spent()).spent).toBeGreaterThanOrEqual(0.99 * 10_500_000);
  expect((await spent()).spent).toBe((journal() - before) * 94_500);
  expect(ended[0]?.status).toBe(429);
  expect(ended[0]?.message).toMatch(
    /The budget of the key gtk_\S+ does not pay for this call: \$0.010\d+ of \$0.0105 per day is spent/,
  );
});

test('the code of an agent reads no figures about its budget', async () => {
  const { name } = await storeAgent(app, ada.email, { name: 'spender' });
  const limits = { daily_usd: '0.000001' };
  const { key } = await ada.client.call('keys.create', { body: { scope: 'agent', scope_id: name, limits } });
  const calling = clientOf(key).chat.completions.create({ model: 'small', messages });
  await expect(calling).rejects.toMatchObject({
    code: 'budget_exceeded',
    message: expect.stringMatching(/does not pay for this call\. The budget starts again at [^$]*$/) as string,
  });
});

test.each([
  ['a model that does not exist', { model: 'huge' }, 403, 'model_not_allowed'],
  ['an address of its own', { base_url: 'http://169.254.169.254/' }, 400, 'invalid'],
  ['a hosted tool under a budget', { tools: [{ type: 'web_search' }] }, 400, 'not_priceable'],
  ['an unknown field under a budget', { service_tier: 'priority' }, 400, 'not_priceable'],
  ['no messages', { messages: 'hello' }, 400, 'invalid'],
])('%s is refused before anything is sent', async (_, more, status, code) => {
  const { key, id } = await ada.client.call('keys.create', { body: { max_budget: '1' } });
  const before = upstream.mock.getRequests().length;
  const asked = { model: 'small', messages, ...more } as OpenAI.ChatCompletionCreateParamsNonStreaming;
  await expect(clientOf(key).chat.completions.create(asked)).rejects.toMatchObject({ status, code });
  expect(upstream.mock.getRequests().length).toBe(before);
  expect(await app.db.all(sql`select 1 from ledger where key_id = ${id}`)).toEqual([]);
  expect(await spentBy(id)).toEqual({ spent: 0, held: 0 });
});

test.each([
  ['nothing', undefined],
  ['text that is no key', 'sk-proj-1234567890'],
  ['a key of another installation', gatewayKeys.newKey()],
])('%s calls no model', async (_, key) => {
  await expect(clientOf(key ?? 'none').chat.completions.create({ model: 'small', messages })).rejects.toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  });
});

test('calls with a key that does not work are in the audit log, once a minute for each sender', async () => {
  const { key, prefix, id } = await ada.client.call('keys.create', { body: {} });
  await ada.client.call('keys.revoke', { params: { id } });
  for (const refused of [key, key, gatewayKeys.newKey(), 'sk-proj-1234567890'])
    await expect(clientOf(refused).chat.completions.create({ model: 'small', messages })).rejects.toMatchObject({
      status: 401,
    });
  const { items } = await app.admin.client.call('audit.list', { query: { action: 'refused' } });
  const refusals = items.filter(({ detail }) => detail['code'] === 'invalid_api_key');
  expect(refusals.map(({ actor }) => actor.name).toSorted()).toEqual(['anonymous', `key:${prefix}`]);
  expect(JSON.stringify(refusals)).not.toContain('sk-proj');
});

test('while the database is paused, calls get 503, and nothing reaches the upstream; after it everything is settled', async () => {
  const { key, id } = await ada.client.call('keys.create', { body: { max_budget: '1' } });
  await clientOf(key).chat.completions.create({ model: 'small', messages });
  const before = upstream.mock.getRequests().length;
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const paused = app.db.transaction(async (tx) => {
    await tx.run(sql`lock table account in access exclusive mode`);
    lock();
    await resumed;
  });
  await locked;
  const calls = Array.from(
    { length: 5 },
    async () => await clientOf(key).chat.completions.create({ model: 'small', messages }),
  );
  for (const call of calls) await expect(call).rejects.toMatchObject({ status: 503, code: 'ledger_unavailable' });
  expect(upstream.mock.getRequests().length).toBe(before);
  resume();
  await paused;
  await clientOf(key).chat.completions.create({ model: 'small', messages });
  await expect.poll(async () => await spentBy(id)).toEqual({ spent: 18_000, held: 0 });
});

test('a request beyond every bound is refused, and fails no other request of its batch', async () => {
  const { key } = await ada.client.call('keys.create', { body: {} });
  const ask = async (more: object) =>
    await clientOf(key)
      .chat.completions.create({ model: 'small', messages, ...more })
      .then(
        () => 'answered',
        (error: unknown) => (error instanceof OpenAI.APIError ? error.code : error),
      );
  const calls = Array.from(
    { length: 10 },
    async (_, n) => await ask(n % 2 === 0 ? {} : { n: 128, max_tokens: 100_000_000 }),
  );
  expect(await Promise.all(calls)).toEqual(
    Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? 'answered' : 'not_priceable')),
  );
});
