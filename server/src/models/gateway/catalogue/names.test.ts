// What the name of a model leads to, for callers of several teams. The journal of the upstreams says where each prompt went.
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { faultyUpstream, refuses, type FaultyUpstream } from '../../../testing/models/faulty-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let upstreams: FaultyUpstream;
let app: TestApp;
/** Pat's team shares its models, Vera's and Victor's team calls them, and Eve is in a stranger's team. */
let pat: TestUser;
let vera: TestUser;
let eve: TestUser;
let victor: TestUser;

beforeAll(async () => {
  upstreams = await faultyUpstream();
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstreams.host] },
  });
  pat = await app.user('pat@example.com', { teams: { platform: 'admin' } });
  vera = await app.user('vera@example.com', { teams: { victims: 'admin' } });
  victor = await app.user('victor@example.com', { teams: { victims: 'contributor' } });
  eve = await app.user('eve@example.com', { teams: { elsewhere: 'admin' } });
});
afterAll(async () => {
  await app?.stop();
  await upstreams?.stop();
});

async function add(who: TestUser, team: string, name: string, more: object = {}): Promise<void> {
  // Only an admin sets an address.
  const address: Record<string, string> = who === victor ? {} : { base_url: upstreams.at(name) };
  const provider = who === victor ? 'openai' : 'acme';
  const config = { provider, model: `at-${name}`, ...address, ...more };
  await who.client.call('registry.create', { params: { kind: 'model' }, body: { name, team, config } });
}
const share = async (who: TestUser, name: string) =>
  await who.client.call('permissions.grant', {
    body: { resource_type: 'model', resource_id: name, principal_type: 'org', actions: ['read', 'use'] },
  });
const ask = async (key: string, model: string) => {
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const before = upstreams.journal.length;
  await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] });
  return upstreams.journal.slice(before).map(({ upstream }) => upstream);
};
const keyOf = async (who: TestUser, body: object = {}) =>
  (await who.client.call('keys.create', { body: { models: ['*'], ...body } })).key ?? '';

test('a stranger’s model takes over no name by which another team calls its own, by name, alias or name at the provider', async () => {
  await add(vera, 'victims', 'own', { aliases: ['fast', 'Vendor/Fast@1'] });
  const keys = [await keyOf(vera), await keyOf(vera, { scope: 'team', scope_id: 'victims' })];
  const names = ['own', 'fast', 'Vendor/Fast@1', 'at-own', 'models/own'];
  for (const key of keys) for (const name of names) expect(await ask(key, name)).toEqual(['own']);
  await add(eve, 'elsewhere', 'fast');
  await add(eve, 'elsewhere', 'at-own');
  await add(eve, 'elsewhere', 'aaa', { model: 'at-own', aliases: ['own', 'Vendor/Fast@1'] });
  for (const name of ['fast', 'at-own', 'aaa']) await share(eve, name);
  for (const key of keys)
    for (const name of names) expect({ name, to: await ask(key, name) }).toEqual({ name, to: ['own'] });
  // What the stranger shares is called by its name alone.
  for (const key of keys) expect(await ask(key, 'models/fast')).toEqual(['fast']);
});

test('a model of another team is called by its name in the catalogue alone, so nobody can take its alias', async () => {
  await add(pat, 'platform', 'shared', { model: 'gpt-x', aliases: ['chat'] });
  await share(pat, 'shared');
  const key = await keyOf(vera);
  for (const name of ['shared', 'models/shared']) expect(await ask(key, name)).toEqual(['shared']);
  expect(await ask(await keyOf(pat), 'chat')).toEqual(['shared']);
  await add(eve, 'elsewhere', 'gpt-y', { model: 'gpt-x', aliases: ['chat'] });
  await share(eve, 'gpt-y');
  const refused = { code: 'model_not_allowed' };
  for (const name of ['chat', 'gpt-x']) await expect(ask(key, name)).rejects.toMatchObject(refused);
  for (const name of ['shared', 'models/shared']) expect(await ask(key, name)).toEqual(['shared']);
  // A pattern for the name at the provider covers no model of another team.
  const { id, key: narrow = '' } = await vera.client.call('keys.create', { body: { models: ['*'] } });
  await app.governed(sql`update gateway_key set models = '{gpt-x}' where id = ${id} returning id`);
  await expect(ask(narrow, 'gpt-y')).rejects.toMatchObject(refused);
});

test('a name at the provider is that of the oldest model; an alias of two is refused and names both; models/<name> means one', async () => {
  await add(vera, 'victims', 'west', { model: 'twin', aliases: ['both'] });
  await add(eve, 'elsewhere', 'east', { model: 'twin', aliases: ['both'] });
  await share(eve, 'east');
  // As two teams of an older release could have it, whose models became those of one.
  await app.governed(
    sql`update asset set team_id = (select id from team where name = 'victims') where name = 'east' returning id`,
  );
  const key = await keyOf(vera);
  expect(await ask(key, 'twin')).toEqual(['west']);
  expect(await ask(key, 'models/east')).toEqual(['east']);
  const refusal = expect.stringMatching(
    /"both" means models\/east of team:victims, models\/west of team:victims\./,
  ) as string;
  await expect(ask(key, 'both')).rejects.toMatchObject({ status: 400, code: 'model_ambiguous', message: refusal });
  await add(vera, 'victims', 'twin', { model: 'other' });
  expect(await ask(key, 'twin')).toEqual(['twin']);
});

test('a team’s model gets no name or alias that means another, and a contributor takes no name that leads to one', async () => {
  await add(vera, 'victims', 'first', { aliases: ['quick'] });
  for (const [name, more] of [
    ['quick', {}],
    ['second', { aliases: ['first'] }],
    ['second', { aliases: ['quick'] }],
    ['second', { aliases: ['models/first'] }],
  ] as const)
    await expect(add(vera, 'victims', name, more)).rejects.toMatchObject({ code: 'invalid' });
  await add(victor, 'victims', 'second', { aliases: ['second-alias'] });
  for (const more of [{ aliases: ['at-first'] }, { aliases: ['shared'] }, { model: 'shared' }])
    await expect(add(victor, 'victims', 'third', more)).rejects.toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('role admin in team:victims') as string,
    });
  const edit = async (config: object) =>
    await victor.client.call('registry.edit', {
      params: { kind: 'model', name: 'second' },
      body: { version: '1.0.1', config: { provider: 'openai', model: 'at-second', ...config } },
    });
  await expect(edit({ aliases: ['quick'] })).rejects.toMatchObject({ code: 'invalid' });
  await expect(edit({ model: 'at-first' })).rejects.toMatchObject({ code: 'forbidden' });
  await edit({ aliases: ['second-alias'], type: 'embedding' });
});

test('a fallback of a config is that entry of the catalogue, also for callers with an alias of that name', async () => {
  await add(pat, 'platform', 'spare');
  await add(pat, 'platform', 'main', { fallbacks: ['spare'] });
  for (const name of ['spare', 'main']) await share(pat, name);
  await add(vera, 'victims', 'decoy', { aliases: ['spare'] });
  upstreams.behave('main', refuses(500));
  expect(await ask(await keyOf(vera), 'main')).toEqual(['main', 'spare']);
});

test('GET /v1/models shows each name with the model to which it leads, and GET /api/v1/models each usable model', async () => {
  const key = await keyOf(vera);
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const listed = new Map((await client.models.list()).data.map((one) => [one.id, one]));
  expect(listed.get('own')).toMatchObject({
    ref: 'models/own',
    team: 'victims',
    names: ['own', 'models/own', 'fast', 'Vendor/Fast@1', 'at-own'],
  });
  // `fast` is an alias of the caller's own team.
  expect(listed.has('fast')).toBe(false);
  expect(listed.get('models/fast')).toMatchObject({ team: 'elsewhere', names: ['models/fast'] });
  expect(listed.get('east')).toMatchObject({ names: ['east', 'models/east'] });
  expect(await client.models.retrieve('fast')).toMatchObject({ ref: 'models/own' });
  const { items } = await vera.client.call('models.list', { query: { limit: 200 } });
  expect(items.map(({ ref }) => ref)).toEqual(expect.arrayContaining(['models/own', 'models/shared', 'models/fast']));
});

test('a key of the organisation calls models by their names in the catalogue alone', async () => {
  const key = await keyOf(app.admin, { scope: 'org' });
  expect(await ask(key, 'shared')).toEqual(['shared']);
  await expect(ask(key, 'chat')).rejects.toMatchObject({ code: 'model_not_allowed' });
});
