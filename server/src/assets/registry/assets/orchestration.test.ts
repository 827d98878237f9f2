// An orchestration in the real service, from its file to its deletion.
import { parseOrchestrationYaml } from '@gantry/project/orchestration-yaml.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;
let otto: TestUser;
let made = 0;
const fresh = () => `crew-${++made}`;
const kind = 'orchestration';

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin', ops: 'contributor' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'contributor' } });
  for (const name of ['writer', 'editor']) await storeAgent(app, ada.email, { name });
  for (const name of ['writer', 'editor'])
    await app.admin.client.call('permissions.grant', {
      body: {
        resource_type: 'agent',
        resource_id: name,
        principal_type: 'user',
        principal_id: otto.email,
        actions: ['use'],
      },
    });
});
afterAll(async () => await app?.stop());

type Config = Record<string, never>;
const members = { a: 'agents/writer', b: 'agents/editor' };

/** The config of a file, as `svc orchestration push` sends it. */
function configOf(file: string): Config {
  const { config, findings } = parseOrchestrationYaml(file);
  if (config === undefined) throw new Error(JSON.stringify(findings));
  return config as unknown as Config; // JSON by the way it is read
}

function fileOf({
  name = '',
  version = '1.0.0',
  team = 'ml',
  agents = members,
  more = '',
}: {
  name?: string;
  version?: string;
  team?: string;
  agents?: Record<string, string>;
  more?: string;
}): string {
  const lines = Object.entries(agents).map(([local, ref]) => `  ${local}: {ref: ${ref}}\n`);
  return `name: ${name}\nversion: ${version}\nteam: ${team}\nstrategy: sequential\nagents:\n${lines.join('')}${more}`;
}

async function create(file: string, asked: { name: string; version?: string; team?: string; owner?: string }) {
  const body = { team: 'ml', ...asked, config: configOf(file) };
  return await ada.client.call('registry.create', { params: { kind }, body });
}

async function edit(name: string, version: string, file: string, by = ada) {
  return await by.client.call('registry.edit', { params: { kind, name }, body: { version, config: configOf(file) } });
}

async function digestsOf(name: string): Promise<string[]> {
  const { versions } = await ada.client.call('registry.show', { params: { kind, name } });
  return versions.map(({ digest }) => digest);
}

test('an orchestration is created, edited, submitted, approved, published, transferred and deleted', async () => {
  const name = fresh();
  const params = { kind, name } as const;
  const created = await create(fileOf({ name, more: 'description: Writes a text\ntags: ["demo:text"]\n' }), { name });
  expect(created).toMatchObject({
    ref: `orchestrations/${name}`,
    description: 'Writes a text',
    tags: ['demo:text'],
    owner: ada.email,
    versions: [{ version: '1.0.0', state: 'final' }],
    config: {
      agents: [
        { name: 'a', ref: 'agents/writer' },
        { name: 'b', ref: 'agents/editor' },
      ],
    },
  });
  const { references } = await otto.client.call('registry.show_version', { params: { ...params, version: '1.0.0' } });
  expect(references.map(({ ref, version }) => [ref, version])).toEqual([
    ['agents/editor', '1.0.0'],
    ['agents/writer', '1.0.0'],
  ]);

  const edited = await edit(name, '1.1.0', fileOf({ name, version: '1.1.0', more: 'on_error: fail\n' }));
  expect(edited).toMatchObject({ latest_version: '1.1.0', description: '', tags: [] });

  const { id } = await ada.client.call('approvals.submit', { body: { asset: `orchestrations/${name}` } });
  const request = await max.client.call('approvals.approve', { params: { id }, body: { reason: '' } });
  expect(request).toMatchObject({ status: 'approved', asset_version: '1.1.0' });
  const { versions } = await ada.client.call('registry.show', { params });
  expect(versions.map(({ version, approved }) => [version, approved])).toEqual([
    ['1.1.0', true],
    ['1.0.0', false],
  ]);

  const listed = async () =>
    (await otto.client.call('registry.list', { params: { kind } })).items.map((one) => one.name);
  expect(await listed()).not.toContain(name);
  await ada.client.call('registry.publish', { params });
  expect(await listed()).toContain(name);
  const body = { team: 'ops', owner: otto.email };
  expect(await max.client.call('registry.transfer', { params, body })).toMatchObject(body);

  await expect(edit(name, '1.2.0', fileOf({ name, version: '1.2.0' }), otto)).rejects.toMatchObject({
    code: 'owner_mismatch',
    detail: `\`team\` in orchestration.yaml is ml; orchestrations/${name} belongs to team:ops.`,
    hint: expect.stringContaining(`svc registry orchestration transfer ${name} --team ml`) as string,
  });
  await edit(name, '1.2.0', fileOf({ name, version: '1.2.0', team: 'ops' }), otto);

  await expect(ada.client.call('registry.delete', { params })).rejects.toMatchObject({ code: 'forbidden' });
  await otto.client.call('registry.delete', { params });
  await expect(otto.client.call('registry.show', { params })).rejects.toMatchObject({ code: 'not_found' });
});

test('two swapped members are another content, and an unchanged file is the same content', async () => {
  const name = fresh();
  const agents = { b: members.b, a: members.a };
  await create(fileOf({ name }), { name });
  await expect(edit(name, '1.0.0', fileOf({ name, agents }))).rejects.toMatchObject({ code: 'version_final' });
  await edit(name, '1.0.0', fileOf({ name }));
  await edit(name, '1.0.1', fileOf({ name, version: '1.0.1', agents }));
  expect(new Set(await digestsOf(name)).size).toBe(2);
});

test.each([
  ['name', { name: 'another' }],
  ['version', { version: '2.0.0' }],
  ['team', { team: 'ops' }],
])('a config with another %s than its asset is refused', async (field, other) => {
  const name = fresh();
  await expect(create(fileOf({ name, ...other }), { name })).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ pointer: `/config/${field}` }],
  });
  await create(fileOf({ name }), { name });
});

test('the owner in the file owns the new asset, and a later file names the same owner', async () => {
  const name = fresh();
  const more = `owner: ${max.email}\n`;
  await expect(create(fileOf({ name, more }), { name })).rejects.toMatchObject({ code: 'owner_mismatch' });
  await create(fileOf({ name, more: `owner: ${ada.email}\n` }), { name });
  await expect(edit(name, '1.0.1', fileOf({ name, version: '1.0.1', more }))).rejects.toMatchObject({
    code: 'owner_mismatch',
    detail: `\`owner\` in orchestration.yaml is ${max.email}; orchestrations/${name} belongs to ${ada.email}.`,
  });
});

test('a member that is missing, or has no such version, is refused with its place', async () => {
  const name = fresh();
  const agents = { a: 'agents/nobody', b: 'agents/writer@9.0.0', c: 'agents/writer@1.0.0' };
  await expect(create(fileOf({ name, agents }), { name })).rejects.toMatchObject({
    code: 'reference_missing',
    errors: [
      { pointer: '/config/agents/0/ref', message: 'There is no agents/nobody that you may read' },
      { pointer: '/config/agents/1/ref', message: 'agents/writer has no version 9.0.0' },
    ],
  });
});

test('an agent that an orchestration names cannot be deleted', async () => {
  const name = fresh();
  const { name: agent } = await storeAgent(app, ada.email, { name: `${name}-member` });
  await create(fileOf({ name, agents: { a: `agents/${agent}` } }), { name });
  const remove = async () => await ada.client.call('agents.delete', { params: { name: agent } });
  await expect(remove()).rejects.toMatchObject({
    code: 'in_use',
    detail: `agents/${agent} is used by orchestrations/${name}.`,
  });
  await ada.client.call('registry.delete', { params: { kind, name } });
  await remove();
});

test('an orchestration is granted `use` on an agent, and nothing beyond `read` and `use`', async () => {
  const name = fresh();
  const body = { name, team: 'ml', config: configOf(fileOf({ name })) };
  await ada.client.call('registry.create', { params: { kind }, body });
  const to = { resource_type: 'agent', resource_id: 'writer', principal_type: kind, principal_id: name } as const;
  const granted = await app.admin.client.call('permissions.grant', { body: { ...to, actions: ['use'] } });
  expect(granted).toMatchObject({ principal_type: kind, principal_id: name, actions: ['use'] });
  await expect(
    app.admin.client.call('permissions.grant', { body: { ...to, actions: ['use', 'admin'] } }),
  ).rejects.toMatchObject({ code: 'invalid' });
  // Its entries on other assets end with it.
  await app.admin.client.call('registry.delete', { params: { kind, name } });
  const left = await app.admin.client.call('permissions.list', { query: { principal_type: kind } });
  expect(left.items).toEqual([]);
});
