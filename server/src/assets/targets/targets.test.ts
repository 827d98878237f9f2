import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { engineAt } from '../../testing/pushes/asset-configs.ts';
import { contains, databaseAsText } from '../../testing/database-as-text.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

const kind = 'target';
const credential = { certificate: 'the certificate of the service', key: 'the private key of the service' };
let app: TestApp;
let owner: TestUser;
let dora: TestUser;
let made = 0;

beforeAll(async () => {
  app = await testApp();
  owner = await app.user('owner@example.com', { teams: { ml: 'admin' } });
  dora = await app.user('dora@example.com', { role: 'deployer', teams: { ops: 'deployer' } });
});
afterAll(async () => await app?.stop());

const json = (config: object) => config as Record<string, never>; // any JSON, as from a client

async function added({ visibility = 'org' }: { visibility?: 'org' | 'team' } = {}): Promise<string> {
  const name = `box-${++made}`;
  const body = { name, team: 'ml', visibility, config: json(engineAt('tcp://box.example.com:2376')) } as const;
  await app.admin.client.call('registry.create', { params: { kind }, body });
  return name;
}

const digestOf = async (name: string) =>
  (await app.admin.client.call('targets.show', { params: { name } })).digest ?? 'none';

test('only a platform admin adds, changes, transfers and removes a target', async () => {
  const name = await added();
  const { client } = owner;
  const config = json(engineAt('tcp://attacker.example.com:2376'));
  const tries = [
    async () =>
      await client.call('registry.create', { params: { kind }, body: { name: 'theirs', team: 'ml', config } }),
    async () => await client.call('registry.edit', { params: { kind, name }, body: { version: '2.0.0', config } }),
    async () => await client.call('registry.transfer', { params: { kind, name }, body: { owner: owner.email } }),
    async () => await client.call('registry.delete', { params: { kind, name } }),
    async () => await client.call('targets.set_credential', { params: { name }, body: credential }),
    async () => await client.call('targets.test', { params: { name } }),
    async () => await client.call('targets.policy', { params: { name } }),
  ];
  for (const attempt of tries) await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
  await app.admin.client.call('registry.delete', { params: { kind, name } });
  await expect(digestOf(name)).rejects.toMatchObject({ code: 'not_found' });
});

test('a credential is sealed, is answered by nothing, and is gone with its target', async () => {
  const name = await added();
  const set = await app.admin.client.call('targets.set_credential', { params: { name }, body: credential });
  expect(set.credential).toMatchObject({ set_by: app.admin.email });
  const shown = await app.admin.client.call('targets.show', { params: { name } });
  const listed = await app.admin.client.call('targets.list', {});
  const { items } = await app.admin.client.call('audit.list', { query: { asset: `targets/${name}` } });
  expect(items[0]).toMatchObject({ event: 'target.credential_set', detail: { parts: ['certificate', 'key'] } });
  const texts = [JSON.stringify([set, shown, listed, items]), ...(await databaseAsText(app.db)).values()];
  for (const word of Object.values(credential)) expect(texts.filter((one) => contains(one, word))).toEqual([]);
  await app.admin.client.call('registry.delete', { params: { kind, name } });
  expect(await app.db.all(sql`select from target_credential`)).toEqual([]);
});

test('the digest follows the config and the credential, and nothing else', async () => {
  const name = await added();
  const first = await digestOf(name);
  await app.admin.client.call('registry.edit', { params: { kind, name }, body: { description: 'Under the desk.' } });
  expect(await digestOf(name)).toBe(first);
  const config = json(engineAt('tcp://other.example.com:2376'));
  await app.admin.client.call('registry.edit', { params: { kind, name }, body: { version: '1.1.0', config } });
  const second = await digestOf(name);
  await app.admin.client.call('targets.set_credential', { params: { name }, body: credential });
  const third = await digestOf(name);
  await app.admin.client.call('targets.set_credential', { params: { name }, body: credential });
  expect(new Set([first, second, third, await digestOf(name)]).size).toBe(4);
});

test('`local` is first and no asset; a target is shown to its readers, and says whether they deploy to it', async () => {
  const [open, hidden] = [await added(), await added({ visibility: 'team' })];
  const see = async ({ client }: TestUser) =>
    (await client.call('targets.list', {})).map(({ name, ref, deploys }) => [name, ref, deploys]);
  const [local, ...others] = await see(dora);
  expect(local).toEqual(['local', null, true]);
  expect(others).toContainEqual([open, `targets/${open}`, false]);
  expect(others.map(([name]) => name)).not.toContain(hidden);
  await expect(dora.client.call('targets.show', { params: { name: hidden } })).rejects.toMatchObject({
    code: 'not_found',
  });
  const entry = { resource_type: kind, resource_id: open, principal_type: 'team', principal_id: 'ops' } as const;
  await app.admin.client.call('permissions.grant', { body: { ...entry, actions: ['deploy'] } });
  expect(await see(dora)).toContainEqual([open, `targets/${open}`, true]);
  expect(await see(owner)).toContainEqual([hidden, `targets/${hidden}`, true]);
});

test('an engine has no policy, and its refusal says what to do instead', async () => {
  const name = await added();
  for (const engine of [name, 'local'])
    await expect(app.admin.client.call('targets.policy', { params: { name: engine } })).rejects.toMatchObject({
      code: 'no_policy',
      hint: `Try its address and its credential: svc target test ${engine}`,
    });
  await expect(app.admin.client.call('targets.policy', { params: { name: 'nowhere' } })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a test of a target without a credential, and of an address where nothing answers, says so part by part', async () => {
  const name = await added();
  const findings = async () => await app.admin.client.call('targets.test', { params: { name } });
  expect(await findings()).toContainEqual({
    part: 'engine',
    works: false,
    message: 'The target has no client certificate yet.',
  });
  expect((await findings()).find(({ part }) => part === 'registry')).toMatchObject({ works: false });
});
