// Upstreams that fail, through the real service. The upstreams' journal says what really reached them.
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import {
  answer,
  faultyUpstream,
  hangs,
  refuses,
  resets,
  well,
  type Behaviour,
  type FaultyUpstream,
} from '../../../testing/models/faulty-upstream.ts';
import { freePort } from '../../../testing/servers/free-port.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let upstreams: FaultyUpstream;
let nobody: string;
let app: TestApp;
let ada: TestUser;
let made = 0;

// 20 × $0.15 + 10 × $0.60 per million.
const cost_nano = 9000;
const price_usd_per_million = { input: '0.15', output: '0.60' };

beforeAll(async () => {
  upstreams = await faultyUpstream();
  nobody = `127.0.0.1:${await freePort()}`;
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstreams.host, nobody] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
});
afterAll(async () => {
  await app?.stop();
  await upstreams?.stop();
});

/** Under a name of its own, with its upstreams under names that begin with it. */
async function model(config: Record<string, unknown> = {}, behaviours: Behaviour[] = [well]): Promise<string> {
  const name = `model-${++made}`;
  const listed = behaviours.map((how, n) => {
    upstreams.behave(`${name}-${n}`, how);
    return { base_url: upstreams.at(`${name}-${n}`), priority: n + 1 };
  });
  const whole = { provider: 'test', model: `served-${name}`, upstreams: listed, price_usd_per_million, ...config };
  await ada.client.call('registry.create', { params: { kind: 'model' }, body: { name, team: 'ml', config: whole } });
  return name;
}

const keyFor = async (models: string[], more: object = { max_budget: '1' }) =>
  await ada.client.call('keys.create', { body: { models, ...more } });
const clientOf = ({ key = '' }: { key?: string | undefined }) =>
  new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'What is the capital of France?' }];
const ask = async (key: { key?: string | undefined }, name: string) =>
  await clientOf(key).chat.completions.create({ model: name, messages });
const journalOf = (name: string) =>
  upstreams.journal
    .filter(({ upstream }) => upstream.startsWith(`${name}-`))
    .map(({ upstream }) => upstream.slice(name.length + 1));
const rowsOf = async (key_id: string) => {
  await expect
    .poll(async () => await app.db.all(sql`select 1 from hold where call ->> 'key_id' = ${key_id}`))
    .toEqual([]);
  return await app.db.all<{ attempt: number; model: string; outcome: string; nano: number; estimated: boolean }>(
    sql`select attempt, model, outcome, nano, estimated from ledger where key_id = ${key_id} order by hold_id`,
  );
};

const page =
  (status: number): Behaviour =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<p>Bad gateway</p>');

// `free`: the vendor bills nothing for it.
test.each<[string, Behaviour, 'free' | 'charged', Record<string, unknown>?]>([
  ['status 408', refuses(408), 'free'],
  ['status 409', refuses(409), 'free'],
  ['status 429', refuses(429), 'free'],
  ['status 500', refuses(500), 'free'],
  ['status 503', refuses(503), 'free'],
  ['the page of a proxy', page(502), 'charged'],
  ['no answer', hangs, 'charged', { timeouts: { first_byte_seconds: 1 } }],
  ['a lost connection', resets, 'charged'],
])(
  'after %s, the next upstream answers, and each attempt has its own row in the ledger',
  async (_, how, cost, config) => {
    const name = await model(config, [how, well]);
    const key = await keyFor([name]);
    expect((await ask(key, name)).choices[0]?.message.content).toBe('Paris.');
    expect(journalOf(name)).toEqual(['0', '1']);
    const [first, second, ...others] = await rowsOf(key.id);
    expect(others).toEqual([]);
    expect(second).toEqual({ attempt: 2, model: name, outcome: 'answered', nano: cost_nano, estimated: false });
    if (cost === 'free') expect(first).toMatchObject({ attempt: 1, outcome: 'refused', nano: 0, estimated: false });
    else expect(first).toMatchObject({ attempt: 1, outcome: 'failed', estimated: true });
    if (cost === 'charged') expect(first?.nano).toBeGreaterThan(cost_nano);
  },
);

test('an upstream without a listener costs nothing, and the next one answers', async () => {
  const name = await model({
    upstreams: [{ base_url: `http://${nobody}` }, { base_url: upstreams.at('spare'), priority: 2 }],
  });
  const key = await keyFor([name]);
  await ask(key, name);
  expect(await rowsOf(key.id)).toMatchObject([{ outcome: 'refused', nano: 0 }, { outcome: 'answered' }]);
});

test.each([
  ['status 400', refuses(400, 'too long'), 400, 'model_refused'],
  ['status 404', refuses(404), 404, 'model_refused'],
  ['a refused credential', refuses(401, 'Incorrect API key provided: sk-proj-12345678'), 503, 'model_unavailable'],
  ['a redirect', refuses(302, '', { location: 'http://127.0.0.1:1/' }), 503, 'model_unavailable'],
])('%s is final: no other upstream is called, and it costs nothing', async (_, how, status, code) => {
  const name = await model({}, [how, well]);
  const key = await keyFor([name]);
  await expect(ask(key, name)).rejects.toMatchObject({ status, code });
  expect(journalOf(name)).toEqual(['0']);
  expect(await rowsOf(key.id)).toMatchObject([{ outcome: 'refused', nano: 0 }]);
});

const told = { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded', param: 'messages' };
const says =
  (status: number, error: object, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ error }));

test('a client gets the status, type, code and parameter of a refusal, and the name of the provider', async () => {
  const name = await model({}, [says(413, told)]);
  const error = await ask(await keyFor([name]), name).catch((refusal: unknown) => refusal);
  const { status, type, code, param, error: body } = error as InstanceType<typeof OpenAI.APIError>;
  const { message: _, ...same } = told;
  expect({ status, type, code, param }).toEqual({ status: 413, ...same });
  expect(body).toMatchObject({ provider: 'test', upstream_status: 413 });
});

test('a model rests with 429 after its 429, and not after 408 or 409', async () => {
  const full = await model({}, [refuses(429, 'slowly', { 'retry-after': '60' })]);
  const key = await keyFor([full]);
  for (const _ of [1, 2])
    await expect(ask(key, full)).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  expect(journalOf(full)).toEqual(['0']);
  for (const status of [408, 409]) {
    const name = await model({}, [refuses(status, 'again', { 'retry-after': '60' })]);
    const its = await keyFor([name]);
    for (const _ of [1, 2]) await expect(ask(its, name)).rejects.toMatchObject({ status });
    expect(journalOf(name)).toEqual(['0', '0']);
  }
});

test('the attempts of one call have one call id, and another call has another', async () => {
  const name = await model({}, [refuses(500), well]);
  const key = await keyFor([name]);
  for (let n = 0; n < 2; n++) await ask(key, name);
  await rowsOf(key.id);
  const calls = await app.db.all<{ attempts: number }>(
    sql`select count(*)::int as attempts from ledger where key_id = ${key.id} group by call_id`,
  );
  expect(calls).toEqual([{ attempts: 2 }, { attempts: 2 }]);
});

test('when no upstream answers, the fallback does, under a hold of its own', async () => {
  const spare = await model();
  const name = await model({ fallbacks: [spare] }, [refuses(500), refuses(429)]);
  const key = await keyFor([name, spare]);
  await ask(key, name);
  expect([journalOf(name), journalOf(spare)]).toEqual([['0', '1'], ['0']]);
  expect(await rowsOf(key.id)).toMatchObject([
    { attempt: 1, model: name },
    { attempt: 2, model: name, nano: 0 },
    { attempt: 3, model: spare, outcome: 'answered', nano: cost_nano },
  ]);
});

test('a fallback that the key may not call is never called (I13)', async () => {
  const spare = await model();
  const name = await model({ fallbacks: [spare] }, [refuses(500)]);
  const key = await keyFor([name]);
  await expect(ask(key, name)).rejects.toMatchObject({
    code: 'model_unavailable',
    message: expect.stringMatching(new RegExp(`No other model was called: .*may not call "models/${spare}"`)) as string,
  });
  expect(journalOf(spare)).toEqual([]);
});

test('a fallback in another format is never called', async () => {
  const other = await model({ provider: 'anthropic' });
  const name = await model({ fallbacks: [other] }, [refuses(500)]);
  await expect(ask(await keyFor([name, other]), name)).rejects.toMatchObject({
    message: expect.stringContaining(`models/${other} is called in the format of anthropic`) as string,
  });
  expect(journalOf(other)).toEqual([]);
});

test('an alias leads to the model only with a key for the model itself', async () => {
  const name = await model({ aliases: ['Vendor/Large@1'] });
  await ask(await keyFor([name]), 'Vendor/Large@1');
  await expect(ask(await keyFor([await model()]), 'Vendor/Large@1')).rejects.toMatchObject({
    code: 'model_not_allowed',
  });
  expect(journalOf(name)).toEqual(['0']);
});

test('an upstream is left alone for the time of its Retry-After', async () => {
  const name = await model({}, [refuses(429, 'slowly', { 'retry-after': '60' }), well]);
  const key = await keyFor([name]);
  await ask(key, name);
  await ask(key, name);
  expect(journalOf(name)).toEqual(['0', '1', '1']);
});

test('after five failures an upstream is paused: the next call is refused at once, with the time to wait', async () => {
  const name = await model({}, [refuses(500)]);
  const key = await keyFor([name]);
  for (let n = 0; n < 5; n++) await expect(ask(key, name)).rejects.toMatchObject({ status: 503 });
  const refusal: unknown = await ask(key, name).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ status: 503, code: 'model_unavailable' });
  expect(Number((refusal as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after'))).toBeGreaterThan(0);
  expect(journalOf(name)).toHaveLength(5);
});

test('while an upstream is paused, the next one is called at once', async () => {
  const name = await model({}, [refuses(500), well]);
  const key = await keyFor([name]);
  for (let n = 0; n < 7; n++) await ask(key, name);
  expect(journalOf(name).toSorted().join('')).toBe('000001111111');
});

test('weights and priorities share the calls', async () => {
  const name = await model({
    upstreams: [
      { base_url: upstreams.at('heavy'), weight: 9 },
      { base_url: upstreams.at('light') },
      { base_url: upstreams.at('unused'), priority: 2 },
    ],
  });
  const key = await keyFor([name]);
  await Promise.all(Array.from({ length: 60 }, async () => await ask(key, name)));
  const count = (one: string) => upstreams.journal.filter(({ upstream }) => upstream === one).length;
  expect(count('heavy') + count('light')).toBe(60);
  expect(count('heavy')).toBeGreaterThan(40);
  expect(count('unused')).toBe(0);
});

test.each<[string, Record<string, unknown>, number]>([
  ['the context window', { context_window_tokens: 5000 }, 5000 * 150 + 10 * 600],
  ['the tokens of an image', { image_max_tokens: 1000 }, (1000 + 2000) * 150 + 10 * 600],
])('a call holds no more input than %s', async (_, config, most_nano) => {
  const name = await model(config, [page(500)]);
  const key = await keyFor([name]);
  const content = [{ type: 'image_url' as const, image_url: { url: `data:image/png;base64,${'A'.repeat(100_000)}` } }];
  const asked = { model: name, messages: [{ role: 'user' as const, content }], max_completion_tokens: 10 };
  await expect(clientOf(key).chat.completions.create(asked)).rejects.toMatchObject({ status: 503 });
  const [row] = await rowsOf(key.id);
  expect(row?.nano).toBeGreaterThan(cost_nano);
  expect(row?.nano).toBeLessThanOrEqual(most_nano);
});

const cut: Behaviour = (response) => {
  const choices = [{ ...answer.choices[0], finish_reason: 'length' }];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...answer, choices }));
};
const published = { provider: 'openai', model: 'gpt-4o' };

test.each<[string, Record<string, unknown>, object, number, string | null]>([
  ['of the table', published, {}, 16_384, null],
  ['of its config', { max_output_tokens: 9000 }, {}, 9000, null],
  ['of nobody', {}, {}, 4096, '4096;by=unknown_model'],
  ['of the request', published, { max_completion_tokens: 20_000 }, 20_000, null],
  ['that a quarter of the budget pays for', { ...published, daily_usd: '0.02' }, {}, 8000, '8___;by=budget'],
])(
  'under a budget the longest answer is the one %s, and an answer cut by us says so',
  async (_, given, asked, tokens, says) => {
    const { daily_usd = '50', ...config } = given;
    const name = await model(config, [cut]);
    const key = await keyFor([name], { limits: { daily_usd } });
    const body = { model: name, messages, ...asked };
    const { response } = await clientOf(key).chat.completions.create(body).withResponse();
    const sent = upstreams.journal.findLast(({ upstream }) => upstream === `${name}-0`)?.sent as Record<string, number>;
    const limit = sent['max_completion_tokens'] ?? sent['max_tokens'] ?? 0;
    expect(Math.abs(limit - tokens)).toBeLessThan(500);
    expect(response.headers.get('x-output-limit')?.replace(/^8\d{3}/, '8___') ?? null).toBe(says);
  },
);

const pdf = {
  type: 'file' as const,
  file: { file_data: `data:application/pdf;base64,${'A'.repeat(500_000)}`, filename: 'a.pdf' },
};

test.each<[string, Record<string, unknown>, number | undefined]>([
  ['the published context', published, 128_000 * 150],
  ['the cap of its config', { file_max_tokens: 20_000 }, 21_000 * 150],
  ['nothing', {}, undefined],
])('a file holds %s', async (_, config, most_nano) => {
  const name = await model(config, [hangs]);
  const key = await keyFor([name]);
  const calling = clientOf(key).chat.completions.create({
    model: name,
    messages: [{ role: 'user' as const, content: [pdf] }],
    max_completion_tokens: 10,
  });
  if (most_nano === undefined) {
    await expect(calling).rejects.toMatchObject({ status: 400, code: 'not_priceable' });
    return;
  }
  calling.catch(() => {}); // the stage ends it
  const held = async () =>
    (await app.db.one<{ nano: number }>(sql`select nano from hold where call ->> 'key_id' = ${key.id}`))?.nano;
  await expect.poll(held).toBeLessThanOrEqual(most_nano + 10 * 600);
  expect(await held()).toBeGreaterThan(most_nano * 0.95);
});

test('Azure gets its own header, its version and the path of the deployment', async () => {
  const base_url = `${upstreams.at('azure')}/openai/deployments/gpt-4o`;
  const name = await model({ provider: 'azure', upstreams: [{ base_url, api_version: '2024-10-21' }] });
  await ask(await keyFor([name]), name);
  expect(upstreams.journal.at(-1)).toMatchObject({
    path: '/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21',
  });
});

const event = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const begins: Behaviour = (response) =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event('Pa'));

test('a client that leaves closes the stream at a provider that then stops, and pays less than the hold', async () => {
  let isClosed = false;
  const goesOn: Behaviour = (response, request) => {
    begins(response, request);
    response.once('close', () => (isClosed = true));
  };
  const name = await model(published, [goesOn]);
  const key = await keyFor([name]);
  for await (const _ of await clientOf(key).chat.completions.create({ model: name, messages, stream: true })) break;
  await expect.poll(() => isClosed).toBe(true);
  const [row, ...others] = await rowsOf(key.id);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ outcome: 'failed', estimated: true });
  // Two bytes of an answer and what was on its way, and the input at its highest.
  expect(row?.nano).toBeGreaterThan(66 * 600);
  expect(row?.nano).toBeLessThan(66 * 600 + 1000 * 150);
});

test('a stream that pauses too long after its first byte ends with an error, is charged in full, and is not repeated', async () => {
  const name = await model({ timeouts: { idle_seconds: 1 } }, [begins, well]);
  const key = await keyFor([name]);
  const stream = await clientOf(key).chat.completions.create({ model: name, messages, stream: true });
  const read = async () => {
    for await (const _ of stream);
  };
  await expect(read()).rejects.toThrow(/its answer paused for 1 s/);
  expect(journalOf(name)).toEqual(['0']);
  expect(await rowsOf(key.id)).toMatchObject([{ outcome: 'failed', estimated: true }]);
});

test('headers without a body are no answer: another upstream is called', async () => {
  const silent: Behaviour = (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  const name = await model({ timeouts: { first_byte_seconds: 1 } }, [silent, well]);
  await ask(await keyFor([name]), name);
  expect(journalOf(name)).toEqual(['0', '1']);
});

test('an answer without end is left at the limit of its size, and a slow one at the end of its time (T68)', async () => {
  const endless: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const block = Buffer.alloc(1024 * 1024, ' ');
    const more = () => {
      while (!response.destroyed && response.write(block));
    };
    response.on('drain', more);
    more();
  };
  const slow: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  };
  const large = await model({}, [endless]);
  const key = await keyFor([large]);
  await expect(ask(key, large)).rejects.toMatchObject({ message: expect.stringContaining('exceeds') as string });
  const late = await model({ timeouts: { total_seconds: 1 } }, [slow]);
  const other = await keyFor([late]);
  await expect(ask(other, late)).rejects.toMatchObject({
    message: expect.stringContaining('not complete within 1 s') as string,
  });
  for (const { id } of [key, other]) expect(await rowsOf(id)).toMatchObject([{ outcome: 'failed', estimated: true }]);
});

test.each([
  'http://127.0.0.1:1/v1',
  'http://[::1]:1/v1',
  'http://169.254.169.254/v1',
  'http://2130706433/v1',
  'http://localhost/v1',
])('no call goes to %s, which no operator has listed (T66)', async (base_url) => {
  const name = await model({ upstreams: [{ base_url }] });
  const key = await keyFor([name]);
  await expect(ask(key, name)).rejects.toMatchObject({
    code: 'model_unavailable',
    message: expect.stringContaining('an address of this machine or of a private network') as string,
  });
  expect(await rowsOf(key.id)).toMatchObject([{ outcome: 'refused', nano: 0 }]);
});

test.each([
  ['the whole one', (sent: string) => `You sent ${sent}`],
  ['parts of one', () => 'Incorrect API key provided: sk-proj-abcd1234****wxyz'],
])("an upstream's error that shows the credential arrives without it: %s (T118)", async (_, said) => {
  await ada.client.call('secrets.set', { body: { team: 'ml', name: 'SHOWN', value: 'abcd1234-secret-wxyz' } });
  const echoes: Behaviour = (response, request) =>
    refuses(400, `${said(request.headers.authorization ?? '')}. Find yours at the dashboard.`)(response, request);
  const name = await model();
  upstreams.behave(name, echoes);
  await ada.client.call('registry.edit', {
    params: { kind: 'model', name },
    body: { version: '2.0.0', config: { provider: 'test', model: 'x', base_url: upstreams.at(name), secret: 'SHOWN' } },
  });
  const failed: unknown = await ask(await keyFor([name], {}), name).catch((error: unknown) => error);
  expect(upstreams.journal.at(-1)?.credential).toBe('Bearer abcd1234-secret-wxyz');
  expect(failed).toMatchObject({ message: expect.stringContaining('Find yours') as string });
  expect(String(failed)).not.toMatch(/abcd1234|wxyz/);
});

test.each<[string, number, (credential: string) => string[]]>([
  ['a refusal in text', 400, (shown) => [JSON.stringify({ error: { message: `no: ${shown} No more.` } })]],
  ['an answer with an error in text', 200, (shown) => [JSON.stringify({ error: `no: ${shown} No more.` })]],
  ['a stream with an error in text', 200, (shown) => [`data: {"error":"no: ${shown}"}\n\ndata: No more.\n\n`]],
  ['a stream with it in a text', 200, (shown) => [`data: {"text":"${shown}"}\n\ndata: No more.\n\n`]],
  [
    'a stream whose parts cut it',
    200,
    (shown) => [`data: {"text":"${shown.slice(0, 12)}`, `${shown.slice(12)}"}\n\n`, 'data: No more.'],
  ],
])('nothing that an upstream says shows the credential that it got: %s (T118)', async (kind, status, parts) => {
  const secret = 'wxyz5678"hidden"wxyz';
  await ada.client.call('secrets.set', { body: { team: 'ml', name: 'ECHOED', value: secret } });
  const isStream = kind.startsWith('a stream');
  const echoes: Behaviour = (response, request) => {
    const told = request.headers.authorization ?? '';
    expect(told).toBe(`Bearer ${secret}`);
    response.writeHead(status, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    const [first = '', ...rest] = parts(isStream ? JSON.stringify(told).slice(1, -1) : told);
    response.write(first);
    setTimeout(() => response.end(rest.join('')), 50);
  };
  const name = await model();
  upstreams.behave(name, echoes);
  await ada.client.call('registry.edit', {
    params: { kind: 'model', name },
    body: {
      version: '2.0.0',
      config: { provider: 'test', model: 'x', base_url: upstreams.at(name), secret: 'ECHOED' },
    },
  });
  const { key } = await keyFor([name], {});
  const answered = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: name, messages, stream: isStream }),
  });
  const text = await answered.text();
  expect(text).toContain('No more.');
  expect(text).not.toMatch(/wxyz|hidden/);
});

test('whatever upstreams do, the journal costs at most the ledger, the ledger at most the limit, and nothing stays held (I5, I13)', async () => {
  const [spare, other] = [await model(), await model()];
  // A vendor bills for each of these, even where its answer is lost.
  const billing = new Set([well, refuses(500), resets]);
  const faults = [...billing, well, well, refuses(429), refuses(400)];
  let turn = 0;
  let billed_nano = 0;
  const varied: Behaviour = (...call) => {
    turn = (turn * 5 + 3) % 997;
    const how = faults[turn % faults.length] ?? well;
    if (billing.has(how)) billed_nano += cost_nano;
    how(...call);
  };
  const name = await model({ fallbacks: [other, spare] }, [varied, varied]);
  upstreams.behave(`${spare}-0`, varied);
  const key = await keyFor([name, spare], { limits: { daily_usd: '0.005' } });
  const before = upstreams.journal.length;
  const calls = Array.from({ length: 80 }, async (_, n) => {
    const asked = { model: n % 2 === 0 ? name : spare, messages, max_completion_tokens: 10 };
    return await clientOf(key).chat.completions.create(asked);
  });
  const codes = (await Promise.allSettled(calls)).map((one) =>
    one.status === 'fulfilled' ? 'answered' : (one.reason as { code: string }).code,
  );
  const rows = await rowsOf(key.id);
  const charged_nano = rows.reduce((sum, { nano }) => sum + nano, 0);
  const journal = upstreams.journal.slice(before);
  expect(new Set(codes).size).toBeGreaterThan(2);
  expect(journal.length).toBeGreaterThan(30);
  expect(billed_nano).toBeGreaterThan(0);
  expect(billed_nano).toBeLessThanOrEqual(charged_nano);
  expect(charged_nano).toBeLessThanOrEqual(5_000_000);
  expect(new Set(journal.map(({ model: asked }) => asked))).toEqual(new Set([`served-${name}`, `served-${spare}`]));
});

test('an agent’s calls have the fallback, the temperature and the longest answer of its agent.yaml', async () => {
  const first = await model({}, [refuses(500)]);
  const second = await model();
  const key = await keyFor([first, second], {});
  const settings = JSON.stringify({ fallback: second, temperature: 0.25, max_tokens: 50 });
  await app.governed(sql`update gateway_key set settings = ${settings}::jsonb where id = ${key.id} returning id`);
  await clientOf(key).chat.completions.create({ model: first, messages });
  await clientOf(key).chat.completions.create({ model: second, messages, temperature: 1, max_completion_tokens: 7 });
  expect([journalOf(first), journalOf(second)]).toEqual([['0'], ['0', '0']]);
  const sent = upstreams.journal.filter(({ upstream }) => upstream.startsWith(`${second}-`)).map((one) => one.sent);
  expect(sent).toMatchObject([
    { temperature: 0.25, max_tokens: 50 },
    { temperature: 1, max_tokens: 7 },
  ]);
});
