// The readers of the log: it must not show facts that other endpoints hide.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;
let olga: TestUser;
let otto: TestUser;
let rita: TestUser;
const hidden = 'access: {visibility: team}\n';

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'contributor' } });
  rita = await app.user('rita@example.com', { teams: { risk: 'admin' } });
});
afterAll(async () => await app?.stop());

const read = async (user: TestUser, query: { asset?: string; user?: string; action?: string } = {}) =>
  (await user.client.call('audit.list', { query })).items;

test('a not_found refusal is hidden from its caller in the log too, and visible to admins', async () => {
  const { name } = await storeAgent(app, ada.email, { name: 'secret', yaml: hidden });
  await expect(olga.client.call('registry.show', { params: { kind: 'agent', name } })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(olga.client.call('teams.show', { params: { team: 'ml' } })).rejects.toMatchObject({ code: 'not_found' });
  await expect(olga.client.call('teams.create', { body: { name: 'mine' } })).rejects.toMatchObject({
    code: 'forbidden',
  });
  // She also reads what she was told: the last refusal is in the list.
  expect((await read(olga, { action: 'refused' })).map(({ asset, team }) => [asset, team])).toEqual([[null, null]]);
  expect(await read(olga, { asset: 'agents/secret' })).toEqual([]);
  expect(JSON.stringify(await read(olga))).not.toContain('secret');
  const seen = await read(max, { action: 'refused' });
  expect(seen.map(({ actor, asset }) => `${actor.name} ${asset}`)).toContain('olga@example.com agents/secret');
});

test('an asset with a reused name shows its team no entry of the previous asset', async () => {
  await storeAgent(app, ada.email, { name: 'reused', yaml: hidden });
  const { id } = await ada.client.call('approvals.submit', {
    body: { asset: 'agents/reused', message: 'for ml alone' },
  });
  await max.client.call('approvals.reject', { params: { id }, body: { reason: 'a word among us' } });
  await ada.client.call('agents.delete', { params: { name: 'reused' } });
  // Only a platform admin gives a name to another team.
  await storeAgent(app, app.admin.email, { name: 'reused', team: 'ops' });
  const seen = await read(olga, { asset: 'agents/reused' });
  expect(seen.map(({ event }) => event)).toEqual(['asset.created']);
  expect((await read(max, { asset: 'agents/reused' })).map(({ event }) => event)).toContain('approval.decided');
});

test('no filter and no cursor shows entries of another team', async () => {
  await storeAgent(app, ada.email, { name: 'quiet', yaml: hidden });
  for (const query of [{ asset: 'agents/quiet' }, { user: ada.email }, { action: 'asset.created' }])
    expect((await read(olga, query)).filter(({ team }) => team === 'ml')).toEqual([]);
  expect((await read(max, { asset: 'agents/quiet' })).length).toBeGreaterThan(0);
  const { next_cursor } = await max.client.call('audit.list', { query: { limit: 1 } });
  await expect(olga.client.call('audit.list', { query: { limit: 1, cursor: next_cursor } })).rejects.toMatchObject({
    code: 'bad_cursor',
  });
});

test('only admins of both teams read a transfer; earlier entries stay with the first team', async () => {
  const { name } = await storeAgent(app, ada.email, { name: 'moving', yaml: hidden });
  expect(await read(olga, { asset: 'agents/moving' })).toEqual([]);
  await app.admin.client.call('registry.transfer', {
    params: { kind: 'agent', name },
    body: { team: 'ops', owner: otto.email },
  });
  const seen = await read(olga, { asset: 'agents/moving' });
  expect(seen.map(({ event, team, detail }) => [event, team, detail['after']])).toEqual([
    ['asset.transferred', 'ml', { team: 'ops', owner: otto.email }],
  ]);
  expect((await read(max, { asset: 'agents/moving' })).map(({ event }) => event)).toEqual([
    'asset.transferred',
    'asset.created',
  ]);
  expect((await read(rita)).map(({ asset }) => asset)).not.toContain('agents/moving');
  // Later entries belong only to the second team.
  await otto.client.call('registry.set_visibility', { params: { kind: 'agent', name }, body: { visibility: 'org' } });
  expect((await read(olga, { asset: 'agents/moving' })).map(({ event }) => event)[0]).toBe('permission.changed');
  expect((await read(max, { asset: 'agents/moving' })).map(({ event }) => event)[0]).toBe('asset.transferred');
});
