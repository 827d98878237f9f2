// Each kind of source through a refresh of a real service.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { bucketServer } from '../../../testing/servers/bucket-server.ts';
import { gitServer } from '../../../testing/servers/git-server.ts';
import { refreshed } from '../../../testing/knowledge/knowledge-stage.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;

beforeAll(async () => {
  app = await testApp({ config: { outbound_private_hosts: ['127.0.0.1'] } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
});
afterAll(async () => await app?.stop());

const contentsOf = async (name: string, number: number) =>
  await ada.client.call('knowledge.snapshot', { params: { name, number } });

test('a document at an address is read again only when it has changed, and a missing one is named with its reason', async () => {
  const pages: Record<string, { body: string; etag: string }> = {
    '/tea.md': { body: '# Tea\n\nIt is hot.', etag: '"1"' },
    '/milk': { body: 'It is cold.', etag: '"1"' },
  };
  const asked: string[] = [];
  const site = await answeringServer(({ method, url = '' }, response) => {
    asked.push(`${method} ${url}`);
    const page = pages[url];
    if (page === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/plain', etag: page.etag }).end(page.body);
  });
  const documents = ['/tea.md', '/milk', '/gone'].map((path) => ({ url: site + path }));
  await ada.client.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: { name: 'site', team: 'ml', config: { documents } },
  });
  expect(await refreshed(ada.client, 'knowledge.refresh', 'site')).toMatchObject({ state: 'done', snapshot: 1 });
  const first = await contentsOf('site', 1);
  expect(first.listed.map(({ path, media_type }) => [path.replace(site, ''), media_type])).toEqual([
    ['/milk', 'text/plain'],
    ['/tea.md', 'text/markdown'],
  ]);
  expect(first.unreadable).toEqual([{ path: `${site}/gone`, problem: 'nothing is there: it answers 404' }]);

  pages['/milk'] = { body: 'It is sour.', etag: '"2"' };
  asked.length = 0;
  await refreshed(ada.client, 'knowledge.refresh', 'site');
  expect(asked.filter((one) => one.startsWith('GET')).toSorted()).toEqual(['GET /gone', 'GET /milk']);
  expect((await contentsOf('site', 2)).listed.map(({ change }) => change)).toEqual(['changed', 'same']);
});

test('T536: the objects of a bucket are documents, and what serves stays when the bucket cannot be listed', async () => {
  const { url, key, put, checkSignatures } = await bucketServer('docs');
  await put('tea.md', '# Tea');
  await put('milk.txt', 'It is cold.');
  await checkSignatures();
  const set = async (value: string) =>
    await ada.client.call('secrets.set', { body: { name: 'BUCKET', team: 'ml', value } });
  await set(key);
  await ada.client.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: { name: 'stored', team: 'ml', config: { bucket: { name: 'docs', endpoint: url, secret: 'BUCKET' } } },
  });
  expect(await refreshed(ada.client, 'knowledge.refresh', 'stored')).toMatchObject({ state: 'done', snapshot: 1 });
  await put('milk.txt', 'It is sour.');
  await refreshed(ada.client, 'knowledge.refresh', 'stored');
  expect((await contentsOf('stored', 2)).listed.map(({ path, change }) => [path, change])).toEqual([
    ['milk.txt', 'changed'],
    ['tea.md', 'same'],
  ]);
  await set('an-id:a-wrong-key');
  expect(await refreshed(ada.client, 'knowledge.refresh', 'stored')).toMatchObject({
    state: 'failed',
    problem: { code: 'source_failed' },
  });
  expect((await contentsOf('stored', 2)).serves).toBe(true);
});

test('T546: of a repository only the changed files are read again, its commit is named, and a branch that is gone changes nothing', async () => {
  const server = await gitServer();
  const first = await server.commit({ 'tea.md': '# Tea', 'milk.txt': 'It is cold.' });
  await ada.client.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: { name: 'versioned', team: 'ml', config: { git: { repository: server.url, ref: 'main' } } },
  });
  expect(await refreshed(ada.client, 'knowledge.refresh', 'versioned')).toMatchObject({ state: 'done', snapshot: 1 });
  expect(await contentsOf('versioned', 1)).toMatchObject({ commit: first, added: 2 });
  const second = await server.commit({ 'milk.txt': 'It is sour.' });
  const again = await refreshed(ada.client, 'knowledge.refresh', 'versioned');
  expect(await contentsOf('versioned', 2)).toMatchObject({ commit: second, added: 0, changed: 1, removed: 0 });
  expect((await logOf(again.id)).toSorted()).toEqual([
    '1 documents are as they were',
    'read: milk.txt',
    `the repository is read at commit ${second}`,
  ]);
  await server.git('checkout', '--quiet', '-b', 'other');
  await server.git('branch', '--delete', '--force', 'main');
  expect(await refreshed(ada.client, 'knowledge.refresh', 'versioned')).toMatchObject({
    state: 'failed',
    problem: {
      code: 'source_failed',
      detail: `The Git repository ${server.url} cannot be listed: it has no such branch or tag.`,
    },
  });
  expect((await contentsOf('versioned', 2)).serves).toBe(true);
});

async function logOf(id: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { data } of await ada.client.call('refreshes.events', { params: { id } }))
    if (data.kind === 'end') break;
    else if (data.kind === 'log') lines.push(data.message);
  return lines;
}
