// Models as people see and test them, through the real service. The upstreams' journal says what really reached them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import {
  answer,
  faultyUpstream,
  hangs,
  refuses,
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

beforeAll(async () => {
  upstreams = await faultyUpstream();
  nobody = `127.0.0.1:${await freePort()}`;
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstreams.host, nobody] },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  await ada.client.call('secrets.set', { body: { team: 'ml', name: 'ACME_API_KEY', value: 'the-credential-8812' } });
});
afterAll(async () => {
  await app?.stop();
  await upstreams?.stop();
});

const config = { provider: 'acme', model: 'large-2', secret: 'ACME_API_KEY' };
const price_usd_per_million = { input: '0.15', output: '0.60' };

async function model(more: Record<string, unknown> = {}): Promise<string> {
  const name = `model-${++made}`;
  const body = { name, team: 'ml', config: { ...config, base_url: upstreams.at(name), ...more } };
  await ada.client.call('registry.create', { params: { kind: 'model' }, body });
  return name;
}

const testOf = async (name: string) => await ada.client.call('models.test', { params: { name } });
const show = async (name: string) => await ada.client.call('models.show', { params: { name } });

test('a test makes one call with the credential, and the team of the model pays for it', async () => {
  const name = await model({ price_usd_per_million });
  const [result] = await testOf(name);
  expect(result).toEqual({
    base_url: upstreams.at(name),
    works: true,
    message: expect.stringMatching(/^It answered in \d+ ms\.$/) as string,
    latency_ms: expect.any(Number) as number,
    usd: '0.000009',
  });
  expect(upstreams.journal.filter(({ upstream }) => upstream === name)).toMatchObject([
    { upstream: name, model: 'large-2', credential: 'Bearer the-credential-8812', path: '/chat/completions' },
  ]);
  const rows = async () =>
    await app.db.all(sql`select l.key, l."user", l.team, l.nano from ledger l where l.model = ${name}`);
  await expect.poll(rows).toEqual([{ key: 'svc model test', user: 'ada@example.com', team: 'ml', nano: 9000 }]);
});

test('a changed secret counts for the next test and the next call', async () => {
  const name = await model({ secret: 'CHANGING' });
  const { key } = await ada.client.call('keys.create', { body: { models: [name] } });
  expect((await testOf(name))[0]?.message).toBe(
    'The secret CHANGING of team:ml is not set. Set it: `svc secret set CHANGING --team ml`.',
  );
  for (const value of ['first', 'second']) {
    await ada.client.call('secrets.set', { body: { team: 'ml', name: 'CHANGING', value } });
    await testOf(name);
    expect(upstreams.journal.at(-1)?.credential).toBe(`Bearer ${value}`);
    const body = JSON.stringify({ model: name, messages: [{ role: 'user', content: 'Hi' }] });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const { status } = await fetch(`${app.url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect([status, upstreams.journal.at(-1)?.credential]).toEqual([200, `Bearer ${value}`]);
  }
});

const text: Behaviour = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome</p>');
const unmetered: Behaviour = (response) => {
  const { usage: _, ...others } = answer;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(others));
};
const lists: Behaviour = (response, { method }) =>
  method === 'GET'
    ? response.writeHead(200).end(JSON.stringify({ data: [{ id: 'large-3' }, { id: 'small-1' }] }))
    : response.writeHead(404).end('{}');

test.each<[string, Behaviour | undefined, Record<string, unknown>, RegExp]>([
  ['no address', undefined, { base_url: undefined }, /^It has no address: the provider acme has no preset/],
  [
    'a name without an address',
    undefined,
    { base_url: 'https://nowhere.invalid/v1' },
    /^The name nowhere\.invalid has no address\.$/,
  ],
  [
    'a private address',
    undefined,
    { base_url: 'http://127.0.0.1:1/v1' },
    /^127\.0\.0\.1 is, or leads to, .*svc server set OUTBOUND_PRIVATE_HOSTS\+=127\.0\.0\.1:1\.$/,
  ],
  ['no TLS', undefined, { base_url: 'https://HOST/v1' }, /does not answer over TLS/],
  ['no listener', undefined, { base_url: 'http://NOBODY/v1' }, /^Nothing listens at 127\.0\.0\.1:\d+\.$/],
  [
    'a wrong credential',
    refuses(401),
    {},
    /^It refuses the credential \(401\)\. Set another: svc secret set ACME_API_KEY --team ml$/,
  ],
  [
    'a missing credential',
    refuses(403),
    { secret: undefined },
    /^It wants a credential \(403\), and the config names no secret\.$/,
  ],
  ['an unknown model', lists, {}, /^It does not know large-2 \(404\)\. Did you mean large-3\?$/],
  ['a limit', refuses(429, 'slow down'), {}, /refused the call with 429: slow down/],
  ['no answer in time', hangs, { timeouts: { first_byte_seconds: 1 } }, /^No byte of the answer came within 1 s\.$/],
  ['a page of a proxy', text, {}, /something else than JSON/],
  ['no usage', unmetered, {}, /without usage: each call is charged at its highest possible cost/],
])('a test says in one line that there is %s', async (_, how, more, said) => {
  const base_url =
    typeof more['base_url'] === 'string'
      ? { base_url: more['base_url'].replace('HOST', upstreams.host).replace('NOBODY', nobody) }
      : {};
  const name = await model({ ...more, ...base_url });
  if (how !== undefined) upstreams.behave(name, how);
  const [result, ...others] = await testOf(name);
  expect(others).toEqual([]);
  expect(result).toMatchObject({ works: false, message: expect.stringMatching(said) as string });
  expect(result?.message).not.toContain('\n');
});

const good: Behaviour = (response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));

test('a model is untested before its first call, failing after a refused test, and ready after a good one', async () => {
  const name = await model();
  const state = async () => {
    const { state: now, price } = await ada.client.call('models.show', { params: { name } });
    return [now, price === null];
  };
  expect(await state()).toEqual(['untested', true]);
  upstreams.behave(name, refuses(401));
  await testOf(name);
  expect(await state()).toEqual(['failing', true]);
  upstreams.behave(name, good);
  await testOf(name);
  expect(await state()).toEqual(['no_price', true]);
});

test('a budget of the team refuses a test of a model without a price', async () => {
  await app.governed(
    sql`insert into budget (id, day_nano) select id, 1000000000 from team where name = 'ml' returning id`,
  );
  const name = await model();
  await expect(testOf(name)).rejects.toMatchObject({ code: 'model_unpriced' });
  expect(upstreams.journal.filter(({ upstream }) => upstream === name)).toEqual([]);
  await app.governed(sql`delete from budget where id = (select id from team where name = 'ml') returning id`);
});

test('the record has the prices, the faults of the upstreams, and their health as a process saw it', async () => {
  const name = await model({
    provider: 'openai',
    model: 'gpt-4o',
    price_usd_per_million: { input: '2', output: '0.5' },
  });
  expect(await show(name)).toMatchObject({
    price: {
      usd_per_million: { input: '2.00', output: '0.50' },
      version: expect.stringContaining(`models/${name}`) as string,
    },
    table_price: { usd_per_million: { input: '2.50', output: '10.00' } },
    upstreams: [{ fault: null, health: null, secret: 'ACME_API_KEY' }],
  });
  upstreams.behave(name, refuses(500, 'out of order'));
  await testOf(name);
  const seen = async () =>
    (await ada.client.call('models.list', { query: { limit: 200 } })).items.find((one) => one.name === name);
  await expect
    .poll(async () => (await seen())?.upstreams[0]?.health, { timeout: 10_000 })
    .toMatchObject({
      failures: 1,
      last_problem: 'It answered 500.',
      last_success_at: null,
    });
  const refused = await model({
    upstreams: [{ base_url: 'http://10.0.0.1/v1' }, { secret: 'UNSET', base_url: upstreams.at('x') }],
    base_url: undefined,
    secret: undefined,
  });
  expect((await show(refused)).upstreams.map(({ fault }) => fault)).toEqual([
    expect.stringContaining('OUTBOUND_PRIVATE_HOSTS+=10.0.0.1:80'),
    expect.stringContaining('svc secret set UNSET --team ml'),
  ]);
});

test('only an admin of the team sets credential, address and price of a model: not with a new one, a new config, or a transfer (T280)', async () => {
  const cleo = await app.user('cleo@example.com', { teams: { ml: 'contributor', ops: 'admin' } });
  const own = { base_url: 'https://evil.example.com' };
  const price_usd_per_million = { input: '999999' };
  const create = async (who: TestUser, more: object, team = 'ml') =>
    await who.client.call('registry.create', {
      params: { kind: 'model' },
      body: { name: `model-${++made}`, team, config: { provider: 'ollama', model: 'x', ...more } },
    });
  const needsAdmin = (part: string) => ({
    code: 'forbidden',
    detail: expect.stringMatching(`Only an admin sets the ${part} of a model.* role admin in team:ml`) as string,
  });
  const { name } = await create(cleo, {});
  await expect(create(cleo, { secret: 'ACME_API_KEY' })).rejects.toMatchObject(needsAdmin('credential'));
  await expect(create(cleo, { upstreams: [{ secret: 'ACME_API_KEY' }] })).rejects.toMatchObject(
    needsAdmin('credential'),
  );
  await expect(create(cleo, own)).rejects.toMatchObject(needsAdmin('address'));
  await expect(create(cleo, { upstreams: [own] })).rejects.toMatchObject(needsAdmin('address'));
  await expect(create(cleo, { price_usd_per_million })).rejects.toMatchObject(needsAdmin('price'));
  let patch = 0;
  const edit = async (who: TestUser, more: object) =>
    await who.client.call('registry.edit', {
      params: { kind: 'model', name },
      body: { version: `1.0.${++patch}`, config: { provider: 'ollama', model: 'x', ...more } },
    });
  await expect(edit(cleo, { secret: 'ACME_API_KEY' })).rejects.toMatchObject(needsAdmin('credential'));
  await expect(edit(cleo, { price_usd_per_million })).rejects.toMatchObject(needsAdmin('price'));
  await edit(cleo, { type: 'embedding' });
  await edit(ada, { price_usd_per_million });
  await expect(edit(cleo, { type: 'embedding' })).rejects.toMatchObject(needsAdmin('price'));
  for (const more of [{ secret: 'ACME_API_KEY' }, own]) {
    const other = await create(cleo, more, 'ops');
    const transfer = cleo.client.call('registry.transfer', {
      params: { kind: 'model', name: other.name },
      body: { team: 'ml' },
    });
    await expect(transfer).rejects.toMatchObject(needsAdmin('secret' in more ? 'credential' : 'address'));
  }
});
