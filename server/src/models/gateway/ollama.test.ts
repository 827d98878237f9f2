// Calls in Ollama's format, by its clients in Python and by hand, through the real service under a budget.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { callWithPythonClients } from '../../testing/models/model-clients.ts';
import { modelUpstream, type ModelUpstream } from '../../testing/models/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let upstream: ModelUpstream;
let app: TestApp;
let ada: TestUser;
let key: string;

const question = 'What is the capital of France?';
const answer = 'The capital of France is Paris.';
const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };

beforeAll(async () => {
  upstream = await modelUpstream();
  upstream.mock.prependFixture({
    match: { predicate: ({ messages }) => JSON.stringify(messages).includes('My address is [EMAIL_1]') },
    response: { content: 'Dear [EMAIL_1], the card 4111 1111 1111 1111 is not yours.', usage },
    chunkSize: 7,
  });
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const { base_url } = upstream;
  const price_usd_per_million = { input: '1', output: '2' };
  for (const [name, config] of Object.entries({
    llama: { provider: 'ollama', model: 'llama3.2', base_url, price_usd_per_million },
    nomic: { provider: 'ollama', model: 'nomic-embed-text', base_url, price_usd_per_million: { input: '1' } },
    small: { provider: 'test', model: 'gpt-4o-mini', base_url, price_usd_per_million },
  }))
    await ada.client.call('registry.create', { params: { kind: 'model' }, body: { name, team: 'ml', config } });
  key = (await ada.client.call('keys.create', { body: { max_budget: '1000' } })).key ?? '';
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});
beforeEach(() => upstream.mock.clearRequests());

const messages = [{ role: 'user', content: question }];

async function send(path: string, body: object, credential = key) {
  const answered = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
    body: JSON.stringify(body),
  });
  return { status: answered.status, text: await answered.text() };
}

const whole = { plain: answer, streamed: answer, tool: '{"city": "Paris"}' };

test('the clients of Ollama in Python are answered whole, in a stream, and with a call of a tool', async () => {
  expect(await callWithPythonClients('ollama', { base_url: app.url, key })).toEqual({
    ollama: {
      ...whole,
      generated: answer,
      'generated as a stream': answer,
      vectors: 2,
      models: ['llama', 'nomic'],
      shown: ['completion'],
      refusal: [403, true],
    },
    'langchain-ollama': whole,
    'langchain-ollama vectors': { plain: true },
  });
  // Five calls of the one client and three of the other, whose counts of the stand-in are zero; and two tokens of input by each.
  const paid = async () =>
    await app.db.all<{ nano: number; estimated: boolean }>(sql`select nano, estimated from ledger order by nano`);
  const charged = [0, 0, 0, 0, 0, 0, 0, 0, 2000, 2000].map((nano) => ({ nano, estimated: false }));
  await expect.poll(paid).toEqual(charged);
}, 300_000);

test('a stream in lines is charged by the counts of its last line, wherever it is cut', async () => {
  const lines = [
    { message: { role: 'assistant', content: 'Zürich' }, done: false },
    {
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 7,
      eval_count: 3,
    },
  ];
  const bytes = Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
  upstream.mock.mount('/counting', {
    handleRequest: async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      for (const byte of bytes) response.write(Buffer.from([byte]));
      response.end();
      return await Promise.resolve(true);
    },
  });
  const base_url = upstream.base_url.replace(/v1$/, 'counting/v1');
  const config = {
    provider: 'ollama',
    model: 'counting',
    base_url,
    price_usd_per_million: { input: '1', output: '2' },
  };
  await ada.client.call('registry.create', {
    params: { kind: 'model' },
    body: { name: 'counting', team: 'ml', config },
  });
  const { text } = await send('/api/chat', { model: 'counting', messages });
  expect(text).toBe(bytes.toString());
  await expect
    .poll(async () => await app.db.all(sql`select nano from ledger where model = 'counting'`))
    .toEqual([{ nano: 13_000 }]);
});

test('a model of Ollama serves both formats, and another model only its own', async () => {
  const chat = await send('/v1/chat/completions', { model: 'llama', messages });
  const native = await send('/api/chat', { model: 'llama', messages, stream: false });
  expect([chat.status, native.status]).toEqual([200, 200]);
  const crossed = await send('/api/chat', { model: 'small', messages });
  expect([crossed.status, JSON.parse(crossed.text)]).toMatchObject([
    400,
    { error: expect.stringContaining('format of openai') },
  ]);
});

test.each([true, false])('guardrails hide and restore a value, stream: %s', async (stream) => {
  const { id, key: guarded = '' } = await ada.client.call('keys.create', { body: { max_budget: '10' } });
  const settings = JSON.stringify({ guardrails: [{ name: 'pii_detection' }] });
  await app.governed(sql`update gateway_key set settings = ${settings}::jsonb where id = ${id} returning id`);
  const said = [{ role: 'user', content: 'My address is ann@example.com.' }];
  const { text } = await send('/api/chat', { model: 'llama', messages: said, stream }, guarded);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { message: { content: string }; done: boolean });
  expect(lines.map(({ message }) => message.content).join('')).toBe(
    'Dear ann@example.com, the card [CARD_1] is not yours.',
  );
  expect(lines.at(-1)?.done).toBe(true);
  expect(JSON.stringify(upstream.mock.getRequests().map(({ body }) => body))).not.toContain('ann@example.com');
});

test('a template, an unknown option and a context of tokens have no bound or no reader', async () => {
  const ok = await send('/api/generate', { model: 'llama', prompt: question, options: { num_predict: -1, seed: 1 } });
  expect(ok.status).toBe(200);
  for (const more of [{ template: '{{ .Prompt }}' }, { options: { warp: 9 } }]) {
    const { status, text } = await send('/api/generate', { model: 'llama', prompt: question, ...more });
    expect([status, text]).toEqual([400, expect.stringContaining('not_priceable')]);
  }
  const elsewhere = await send('/api/chat', { model: 'llama', messages, base_url: 'http://elsewhere.example' });
  expect(elsewhere.status).toBe(400);
});
