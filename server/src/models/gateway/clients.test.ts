// The vendors' own clients, in Node and in Python, and the frameworks of agents, through the real service under a budget. The upstream's
// journal says what really reached it.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { callWithPythonClients } from '../../testing/models/model-clients.ts';
import { modelUpstream, type ModelUpstream } from '../../testing/models/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let upstream: ModelUpstream;
let app: TestApp;
let ada: TestUser;
let key: string;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  upstream = await modelUpstream();
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const { base_url } = upstream;
  const price_usd_per_million = { input: '1', output: '2' };
  for (const [name, config] of Object.entries({
    small: { provider: 'test', model: 'gpt-4o-mini', base_url, price_usd_per_million },
    claude: { provider: 'anthropic', model: 'claude-haiku-4-5', base_url, price_usd_per_million },
    vectors: { provider: 'test', model: 'text-embedding-3-small', base_url, price_usd_per_million: { input: '1' } },
  }))
    await ada.client.call('registry.create', { params: { kind: 'model' }, body: { name, team: 'ml', config } });
  key = (await ada.client.call('keys.create', { body: { max_budget: '1000' } })).key ?? '';
  openai = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: key, baseURL: app.url, maxRetries: 0 });
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});
beforeEach(() => upstream.mock.clearRequests());

const question = 'What is the capital of France?';
const answer = 'The capital of France is Paris.';
const messages = [{ role: 'user' as const, content: question }];
const parameters = { type: 'object', properties: { city: { type: 'string' } } } as const;
const weather = { name: 'weather', description: 'The weather of a city', parameters };
const max_tokens = 1000;
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Calls {
  plain: () => Promise<string | null | undefined>;
  streamed: () => Promise<string>;
  /** The name of the called tool, and its arguments. */
  tool: () => Promise<unknown>;
  /** With an image, and an answer in a form. */
  image: () => Promise<string | null | undefined>;
}

const clients: Record<string, Calls> = {
  'chat/completions': {
    plain: async () => (await openai.chat.completions.create({ model: 'small', messages })).choices[0]?.message.content,
    streamed: async () => {
      let text = '';
      const stream = await openai.chat.completions.create({ model: 'small', messages, stream: true });
      for await (const { choices } of stream) {
        // A client that has not asked for usage never sees an event without a choice.
        expect(choices).toHaveLength(1);
        text += choices[0]?.delta.content ?? '';
      }
      return text;
    },
    tool: async () => {
      const tools = [{ type: 'function' as const, function: weather }];
      const { choices } = await openai.chat.completions.create({ model: 'small', messages, tools });
      const [call] = choices[0]?.message.tool_calls ?? [];
      return call?.type === 'function' ? [call.function.name, call.function.arguments] : call;
    },
    image: async () => {
      const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${pixel}` } };
      const { choices } = await openai.chat.completions.create({
        model: 'small',
        messages: [{ role: 'user', content: [{ type: 'text', text: question }, image] }],
        response_format: { type: 'json_schema', json_schema: { name: 'city', schema: parameters } },
      });
      return choices[0]?.message.content;
    },
  },
  responses: {
    plain: async () => (await openai.responses.create({ model: 'small', input: question })).output_text,
    streamed: async () => {
      let text = '';
      const stream = await openai.responses.create({ model: 'small', input: question, stream: true });
      for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
      return text;
    },
    tool: async () => {
      const tools = [{ type: 'function' as const, strict: false, ...weather }];
      const { output } = await openai.responses.create({ model: 'small', input: question, tools });
      return output.flatMap((item) => (item.type === 'function_call' ? [item.name, item.arguments] : []));
    },
    image: async () => {
      const image = {
        type: 'input_image' as const,
        detail: 'auto' as const,
        image_url: 'https://example.com/city.png',
      };
      const { output_text } = await openai.responses.create({
        model: 'small',
        input: [{ role: 'user', content: [{ type: 'input_text', text: question }, image] }],
        text: { format: { type: 'json_schema', name: 'city', schema: parameters } },
      });
      return output_text;
    },
  },
  messages: {
    plain: async () => textOf(await anthropic.messages.create({ model: 'claude', max_tokens, messages })),
    streamed: async () => await anthropic.messages.stream({ model: 'claude', max_tokens, messages }).finalText(),
    tool: async () => {
      const tools = [{ name: 'weather', input_schema: parameters }];
      const { content } = await anthropic.messages.create({ model: 'claude', max_tokens, messages, tools });
      return content.flatMap((block) => (block.type === 'tool_use' ? [block.name, JSON.stringify(block.input)] : []));
    },
    image: async () => {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: pixel };
      return textOf(
        await anthropic.messages.create({
          model: 'claude',
          max_tokens,
          messages: [
            {
              role: 'user',
              content: [
                { type: 'image', source },
                { type: 'text', text: question },
              ],
            },
          ],
          output_config: { format: { type: 'json_schema', schema: parameters } },
        }),
      );
    },
  },
};

const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const rows = async () =>
  await app.db.all<{ outcome: string; nano: number; estimated: boolean }>(
    sql`select outcome, nano, estimated from ledger`,
  );

describe.each(Object.entries(clients))("%s, through the vendor's client", (_, { plain, streamed, tool, image }) => {
  test('answers whole, in a stream, with a call of a tool, and about an image', async () => {
    const before = (await rows()).length;
    expect(await plain()).toBe(answer);
    expect(await streamed()).toBe(answer);
    expect(await tool()).toEqual(['weather', '{"city":"Paris"}']);
    expect(await image()).toBe(answer);
    expect(upstream.mock.getRequests()).toHaveLength(4);
    // 20 × $1 + 10 × $2 per million.
    const charged = { outcome: 'answered', nano: 40_000, estimated: false };
    await expect.poll(async () => (await rows()).slice(before)).toEqual([charged, charged, charged, charged]);
  });
});

test('vectors cost their input, and nothing for an output', async () => {
  const before = (await rows()).length;
  const { data } = await openai.embeddings.create({ model: 'vectors', input: ['Paris', 'Rome'] });
  expect(data.map(({ embedding }) => embedding.length > 0)).toEqual([true, true]);
  await expect
    .poll(async () => (await rows()).slice(before))
    .toMatchObject([{ outcome: 'answered', estimated: false }]);
});

test('a count of tokens costs nothing, and counts as a request', async () => {
  const one = await ada.client.call('keys.create', { body: { max_budget: '1', limits: { requests_per_minute: 2 } } });
  const client = new Anthropic({ authToken: one.key ?? '', apiKey: null, baseURL: app.url, maxRetries: 0 });
  const before = (await rows()).length;
  expect(await client.messages.countTokens({ model: 'claude', messages })).toEqual({ input_tokens: 14 });
  expect(await client.messages.countTokens({ model: 'claude', messages })).toEqual({ input_tokens: 14 });
  await expect(client.messages.countTokens({ model: 'claude', messages })).rejects.toMatchObject({ status: 429 });
  const free = { outcome: 'answered', nano: 0, estimated: false };
  await expect.poll(async () => (await rows()).slice(before)).toEqual([free, free]);
});

test('both clients list the models that the key may call, and a revoked key lists none', async () => {
  const body = { models: ['cl*', 'small'] };
  const { id, key: narrow = '' } = await ada.client.call('keys.create', { body });
  const theirs = new Anthropic({ apiKey: narrow, baseURL: app.url, maxRetries: 0 });
  const ours = new OpenAI({ apiKey: narrow, baseURL: `${app.url}/v1`, maxRetries: 0 });
  expect((await ours.models.list()).data).toMatchObject([
    { id: 'claude', object: 'model', owned_by: 'anthropic' },
    { id: 'small', object: 'model', owned_by: 'test' },
  ]);
  const paged: unknown[] = [];
  for await (const one of theirs.models.list({ limit: 1 })) paged.push([one.type, one.id, one.display_name]);
  expect(paged).toEqual([
    ['model', 'claude', 'claude'],
    ['model', 'small', 'small'],
  ]);
  expect(await ours.models.retrieve('small')).toMatchObject({ id: 'small' });
  await expect(ours.models.retrieve('vectors')).rejects.toMatchObject({ status: 404 });
  await ada.client.call('keys.revoke', { params: { id } });
  await expect(ours.models.list()).rejects.toMatchObject({
    status: 401,
    message: expect.stringContaining('revoked') as string,
  });
  await expect(theirs.models.retrieve('small')).rejects.toMatchObject({ status: 401 });
});

test("Anthropic's version and beta features are passed on, and no other header of the client", async () => {
  const betas = ['context-management-2025-06-27'];
  const options = {
    headers: { 'anthropic-version': '2024-01-02', 'x-forwarded-for': '203.0.113.7', 'x-secret': 'no' },
  };
  await anthropic.beta.messages.create({ model: 'claude', max_tokens, messages, betas }, options);
  const { headers } = upstream.mock.getRequests()[0] ?? { headers: {} };
  expect(headers).toMatchObject({ 'anthropic-version': '2024-01-02', 'anthropic-beta': betas[0] });
  expect(
    Object.keys(headers).filter((name) => name === 'x-api-key' || /forwarded|secret|stainless/.test(name)),
  ).toEqual([]);
});

test('both clients show the reason of a refusal', async () => {
  const ours = await openai.chat.completions.create({ model: 'other', messages }).catch((error: unknown) => error);
  expect(ours).toMatchObject({
    status: 403,
    code: 'model_not_allowed',
    message: expect.stringContaining('may not call "other"') as string,
  });
  const wrong = {
    model: 'claude',
    max_tokens,
    messages,
    tools: 'none',
  } as unknown as Anthropic.MessageCreateParamsNonStreaming;
  const theirs = await anthropic.messages.create(wrong).catch((error: unknown) => error);
  expect(theirs).toMatchObject({ status: 400, message: expect.stringContaining('/tools') as string });
  // A call of a format that the model does not speak.
  const crossed = await anthropic.messages
    .create({ model: 'small', max_tokens, messages })
    .catch((error: unknown) => error);
  expect(crossed).toMatchObject({ status: 400, message: expect.stringContaining('format of openai') as string });
  expect(upstream.mock.getRequests()).toEqual([]);
});

const whole = { plain: answer, streamed: answer, tool: '{"city": "Paris"}' };

test.each([
  {
    group: 'newest' as const,
    answers: {
      'openai chat': { ...whole, tool: '{"city":"Paris"}' },
      'openai responses': { ...whole, tool: '{"city":"Paris"}' },
      anthropic: whole,
      'langchain-openai': whole,
      'langchain-openai responses': whole,
      'langchain-anthropic': whole,
      'langchain embeddings': { plain: true },
    },
  },
  { group: 'crewai' as const, answers: { 'openai/gpt-4o-mini': whole, 'anthropic/claude-haiku-4-5': whole } },
])(
  'Python clients, $group: each is answered whole, in a stream, and with a call of a tool',
  async ({ group, answers }) => {
    const before = (await rows()).length;
    expect(await callWithPythonClients(group, { base_url: app.url, key })).toEqual(answers);
    const reached = upstream.mock.getRequests().length;
    await expect.poll(async () => (await rows()).length - before).toBe(reached);
    expect((await rows()).filter(({ outcome, estimated }) => outcome !== 'answered' || estimated)).toEqual([]);
  },
  300_000,
);

test('answers say what is left of the limits per minute, whole and streamed, and Anthropic’s client reads the id of its request', async () => {
  const limits = { requests_per_minute: 3, tokens_per_minute: 100_000 };
  const limited = (await ada.client.call('keys.create', { body: { limits } })).key ?? '';
  const asked = { model: 'small', max_tokens: 100, messages };
  const chat = openai.withOptions({ apiKey: limited }).chat.completions;
  const left = ({ headers }: Response) =>
    ['limit', 'remaining', 'reset'].flatMap((of) =>
      ['requests', 'tokens'].map((what) => headers.get(`x-ratelimit-${of}-${what}`)),
    );
  const seconds = expect.stringMatching(/^[1-9]\d?s$/) as string;
  const tokens = expect.stringMatching(/^99\d{3}$/) as string;
  const whole = await chat.create(asked).withResponse();
  expect(left(whole.response)).toEqual(['3', '100000', '2', tokens, seconds, seconds]);
  const streamed = await chat.create({ ...asked, stream: true }).withResponse();
  expect(left(streamed.response)).toEqual(['3', '100000', '1', tokens, seconds, seconds]);
  for await (const _ of streamed.data);
  const claude = anthropic.withOptions({ apiKey: limited }).messages;
  const { response, request_id } = await claude.create({ ...asked, model: 'claude' }).withResponse();
  expect(left(response).slice(0, 3)).toEqual(['3', '100000', '0']);
  expect(request_id).toBe(response.headers.get('x-request-id'));
  const refused = claude.create({ ...asked, model: 'claude' });
  await expect(refused).rejects.toMatchObject({
    status: 429,
    requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  });
  const { headers } = (await refused.catch((error: unknown) => error)) as InstanceType<typeof Anthropic.APIError>;
  expect(left({ headers } as Response).slice(0, 4)).toEqual(['3', '100000', '0', tokens]);
  await expect(openai.files.list()).rejects.toMatchObject({ status: 404, code: 'not_found', type: 'not_found_error' });
  const unlimited = await openai.chat.completions.create(asked).withResponse();
  expect(left(unlimited.response)).toEqual([null, null, null, null, null, null]);
});
