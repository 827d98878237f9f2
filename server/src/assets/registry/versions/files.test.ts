// The files of a version, and the difference of two versions, through the typed client.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { max_text_bytes } from '@gantry/contract/assets/registry.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let vera: TestUser;
const name = 'greeter';
const at = (version: string) => ({ kind: 'agent', name, version }) as const;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  const approve = async (ref: string) => {
    const { id } = await ada.client.call('approvals.submit', { body: { asset: ref } });
    await app.admin.client.call('approvals.approve', { params: { id }, body: {} });
  };
  const first = await storeAgent(app, ada.email, {
    name,
    yaml: '# as I wrote it\ndeploy: {env_vars: {MODE: one}}\n',
    files: { 'notes/a b.txt': 'one\n', 'image.bin': '\0\u0001', 'long.txt': 'x'.repeat(max_text_bytes + 1) },
  });
  await approve(first.ref);
  await storeAgent(app, ada.email, {
    name,
    version: '1.1.0',
    yaml: 'deploy: {env_vars: {MODE: two}, secrets: [CRM_TOKEN]}\n',
    files: { 'notes/a b.txt': 'two\n' },
  });
});
afterAll(async () => await app?.stop());

test('a reader sees the names, and only a writer the text', async () => {
  const files = await vera.client.call('registry.files', { params: at('1.0.0') });
  expect(files.map(({ path }) => path)).toEqual(files.map(({ path }) => path).toSorted());
  expect(files).toContainEqual({ path: 'notes/a b.txt', bytes: 4, sha256: expect.any(String) });
  const read = async (user: TestUser, path: string) =>
    await user.client.call('registry.show_file', { params: at('1.0.0'), query: { path } });
  expect(await read(ada, 'notes/a b.txt')).toMatchObject({ text: 'one\n', no_text: null });
  expect((await read(ada, 'agent.yaml')).text).toContain('# as I wrote it');
  expect(await read(ada, 'image.bin')).toMatchObject({ text: null, no_text: 'binary' });
  expect(await read(ada, 'long.txt')).toMatchObject({ text: null, no_text: 'too_large', bytes: max_text_bytes + 1 });
  await expect(read(vera, 'notes/a b.txt')).rejects.toMatchObject({ code: 'forbidden' });
  for (const path of ['nothing.txt', '../agent.yaml', 'notes'])
    await expect(read(ada, path)).rejects.toMatchObject({ code: 'not_found' });
});

test('two versions are compared in both directions, and a reader gets no values', async () => {
  const between = async (user: TestUser, from: string, to: string) =>
    await user.client.call('registry.difference', { params: { kind: 'agent', name }, query: { from, to } });
  const forward = await between(ada, '1.0.0', '1.1.0');
  expect(forward).toMatchObject({ from: 'agents/greeter@1.0.0', to: 'agents/greeter@1.1.0' });
  expect(forward.changes.config).toContainEqual({ path: 'deploy.env_vars.MODE', before: 'one', after: 'two' });
  expect(forward.changes.reach).toContainEqual(
    expect.objectContaining({ kind: 'secret', name: 'CRM_TOKEN', change: 'added' }),
  );
  expect(forward.changes.files.find(({ path }) => path === 'notes/a b.txt')).toMatchObject({
    change: 'changed',
    diff: expect.stringContaining('-one\n+two\n'),
  });
  const backward = await between(ada, '1.1.0', '1.0.0');
  expect(backward.changes.reach).toContainEqual(expect.objectContaining({ name: 'CRM_TOKEN', change: 'removed' }));
  const reader = await between(vera, '1.0.0', '1.1.0');
  expect(JSON.stringify(reader)).not.toMatch(/"one"|-one/);
  expect(reader.changes.files.every(({ diff, no_diff }) => diff === null && no_diff === 'not_permitted')).toBe(true);
  await expect(between(ada, '1.0.0', '9.9.9')).rejects.toMatchObject({ code: 'not_found' });
});

test('a reader gets no value of the environment of an MCP server either', async () => {
  const kind = 'mcp-server';
  const config = (MODE: string) => ({ command: 'crm-mcp', env_vars: { MODE } });
  await ada.client.call('registry.create', {
    params: { kind },
    body: { name: 'crm', team: 'ml', config: config('one') },
  });
  const edited = { version: '1.0.1', config: config('two') };
  await ada.client.call('registry.edit', { params: { kind, name: 'crm' }, body: edited });
  const between = async (user: TestUser) =>
    await user.client.call('registry.difference', {
      params: { kind, name: 'crm' },
      query: { from: '1.0.0', to: '1.0.1' },
    });
  expect((await between(ada)).changes.config).toEqual([{ path: 'env_vars.MODE', before: 'one', after: 'two' }]);
  expect((await between(vera)).changes.config).toEqual([
    { path: 'env_vars.MODE', before: '(hidden)', after: '(hidden)' },
  ]);
});
