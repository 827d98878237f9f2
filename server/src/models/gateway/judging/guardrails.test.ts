// Guardrails of an agent's key at the gateway: the vendors' clients on one side, the upstream's journal on the other.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Guardrail } from '@gantry/contract/guardrails.ts';
import { sql } from '../../../ground/database/sql.ts';
import { modelUpstream, type ModelUpstream } from '../../../testing/models/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let upstream: ModelUpstream;
let app: TestApp;
let ada: TestUser;

const card = '4111 1111 1111 1111';
const answer = `Dear [EMAIL_1], the card ${card} is not yours.`;
const restored = 'Dear ann@example.com, the card [CARD_1] is not yours.';
const question = 'My address is ann@example.com.';
const messages = [{ role: 'user' as const, content: question }];
const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };

beforeAll(async () => {
  upstream = await modelUpstream();
  const says = (part: string, content: string) =>
    upstream.mock.prependFixture({
      match: { predicate: ({ messages: said }) => JSON.stringify(said).includes(part) },
      response: { content, usage },
    });
  says('My address is [EMAIL_1]', answer);
  says('Score the content', JSON.stringify({ scores: [{ violence: 0.9 }] }));
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const { base_url } = upstream;
  const price_usd_per_million = { input: '1', output: '2' };
  for (const [name, config] of Object.entries({
    small: { provider: 'test', model: 'gpt-4o-mini', base_url, price_usd_per_million },
    judge: { provider: 'test', model: 'gpt-4o', base_url, price_usd_per_million },
    claude: { provider: 'anthropic', model: 'claude-haiku-4-5', base_url, price_usd_per_million },
    thinker: { provider: 'openai', model: 'gpt-5-mini', base_url, price_usd_per_million },
    vectors: { provider: 'test', model: 'text-embedding-3-small', base_url, price_usd_per_million: { input: '1' } },
  }))
    await ada.client.call('registry.create', { params: { kind: 'model' }, body: { name, team: 'ml', config } });
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});
beforeEach(() => upstream.mock.clearRequests());

const journal = () => JSON.stringify(upstream.mock.getRequests().map(({ body }) => body));

async function clients(guardrails: Guardrail[], more: object = {}) {
  const { id, key = '' } = await ada.client.call('keys.create', { body: { max_budget: '10', ...more } });
  await app.governed(
    sql`update gateway_key set settings = ${JSON.stringify({ guardrails })}::jsonb where id = ${id} returning id`,
  );
  return {
    id,
    openai: new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 }),
    anthropic: new Anthropic({ apiKey: key, baseURL: app.url, maxRetries: 0 }),
  };
}

type Clients = Awaited<ReturnType<typeof clients>>;

const calls: Record<string, (client: Clients) => Promise<string>> = {
  'chat/completions': async ({ openai }) =>
    (await openai.chat.completions.create({ model: 'small', messages })).choices[0]?.message.content ?? '',
  'chat/completions as a stream': async ({ openai }) => {
    let text = '';
    const stream = await openai.chat.completions.create({ model: 'small', messages, stream: true });
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    return text;
  },
  responses: async ({ openai }) => (await openai.responses.create({ model: 'small', input: question })).output_text,
  'responses as a stream': async ({ openai }) => {
    const stream = openai.responses.stream({ model: 'small', input: question });
    let text = '';
    for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
    expect((await stream.finalResponse()).output_text).toBe(text);
    return text;
  },
  messages: async ({ anthropic }) => {
    const { content } = await anthropic.messages.create({ model: 'claude', max_tokens: 100, messages });
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  },
  'messages as a stream': async ({ anthropic }) =>
    await anthropic.messages.stream({ model: 'claude', max_tokens: 100, messages }).finalText(),
};

test.each(Object.entries(calls))(
  '%s: the upstream sees no address, and the caller gets its own back and no other value',
  async (_, call) => {
    expect(await call(await clients([{ name: 'pii_detection' }]))).toBe(restored);
    expect(journal()).toContain('[EMAIL_1]');
    expect(journal()).not.toContain('ann@example.com');
  },
);

test('a blocked request reaches no upstream, costs nothing and says which guardrail it was', async () => {
  const client = await clients([{ name: 'content_filter', options: { words: ['my address'] } }]);
  const call = client.openai.chat.completions.create({ model: 'small', messages });
  await expect(call).rejects.toMatchObject({
    status: 400,
    code: 'guardrail_blocked',
    message: expect.stringContaining('content_filter blocked the request to the model'),
  });
  expect(upstream.mock.getRequests()).toEqual([]);
  await app.db.one(sql`select 1`);
  await expect
    .poll(async () => await app.db.all(sql`select nano from ledger where key_id = ${client.id} and nano > 0`))
    .toEqual([]);
});

test('an answer is blocked in one piece, and in a stream after what was released', async () => {
  const client = await clients([
    { name: 'content_filter', options: { words: ['not yours'] } },
    { name: 'pii_detection' },
  ]);
  await expect(client.openai.chat.completions.create({ model: 'small', messages })).rejects.toMatchObject({
    status: 400,
    code: 'guardrail_blocked',
  });
  let text = '';
  const streamed = async () => {
    const stream = await client.openai.chat.completions.create({ model: 'small', messages, stream: true });
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
  };
  await expect(streamed()).rejects.toMatchObject({ code: 'guardrail_blocked' });
  expect(text).not.toContain('not yours');
});

test('a stream says at its end what ran; an answer says it in a header', async () => {
  const { openai } = await clients([{ name: 'pii_detection' }]);
  const whole = await openai.chat.completions.create({ model: 'small', messages }).asResponse();
  expect(whole.headers.get('x-guardrails')).toBe('pii_detection;redacted=2');
  const stream = await openai.chat.completions.create({ model: 'small', messages, stream: true }).asResponse();
  expect(await stream.text()).toContain(': x-guardrails: pii_detection;redacted=2\n\ndata: [DONE]');
});

test('an embedding of text is checked, and one of tokens is blocked because nobody can read it', async () => {
  const { openai } = await clients([{ name: 'pii_detection' }]);
  await openai.embeddings.create({ model: 'vectors', input: ['ann@example.com'] });
  expect(journal()).toContain('[EMAIL_1]');
  await expect(openai.embeddings.create({ model: 'vectors', input: [[1, 2, 3]] })).rejects.toMatchObject({
    code: 'guardrail_blocked',
  });
});

test('a judge is paid by the judged call, sees no hidden value, and need not be a model of the key', async () => {
  const options = { model: 'judge', categories: { violence: 0.5 } };
  const client = await clients([{ name: 'pii_detection' }, { name: 'content_filter', options }], { models: ['small'] });
  await expect(client.openai.chat.completions.create({ model: 'small', messages })).rejects.toMatchObject({
    code: 'guardrail_blocked',
    message: expect.stringContaining('violence'),
  });
  expect(journal()).toContain('Score the content');
  expect(journal()).not.toContain('ann@example.com');
  await expect
    .poll(
      async () => await app.db.all(sql`select model, tags, nano from ledger where key_id = ${client.id} and nano > 0`),
    )
    .toMatchObject([{ model: 'judge', tags: expect.arrayContaining(['guardrail:content_filter']), nano: 40_000 }]);
});

test('a judge that is away blocks, or passes where its agent says so', async () => {
  const check = (on_failure: 'block' | 'pass'): Guardrail => ({
    name: 'content_filter',
    options: { model: 'nobody', categories: { violence: 0.5 }, on_failure },
  });
  const strict = await clients([check('block')]);
  await expect(strict.openai.chat.completions.create({ model: 'small', messages })).rejects.toMatchObject({
    code: 'guardrail_blocked',
    message: expect.stringContaining('there is no models/nobody'),
  });
  const { openai } = await clients([check('pass')]);
  const reply = await openai.chat.completions.create({ model: 'small', messages }).asResponse();
  expect([reply.status, reply.headers.get('x-guardrails')]).toEqual([200, 'content_filter;failed=2']);
});

test('a judge that thinks has tokens to think, and little to think about', async () => {
  const options = { model: 'thinker', categories: { violence: 0.5 } };
  const { openai } = await clients([{ name: 'content_filter', options }]);
  const calling = openai.chat.completions.create({ model: 'small', messages });
  await expect(calling).rejects.toMatchObject({ code: 'guardrail_blocked' });
  expect(upstream.mock.getRequests()[0]?.body).toMatchObject({
    model: 'gpt-5-mini',
    max_completion_tokens: 4096,
    reasoning_effort: 'minimal',
  });
});

test('the check of a request ends when its client leaves: the hold is given back, and the upstream is not called', async () => {
  const { id, openai } = await clients([{ name: 'pii_detection' }], { max_budget: '100' });
  const holds = async () => await app.db.all(sql`select id from hold where call ->> 'key_id' = ${id}`);
  const leaving = new AbortController();
  // Its whole check takes many times as long as the test waits.
  const content = 'The invoice of 12 May, a@b.co. '.repeat(400_000);
  const body = { model: 'small', messages: [{ role: 'user' as const, content }] };
  const calling = openai.chat.completions.create(body, { signal: leaving.signal });
  await expect.poll(holds, { timeout: 10_000 }).toHaveLength(1);
  leaving.abort();
  await expect(calling).rejects.toThrow('aborted');
  await expect.poll(holds).toEqual([]);
  expect(upstream.mock.getRequests()).toEqual([]);
});
