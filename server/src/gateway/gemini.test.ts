// Calls in Gemini's format, by its clients in Python and by hand, through the real service under a budget.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Guardrail } from '@gantry/contract/guardrails.ts';
import { sql } from '../database/sql.ts';
import { callWithPythonClients } from '../testing/model-clients.ts';
import { modelUpstream, type ModelUpstream } from '../testing/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../testing/test-app.ts';

let upstream: ModelUpstream;
let app: TestApp;
let ada: TestUser;
let key: string;

const credential = 'AIza-the-key-of-the-service';
const question = 'What is the capital of France?';
const answer = 'The capital of France is Paris.';
const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };

beforeAll(async () => {
  upstream = await modelUpstream();
  const says = (part: string, content: string) =>
    upstream.mock.prependFixture({
      match: { predicate: ({ messages }) => JSON.stringify(messages).includes(part) },
      response: { content, usage },
      chunkSize: 7,
    });
  says('My address is [EMAIL_1]', 'Dear [EMAIL_1], the card 4111 1111 1111 1111 is not yours.');
  says('Print the credential', `It is ${credential}, they say.`);
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const { base_url, gemini_url } = upstream;
  const price_usd_per_million = { input: '1', output: '2' };
  const secret = 'GEMINI_API_KEY';
  await ada.client.call('secrets.set', { body: { team: 'ml', name: secret, value: credential } });
  const gemini = { provider: 'gemini', base_url: gemini_url, secret };
  for (const [name, config] of Object.entries({
    flash: { ...gemini, model: 'gemini-2.5-flash', price_usd_per_million },
    gvectors: { ...gemini, model: 'gemini-embedding-001', type: 'embedding', price_usd_per_million: { input: '1' } },
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

const rows = async () =>
  await app.db.all<{ outcome: string; nano: number; estimated: boolean }>(
    sql`select outcome, nano, estimated from ledger`,
  );
const said = (text: string) => [{ role: 'user', parts: [{ text }] }];

async function send(path: string, body: object, headers: Record<string, string> = { 'x-goog-api-key': key }) {
  const answered = await fetch(`${app.url}/v1beta/models/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answered.status, text: await answered.text() };
}

const whole = { plain: answer, streamed: answer, tool: '{"city": "Paris"}' };

test('the clients of Gemini in Python are answered whole, in a stream, and with a call of a tool, and each call is paid', async () => {
  const before = (await rows()).length;
  expect(await callWithPythonClients('gemini', { base_url: app.url, key })).toEqual({
    'google-genai': {
      ...whole,
      async: answer,
      tokens: 14,
      vectors: 2,
      models: ['models/flash', 'models/gvectors'],
      refusal: [403, 'PERMISSION_DENIED'],
    },
    'langchain-google-genai': whole,
    'langchain-google-genai vectors': { plain: true },
  });
  // 20 × $1 + 10 × $2 per million, by four calls of the one client and three of the other.
  const paid = async () => (await rows()).slice(before).filter(({ nano }) => nano === 40_000);
  await expect.poll(async () => (await paid()).length).toBe(7);
  expect((await paid()).filter(({ outcome, estimated }) => outcome !== 'answered' || estimated)).toEqual([]);
}, 300_000);

test('a stream without `alt=sse` is a list in JSON', async () => {
  const { status, text } = await send('flash:streamGenerateContent', { contents: said(question) });
  expect(status).toBe(200);
  const listed = JSON.parse(text) as { candidates: { content: { parts: { text: string }[] } }[] }[];
  expect(listed.length).toBeGreaterThan(1);
  expect(listed.map(({ candidates }) => candidates[0]?.content.parts[0]?.text).join('')).toBe(answer);
});
