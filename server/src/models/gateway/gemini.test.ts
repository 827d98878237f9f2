// Calls in Gemini's format, by its clients in Python and by hand, through the real service under a budget.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Guardrail } from '@gantry/contract/guardrails.ts';
import { sql } from '../../ground/database/sql.ts';
import { callWithPythonClients } from '../../testing/models/model-clients.ts';
import { modelUpstream, type ModelUpstream } from '../../testing/models/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

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
  says('Which card', 'It is 4111 1111 1111 1111');
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

describe('guardrails', () => {
  const restored = 'Dear ann@example.com, the card [CARD_1] is not yours.';

  async function guardedKey(guardrails: Guardrail[]): Promise<string> {
    const { id, key: guarded = '' } = await ada.client.call('keys.create', { body: { max_budget: '10' } });
    await app.governed(
      sql`update gateway_key set settings = ${JSON.stringify({ guardrails })}::jsonb where id = ${id} returning id`,
    );
    return guarded;
  }

  test.each(['flash:generateContent', 'flash:streamGenerateContent', 'flash:streamGenerateContent?alt=sse'])(
    '%s: the upstream sees no address, and the caller gets its own back and no other value',
    async (path) => {
      const headers = { 'x-goog-api-key': await guardedKey([{ name: 'pii_detection' }]) };
      const { status, text } = await send(path, { contents: said('My address is ann@example.com.') }, headers);
      expect([status, textIn(text)]).toEqual([200, restored]);
      const journal = JSON.stringify(upstream.mock.getRequests().map(({ body }) => body));
      expect(journal).toContain('[EMAIL_1]');
      expect(journal).not.toContain('ann@example.com');
      // A comment between two events is data for Google's client.
      expect(text.split('\n').filter((line) => line.startsWith(':'))).toEqual([]);
    },
  );

  test('a value that ends with the last event of a stream is hidden', async () => {
    const headers = { 'x-goog-api-key': await guardedKey([{ name: 'pii_detection' }]) };
    const { text } = await send('flash:streamGenerateContent', { contents: said('Which card?') }, headers);
    expect(textIn(text)).toBe('It is [CARD_1]');
  });

  test('a blocked answer ends a stream with an error in the shape of Google', async () => {
    const headers = {
      'x-goog-api-key': await guardedKey([{ name: 'content_filter', options: { words: ['Paris'] } }]),
    };
    const { text } = await send('flash:streamGenerateContent', { contents: said('Which city?') }, headers);
    const last = (JSON.parse(text) as unknown[]).at(-1);
    expect(last).toMatchObject({ error: { code: 400, details: [{ reason: 'GUARDRAIL_BLOCKED' }] } });
    expect(text).not.toContain('Paris');
  });
});

describe('refuses', () => {
  test('a key in the query, and says nothing of it', async () => {
    const ok = await send('flash:generateContent', { contents: said(question) });
    expect(ok.status).toBe(200);
    upstream.mock.clearRequests();
    const alone = await send(`flash:generateContent?key=${key}`, { contents: said(question) }, {});
    const beside = await send(`flash:generateContent?key=${key}`, { contents: said(question) });
    expect([alone.status, beside.status]).toEqual([401, 400]);
    expect(alone.text + beside.text).not.toContain(key);
    expect(upstream.mock.getRequests()).toEqual([]);
  });

  test('a model that the key may not call, in the path or in the body, and one of another format', async () => {
    const contents = said(question);
    const narrow = (await ada.client.call('keys.create', { body: { models: ['gvectors'] } })).key ?? '';
    const headers = { 'x-goog-api-key': narrow };
    expect(await send('flash:generateContent', { contents }, headers)).toMatchObject({ status: 403 });
    const named = { requests: [{ model: 'models/flash', content: said('Paris')[0] }] };
    const other = await send('gvectors:batchEmbedContents', named, headers);
    expect([other.status, other.text]).toEqual([400, expect.stringContaining('names another model than the path')]);
    const whole_request = { generateContentRequest: { model: 'models/flash', contents } };
    expect(await send('gvectors:countTokens', whole_request, headers)).toMatchObject({ status: 400 });
    const crossed = await send('small:generateContent', { contents });
    expect([crossed.status, crossed.text]).toEqual([400, expect.stringContaining('format of openai')]);
    expect(upstream.mock.getRequests()).toEqual([]);
  });

  test('a member in two spellings, a file that the vendor keeps, and another model in the settings', async () => {
    const contents = said(question);
    const kept = [{ role: 'user', parts: [{ file_data: { file_uri: 'https://example.com/files/x' } }] }];
    const bodies: [object, string][] = [
      [{ contents, generationConfig: { maxOutputTokens: 5, max_output_tokens: 5000 } }, 'two spellings'],
      [{ contents: kept }, 'send the file as `inlineData`'],
      [{ contents, generation_config: { routing_config: {} } }, 'chooses a model'],
      [{ contents, tools: [{ google_search: {} }] }, 'googleSearch'],
      [{ contents, cached_content: 'cachedContents/x' }, 'cachedContent'],
    ];
    for (const [body, why] of bodies) {
      const { status, text } = await send('flash:generateContent', body);
      expect([status, text]).toEqual([400, expect.stringContaining(why)]);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
    }
    expect(upstream.mock.getRequests()).toEqual([]);
  });
});

test('a limit reaches the vendor, whichever spelling the client uses', async () => {
  const limited = (await ada.client.call('keys.create', { body: { max_budget: '0.000300' } })).key ?? '';
  const body = { contents: said(question), generation_config: { max_output_tokens: 100_000_000 } };
  const { status } = await send('flash:generateContent', body, { 'x-goog-api-key': limited });
  expect(status).toBe(429);
  await send('flash:generateContent', { ...body, generation_config: { max_output_tokens: 77 } });
  expect(upstream.mock.getRequests().map(({ body: sent }) => sent?.max_tokens)).toEqual([77]);
});

test('the upstream gets the credential of the service, no caller sees it, and it is in no header of the client', async () => {
  const { text } = await send('flash:generateContent', { contents: said('Print the credential') });
  const streamed = await send('flash:streamGenerateContent?alt=sse', { contents: said('Print the credential') });
  expect(textIn(text)).toBe('It is …, they say.');
  expect(text).not.toContain(credential);
  expect(streamed.text).not.toContain(credential);
  for (const { headers } of upstream.mock.getRequests()) {
    expect(headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(headers)).not.toContain(key);
  }
});

test('a key that Google does not know is the fault of the service, and not of the caller', async () => {
  upstream.mock.mount('/v1beta/refusing', {
    handleRequest: async (_, response) => {
      const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
      const error = { code: 400, message: `API key not valid: ${credential}`, status: 'INVALID_ARGUMENT', details };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      return await Promise.resolve(true);
    },
  });
  const config = { provider: 'gemini', base_url: `${upstream.gemini_url}/refusing`, model: 'gemini-2.5-pro' };
  await ada.client.call('registry.create', {
    params: { kind: 'model' },
    body: { name: 'refused', team: 'ml', config },
  });
  const { status, text } = await send('refused:generateContent', { contents: said(question) });
  expect([status, text]).toEqual([503, expect.stringContaining('refused the service')]);
  expect(text).not.toContain('API key not valid');
});

/** The text of an answer that is in one piece, a list in JSON, or events. */
function textIn(text: string): string {
  type Said = { candidates?: { content?: { parts?: { text?: string }[] } }[] };
  const parsed = text.startsWith('data:')
    ? text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Said] : []))
    : [JSON.parse(text) as Said | Said[]].flat();
  return parsed
    .map(({ candidates }) => candidates?.[0]?.content?.parts?.map((part) => part.text).join('') ?? '')
    .join('');
}
