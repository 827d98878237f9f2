// Streams that end early, at either side, through the real service. The upstream's journal says what it really sent.
import Anthropic from '@anthropic-ai/sdk';
import type { Mountable } from '@copilotkit/aimock';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { modelUpstream, type ModelUpstream } from '../../testing/models/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let upstream: ModelUpstream;
let app: TestApp;
let ada: TestUser;
/** A new key for each test. */
let key: { id: string; key?: string | undefined };

beforeAll(async () => {
  upstream = await modelUpstream();
  const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
  const content = 'word '.repeat(40);
  const response = { content, usage };
  upstream.mock.prependFixture({
    match: { userMessage: 'break' },
    response,
    chunkSize: 5,
    truncateAfterChunks: 9,
    latency: 10,
  });
  upstream.mock.prependFixture({ match: { userMessage: 'slow' }, response, chunkSize: 5, latency: 10 });
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const common = { base_url: upstream.base_url, price_usd_per_million: { input: '1', output: '2' } };
  const leaky = `${upstream.base_url}/leaky`;
  upstream.mock.mount('/v1/leaky', { handleRequest: leak });
  for (const [name, config] of Object.entries({
    small: { provider: 'test', model: 'gpt-4o-mini', ...common },
    claude: { provider: 'anthropic', model: 'claude-haiku-4-5', ...common },
    'leaky-small': { provider: 'test', model: 'leaky-1', ...common, base_url: leaky },
    'leaky-claude': { provider: 'anthropic', model: 'leaky-2', ...common, base_url: leaky },
  }))
    await ada.client.call('registry.create', { params: { kind: 'model' }, body: { name, team: 'ml', config } });
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});
beforeEach(async () => {
  upstream.mock.clearRequests();
  key = await ada.client.call('keys.create', { body: { max_budget: '1000' } });
});

/** An upstream that prints its key in a stream. */
const leak: Mountable['handleRequest'] = async (_, response) => {
  const message = 'Incorrect API key provided: sk-abcdef*****wxyz.';
  const error = JSON.stringify({ type: 'error', error: { type: 'api_error', message }, message });
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`event: error\ndata: ${error}\n\n`);
  return await Promise.resolve(true);
};

const rows = async () =>
  await app.db.all<{ outcome: string; nano: number; estimated: boolean }>(
    sql`select outcome, nano, estimated from ledger where key_id = ${key.id}`,
  );
const openai = () => new OpenAI({ apiKey: key.key ?? '', baseURL: `${app.url}/v1`, maxRetries: 0 });
const anthropic = () => new Anthropic({ apiKey: key.key ?? '', baseURL: app.url, maxRetries: 0 });

const formats = {
  'chat/completions': {
    open: async (content: string, signal?: AbortSignal) =>
      await openai().chat.completions.create(
        { model: 'small', messages: [{ role: 'user', content }], stream: true },
        { signal },
      ),
    body: (content: string) => ({ model: 'small', messages: [{ role: 'user', content }], stream: true }),
  },
  responses: {
    open: async (content: string, signal?: AbortSignal) =>
      await openai().responses.create({ model: 'small', input: content, stream: true }, { signal }),
    body: (content: string) => ({ model: 'small', input: content, stream: true }),
  },
  messages: {
    open: async (content: string, signal?: AbortSignal) =>
      await anthropic().messages.create(
        { model: 'claude', max_tokens: 100, messages: [{ role: 'user', content }], stream: true },
        { signal },
      ),
    body: (content: string) => ({
      model: 'claude',
      max_tokens: 100,
      messages: [{ role: 'user', content }],
      stream: true,
    }),
  },
};

describe.each(Object.entries(formats))('%s', (path, { open, body }) => {
  test("a stream that breaks off ends with an error that the vendor's client shows, and pays its hold", async () => {
    const read: unknown[] = [];
    const failed = (async () => {
      for await (const event of await open('break')) read.push(event);
    })();
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('its answer broke off') as string });
    expect(read.length).toBeGreaterThan(0);
    expect(upstream.mock.getRequests()).toMatchObject([{ response: { interrupted: true } }]);
    await expect.poll(rows).toMatchObject([{ outcome: 'failed', estimated: true }]);
    expect((await rows())[0]?.nano).toBeGreaterThan(40_000);
    expect(await app.db.all(sql`select id from hold`)).toEqual([]);
  });

  test('a stream that breaks off sends whole events only', async () => {
    const answered = await fetch(`${app.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body('break')),
    });
    const sent = await answered.text();
    expect(sent.endsWith('\n\n')).toBe(true);
    const data = sent.split('\n').filter((line) => line.startsWith('data:'));
    expect(data.length).toBeGreaterThan(3);
    for (const line of data) expect(() => JSON.parse(line.slice(5)) as unknown).not.toThrow();
  });

  test('an upstream that prints its key in a stream prints it to nobody', async () => {
    const sent = body('hello');
    const answered = await fetch(`${app.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...sent, model: `leaky-${sent.model}` }),
    });
    const shown = await answered.text();
    expect(shown).toContain('Incorrect API key');
    expect(shown).not.toMatch(/sk-|wxyz/);
  });

  test('a client that leaves pays an estimate at a provider that then stops, and else what the upstream says', async () => {
    const leaving = new AbortController();
    for await (const _ of await open('slow', leaving.signal)) break;
    leaving.abort();
    if (path === 'messages') {
      await expect.poll(rows, { timeout: 10_000 }).toMatchObject([{ outcome: 'failed', estimated: true }]);
      // At least the 20 tokens of the input, and less than the hold, which has 100 tokens of output.
      const { nano = 0 } = (await rows())[0] ?? {};
      const bytes = JSON.stringify(body('slow')).length;
      expect(nano).toBeGreaterThan(40_000);
      expect(nano).toBeLessThan((bytes + 700) * 1000 + 99 * 2000);
      return;
    }
    // 20 × $1 + 10 × $2 per million.
    await expect.poll(rows, { timeout: 10_000 }).toEqual([{ outcome: 'answered', nano: 40_000, estimated: false }]);
    const [sent] = upstream.mock.getRequests();
    expect(sent?.response).toMatchObject({ status: 200 });
    expect(sent?.response.interrupted).not.toBe(true);
  });
});
