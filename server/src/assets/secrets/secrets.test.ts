import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { max_secret_bytes } from '@gantry/contract/assets/secret-value.ts';
import { sql } from '../../ground/database/sql.ts';
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import { serveAgent, storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { readSecrets, requireSecrets, teamSecrets } from './delivery.ts';
import { stores, type Stores } from './stores/index.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;
let values: Stores;
let logged = '';
let made = 0;
beforeAll(async () => {
  app = await testApp({ onLog: (line) => (logged += line) });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  await app.user('olga@example.com', { teams: { ops: 'admin' } });
  values = stores({ envelope: openEnvelope(app.keys.envelope) });
});
afterAll(async () => await app?.stop());
let name = '';
beforeEach(() => void (name = `KEY_${++made}`));

const setFor = async (who: TestUser, scope: { team: string } | { agent: string }, value: string) =>
  await who.client.call('secrets.set', { body: { ...scope, name, value } });

/** An agent of team ml that names the secret of this test. */
async function agent(yaml = ''): Promise<StoredAgent> {
  return await storeAgent(app, ada.email, { name: `agent-${made}`, yaml: `${yaml}deploy: {secrets: [${name}]}\n` });
}

const contentOf = async ({ asset_id, digest }: StoredAgent) => {
  const row = await app.db.one<{ config: never }>(sql`select config from content where digest = ${digest}`);
  return { agent_id: asset_id, config: row?.config ?? ({} as never) }; // as the push stored it
};

test('a value that an environment variable cannot hold is refused, and neither answer nor log contains it', async () => {
  const cases = {
    empty: '',
    'with a NUL': 'hostile\0value',
    'half a character': 'hostile\ud800value',
    'too long': 'hostile-value'.padEnd(max_secret_bytes + 1, 'x'),
    'too long in bytes only': 'hostile-value'.padEnd(max_secret_bytes / 2 + 8, 'ü'),
  };
  for (const [what, value] of Object.entries(cases)) {
    const refusal: unknown = await setFor(max, { team: 'ml' }, value).catch((error: unknown) => error);
    expect({ what, refusal }).toMatchObject({
      refusal: { code: expect.stringMatching(/^(invalid|malformed)$/) as string },
    });
    expect(JSON.stringify(refusal)).not.toContain('hostile');
  }
  expect(logged).not.toContain('hostile');
  const longest = 'ü'.repeat(max_secret_bytes / 2);
  expect(await setFor(max, { team: 'ml' }, longest)).toMatchObject({ name, team: 'ml', agent: null });
  const content = await contentOf(await agent());
  expect(await readSecrets({ db: app.db, stores: values }, content)).toEqual({ [name]: longest });
});

test.each([
  'LD_PRELOAD',
  'PATH',
  'PYTHONSTARTUP',
  'DOCKER_HOST',
  'SVC_INGRESS_SECRET',
  'ld_preload',
  'with-hyphen',
  '1ST',
  'A B',
  '',
  'A'.repeat(129),
])('no secret has the name %j, which would change the start of the container (T73)', async (reserved) => {
  const body = { team: 'ml', name, value: 'x' };
  expect(await max.client.call('secrets.set', { body })).toMatchObject({ name });
  const refused = max.client.call('secrets.set', { body: { ...body, name: reserved } });
  await expect(refused).rejects.toMatchObject({ code: 'invalid', errors: [{ pointer: '/name' }] });
});

test('a secret belongs to a team or to an agent, not to both and not to none', async () => {
  const { name: one } = await agent();
  for (const scope of [{}, { team: 'ml', agent: one }])
    await expect(max.client.call('secrets.set', { body: { ...scope, name, value: 'x' } })).rejects.toMatchObject({
      code: 'invalid',
    });
});

test('names, scopes, times and users are shown, and never a value; the log has who changed it', async () => {
  const one = await agent();
  const created = await setFor(ada, { agent: one.name }, 'first-value-of-a-test');
  await serveAgent(app, one, 'http://127.0.0.1:1');
  const changed = await setFor(max, { agent: one.name }, 'second-value-of-a-test');
  expect(created).toMatchObject({ name, agent: one.name, team: null, created_by: ada.email, used_by: [] });
  expect(changed).toMatchObject({ id: created.id, created_by: ada.email, changed_by: max.email, used_by: [one.name] });
  const { items } = await ada.client.call('secrets.list', { query: { agent: one.name } });
  expect(items).toEqual([changed]);
  const log = await app.admin.client.call('audit.list', { query: { action: 'secret', limit: 2 } });
  expect(log.items.map(({ event, actor, asset, detail }) => [event, actor.name, asset, detail])).toEqual([
    ['secret.changed', max.email, `agents/${one.name}`, { secret: name, bypass: 'acl' }],
    ['secret.created', ada.email, `agents/${one.name}`, { secret: name }],
  ]);
  for (const text of [JSON.stringify([created, changed, items]), logged]) expect(text).not.toContain('value-of-a-test');
});

test('a sealed value in the row of another secret opens for nobody', async () => {
  const one = await agent();
  const { id } = await setFor(max, { agent: one.name }, 'mine');
  const content = await contentOf(one);
  expect(await readSecrets({ db: app.db, stores: values }, content)).toEqual({ [name]: 'mine' });
  name = `${name}_OTHER`;
  const other = await setFor(max, { team: 'ml' }, 'theirs');
  await app.governed(
    sql`update secret_value set sealed = (select sealed from secret_value where id = ${other.id}) where id = ${id} returning id`,
  );
  await expect(readSecrets({ db: app.db, stores: values }, content)).rejects.toThrow();
});

test('the secret of the agent wins over the one of its team; both only for content of this team', async () => {
  const one = await agent();
  const content = await contentOf(one);
  const read = async () => await readSecrets({ db: app.db, stores: values }, content);
  await expect(read()).rejects.toMatchObject({
    code: 'secret_missing',
    hint: expect.stringContaining(`svc secret set ${name} --agent ${one.name}`) as string,
    errors: [{ pointer: '/deploy/secrets/0' }],
  });
  await setFor(max, { team: 'ml' }, 'of the team');
  expect([await read(), await teamSecrets(app.db, content)]).toEqual([{ [name]: 'of the team' }, [name]]);
  const own = await setFor(ada, { agent: one.name }, 'of the agent');
  expect([await read(), await teamSecrets(app.db, content)]).toEqual([{ [name]: 'of the agent' }, []]);
  await ada.client.call('secrets.remove', { params: { id: own.id } });
  expect(await read()).toEqual({ [name]: 'of the team' });

  // A transfer: neither the secret of the old team, nor one of the new team for content that names the old team.
  await app.admin.client.call('registry.transfer', {
    params: { kind: 'agent', name: one.name },
    body: { team: 'ops', owner: 'olga@example.com' },
  });
  await expect(requireSecrets(app.db, content)).rejects.toMatchObject({ code: 'secret_missing' });
  await setFor(app.admin, { team: 'ops' }, 'of another team');
  await expect(requireSecrets(app.db, content)).rejects.toMatchObject({ code: 'secret_missing' });
});

test('a used secret is not removed, and its users are named', async () => {
  const one = await agent();
  const { id } = await setFor(max, { team: 'ml' }, 'in use');
  await serveAgent(app, one, 'http://127.0.0.1:1');
  const remove = max.client.call('secrets.remove', { params: { id } });
  await expect(remove).rejects.toMatchObject({
    code: 'in_use',
    detail: `${name} is used by agents/${one.name}.`,
    fields: { used_by: [one.name] },
  });
  await app.governed(sql`delete from route where agent_id = ${one.asset_id} returning id`);
  await max.client.call('secrets.remove', { params: { id } });
  await expect(max.client.call('secrets.remove', { params: { id } })).rejects.toMatchObject({ code: 'not_found' });
});

test('a secret that a model is called with is not removed, and the models of its team are named', async () => {
  const { id } = await setFor(max, { team: 'ml' }, 'of a provider');
  const base_url = 'https://models.example.com/v1';
  const add = async (model: string, team: string, more: object) =>
    await app.admin.client.call('registry.create', {
      params: { kind: 'model' },
      body: { name: `${model}-${made}`, team, config: { provider: 'acme', model, ...more } },
    });
  await add('one', 'ml', { base_url, secret: name });
  await add('two', 'ml', { upstreams: [{ base_url }, { base_url: 'https://b.example.com/v1', secret: name }] });
  await add('far', 'ops', { base_url, secret: name });
  const remove = async () => await max.client.call('secrets.remove', { params: { id } });
  await expect(remove()).rejects.toMatchObject({
    code: 'in_use',
    status: 409,
    detail: `${name} is used by models/one-${made}, models/two-${made}.`,
    fields: { used_by: [], models: [`one-${made}`, `two-${made}`] },
  });
  const params = (model: string) => ({ kind: 'model', name: `${model}-${made}` }) as const;
  await max.client.call('registry.delete', { params: params('two') });
  const config = { provider: 'acme', model: 'one', base_url };
  await max.client.call('registry.edit', { params: params('one'), body: { version: '1.0.1', config } });
  await remove();
});

test('the secret of an agent moves to its team with its value, on record, for a model; its admin alone moves it', async () => {
  const one = await agent();
  const content = await contentOf(one);
  const { id } = await setFor(ada, { agent: one.name }, 'value-that-moves');
  const move = async (who: TestUser) => await who.client.call('secrets.move', { params: { id } });
  await expect(move(ada)).rejects.toMatchObject({ status: 403 });
  const taken = await setFor(max, { team: 'ml' }, 'of the team');
  await expect(move(max)).rejects.toMatchObject({ code: 'exists', status: 409 });
  await max.client.call('secrets.remove', { params: { id: taken.id } });
  expect(await move(max)).toMatchObject({ id, name, team: 'ml', agent: null, changed_by: max.email });
  expect(await readSecrets({ db: app.db, stores: values }, content)).toEqual({ [name]: 'value-that-moves' });
  const log = await app.admin.client.call('audit.list', { query: { action: 'secret.moved', limit: 1 } });
  expect(log.items).toMatchObject([
    { actor: { name: max.email }, detail: { secret: name, before: { agent: one.name }, after: { team: 'ml' } } },
  ]);
  expect(JSON.stringify(log.items) + logged).not.toContain('value-that-moves');
  await expect(move(max)).rejects.toMatchObject({ code: 'conflict' });
});

test('a removal that a deploy overtakes is refused; a removal first leaves the deploy without its secret', async () => {
  const one = await agent();
  const content = await contentOf(one);
  const { id } = await setFor(max, { team: 'ml' }, 'wanted by both');
  const registered = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const register = app.db.transaction(async (tx) => {
    await requireSecrets(tx, content, { held: true });
    held.resolve();
    await registered.promise;
  });
  await held.promise;
  const removal = max.client.call('secrets.remove', { params: { id } }).catch((error: unknown) => error);
  await expect
    .poll(async () => await app.db.all(sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`))
    .toHaveLength(1);
  await serveAgent(app, one, 'http://127.0.0.1:1');
  registered.resolve();
  await register;
  expect(await removal).toMatchObject({ code: 'in_use' });
  await app.governed(sql`delete from route where agent_id = ${one.asset_id} returning id`);
  await max.client.call('secrets.remove', { params: { id } });
  await expect(requireSecrets(app.db, content, { held: true })).rejects.toMatchObject({ code: 'secret_missing' });
});

test('two that create the same secret at once: it exists once, with one of the values', async () => {
  const one = await agent();
  const both = await Promise.all(['left', 'right'].map(async (value) => await setFor(max, { team: 'ml' }, value)));
  expect(both[0]?.id).toBe(both[1]?.id);
  const read = await readSecrets({ db: app.db, stores: values }, await contentOf(one));
  expect(['left', 'right']).toContain(read[name]);
});

test('a team with a secret is not deleted, and is named as in use', async () => {
  await app.admin.client.call('teams.create', { body: { name: 'shortlived' } });
  const { id } = await setFor(app.admin, { team: 'shortlived' }, 'x');
  const remove = async () => await app.admin.client.call('teams.delete', { params: { team: 'shortlived' } });
  await expect(remove()).rejects.toMatchObject({
    code: 'in_use',
    detail: expect.stringContaining(`secret:${name}`) as string,
  });
  await app.admin.client.call('secrets.remove', { params: { id } });
  await remove();
});

test('a list comes in pages, without another team’s secrets', async () => {
  await app.admin.client.call('teams.create', { body: { name: 'paged' } });
  for (const letter of ['A', 'B', 'C', 'D', 'E'])
    await app.admin.client.call('secrets.set', { body: { team: 'paged', name: `PAGE_${letter}`, value: 'x' } });
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await app.admin.client.call('secrets.list', {
      query: { team: 'paged', limit: 2, ...(cursor === undefined ? {} : { cursor }) },
    });
    names.push(...page.items.map((item) => item.name));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  expect(names).toEqual(['PAGE_A', 'PAGE_B', 'PAGE_C', 'PAGE_D', 'PAGE_E']);
  expect((await max.client.call('secrets.list', { query: { team: 'paged' } })).items).toEqual([]);
});
