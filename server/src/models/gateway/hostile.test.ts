// Requests from those who mean harm: other addresses, other credentials, and bodies that cost much time.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../ground/database/sql.ts';
import { parseJson } from '../../governance/http/request/body.ts';
import { modelUpstream, type ModelUpstream } from '../../testing/models/model-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { chatCompletions } from './wires/chat-completions.ts';
import { messages } from './wires/messages.ts';
import { responses } from './wires/responses.ts';
import { isJson, type Json } from './wires/wire.ts';

let upstream: ModelUpstream;
let app: TestApp;
let ada: TestUser;

beforeAll(async () => {
  upstream = await modelUpstream();
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const common = { base_url: upstream.base_url, price_usd_per_million: { input: '1', output: '2' } };
  for (const [name, provider] of [
    ['small', 'test'],
    ['claude', 'anthropic'],
  ] as const)
    await ada.client.call('registry.create', {
      params: { kind: 'model' },
      body: { name, team: 'ml', config: { provider, model: `${name}-1`, ...common } },
    });
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});
beforeEach(() => upstream.mock.clearRequests());

const said = (content: unknown) => [{ role: 'user', content }];
const bodies = {
  'chat/completions': (content: unknown) => ({ model: 'small', messages: said(content) }),
  responses: (content: unknown) => ({ model: 'small', input: said(content) }),
  messages: (content: unknown) => ({ model: 'claude', max_tokens: 100, messages: said(content) }),
};
type Path = keyof typeof bodies;

async function send(path: Path | 'embeddings', body: string, limits: Record<string, number> = {}) {
  const { key = '' } = await ada.client.call('keys.create', { body: { max_budget: '1000', limits } });
  const answered = await fetch(`${app.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body,
  });
  return { status: answered.status, text: await answered.text() };
}

describe.each(Object.keys(bodies) as Path[])('%s', (path) => {
  const imageAt = (url: string) => ({
    'chat/completions': [
      { type: 'text', text: 'hello' },
      { type: 'image_url', image_url: { url } },
    ],
    responses: [
      { type: 'input_text', text: 'hello' },
      { type: 'input_image', image_url: url },
    ],
    messages: [
      { type: 'text', text: 'hello' },
      { type: 'image', source: { type: 'url', url } },
    ],
  });

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1/x.png',
    'http://[::ffff:10.0.0.1]/x.png',
    'http://2130706433/x.png',
    'http://0x7f.1/x.png',
    'file:///etc/passwd',
    'gopher://example.com/x',
    'https://user:password@example.com/x.png',
  ])('no model is asked to read %s', async (url) => {
    const ok = await send(path, JSON.stringify(bodies[path](imageAt('https://example.com/x.png')[path])));
    expect(ok).toMatchObject({ status: 200 });
    upstream.mock.clearRequests();
    const { status, text } = await send(path, JSON.stringify(bodies[path](imageAt(url)[path])));
    expect([status, text]).toEqual([400, expect.stringContaining('The model may not read')]);
    expect(upstream.mock.getRequests()).toEqual([]);
  });

  test.each([
    ['no JSON', '{"model":'],
    ['a list', '[]'],
    ['a text', '"hello"'],
    ['nothing', 'null'],
    ['many members', JSON.stringify(Object.fromEntries(Array.from({ length: 201 }, (__, index) => [`m${index}`, 1])))],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['100 KB of brackets', '['.repeat(100_000)],
  ])('%s is refused in the shape of the vendors', async (_, body) => {
    const { status, text } = await send(path, body);
    expect({ status, said: JSON.parse(text) as unknown }).toMatchObject({
      status: 400,
      said: { type: 'error', error: { type: 'invalid_request_error', message: expect.any(String) as string } },
    });
  });
});

test('a number counts as long as the upstream gets it', async () => {
  const count = 1000;
  const asked = { ...bodies['chat/completions']('hello'), stop: '@' };
  const body = JSON.stringify(asked).replace('"@"', `[${'1e20,'.repeat(count)}0]`);
  const { text } = await send('chat/completions', body, { tokens_per_minute: 1 });
  const tokens = Number(/can use (\d+) tokens/.exec(text)?.[1]);
  // A token is expected for three bytes, and an answer of the usual length.
  expect((tokens - 4096) * 3).toBeGreaterThan(count * '100000000000000000000,'.length);
  expect(await app.db.all(sql`select id from hold`)).toEqual([]);
});

test('a limit of tokens per minute counts what a call is expected to use', async () => {
  const body = JSON.stringify({ ...bodies['chat/completions']('hello'), max_tokens: 20 });
  expect(await send('chat/completions', body, { tokens_per_minute: 70 })).toMatchObject({ status: 200 });
  expect(await send('chat/completions', body, { tokens_per_minute: 20 })).toMatchObject({ status: 429 });
});

test('each input of vectors fills a context of its own', async () => {
  const { base_url } = upstream;
  const price_usd_per_million = { input: '1' };
  const config = { provider: 'test', model: 'vectors-1', base_url, price_usd_per_million, context_window_tokens: 50 };
  await ada.client.call('registry.create', {
    params: { kind: 'model' },
    body: { name: 'vectors', team: 'ml', config },
  });
  const input = Array.from({ length: 40 }, () => 'word '.repeat(30));
  const { text } = await send('embeddings', JSON.stringify({ model: 'vectors', input }), { tokens_per_minute: 1 });
  expect(/can use (\d+) tokens/.exec(text)?.[1]).toBe('2000');
});

const shapes: Record<string, (bytes: number) => Json> = {
  'one long text': (bytes) => bodies['chat/completions']('a'.repeat(bytes)),
  quotes: (bytes) => bodies['chat/completions']('"'.repeat(bytes / 2)),
  'names with lines below': (bytes) => ({ ...bodies['chat/completions']('x'), ['_'.repeat(bytes)]: 1 }),
  'a name that nearly is a credential': (bytes) => ({
    ...bodies['chat/completions']('x'),
    ['api_key_'.repeat(bytes / 8)]: 1,
  }),
  'many members': (bytes) => ({
    ...bodies['chat/completions']('x'),
    ...Object.fromEntries(Array.from({ length: bytes / 10 }, (_, index) => [`m${index}`, 1])),
  }),
  'many parts': (bytes) =>
    bodies['chat/completions'](Array.from({ length: bytes / 20 }, () => ({ type: 'text', text: '' }))),
  'many images': (bytes) =>
    bodies.responses(Array.from({ length: bytes / 30 }, () => ({ type: 'input_image', image_url: 'x' }))),
  'many messages': (bytes) => ({
    ...bodies.messages('x'),
    messages: Array.from({ length: bytes / 30 }, () => ({ role: 'user', content: '' })),
  }),
  'results in results': (bytes) => {
    let block: Json = { type: 'text', text: 'a'.repeat(bytes) };
    for (let depth = 0; depth < 25; depth++) block = { type: 'tool_result', content: [block] };
    return bodies.messages([block]);
  },
};

test.each(Object.entries(shapes))('a body of eight times the size takes no more than its share: %s', (_, shape) => {
  const timeOf = (bytes: number) => {
    const body = Buffer.from(JSON.stringify(shape(bytes)));
    const wire = { small: chatCompletions, claude: messages }[String(shape(8)['model'])] ?? chatCompletions;
    const started = process.cpuUsage();
    const sent = parseJson(body);
    if (!isJson(sent)) throw new Error('the shape is an object');
    for (const one of 'input' in sent ? [responses] : [wire])
      try {
        one.read(sent, JSON.stringify(sent));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    // Other work on the machine takes none of this process' processor time.
    return process.cpuUsage(started).user / 1000;
  };
  const leastOf = (bytes: number) => Math.min(...Array.from({ length: 7 }, () => timeOf(bytes)));
  leastOf(100_000);
  // A quadratic step takes 64 times as long. A tenth of a second is the noise of the collector; a quadratic step would take seconds.
  expect(leastOf(800_000)).toBeLessThan(8 * 3 * leastOf(100_000) + 100);
});
