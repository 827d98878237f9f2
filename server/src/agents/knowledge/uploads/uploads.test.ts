import { afterAll, beforeAll, expect, test } from 'vitest';
import { most_upload_bytes } from '@gantry/contract/agents/knowledge-uploads.ts';
import { sql } from '../../../ground/database/sql.ts';
import { refreshed } from '../../../testing/knowledge/knowledge-stage.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let bob: TestUser;

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
  for (const [name, uploads] of [['handbook', true] as const, ['closed', false] as const])
    await ada.client.call('registry.create', {
      params: { kind: 'knowledge-base' },
      body: { name, team: 'ml', config: { uploads } },
    });
});
afterAll(async () => await app?.stop());

const send = async (path: string, text: string | Uint8Array, { name = 'handbook', by = ada } = {}) =>
  await by.client.call('knowledge.upload', { params: { name }, query: { path }, body: Buffer.from(text) });
const remove = async (path: string, by = ada) =>
  await by.client.call('knowledge.delete_upload', { params: { name: 'handbook' }, query: { path } });
const uploads = async () => await ada.client.call('knowledge.uploads', { params: { name: 'handbook' } });
const contents = async (number: number) =>
  await ada.client.call('knowledge.snapshot', { params: { name: 'handbook', number } });
const events = async () =>
  await app.db.all<{ event: string; path: string }>(sql`
    select body::jsonb ->> 'event' as event, body::jsonb -> 'detail' ->> 'path' as path
    from audit.entry where body like '%"knowledge.upload%' order by seq`);
const blobs = async () => (await app.db.all(sql`select from knowledge_blob`)).length;

test('a file is kept, listed and found after a refresh, and a deleted one is gone after the next', async () => {
  await send('hr/leave.md', '# Leave\n\nEverybody has 30 days.');
  await send('hr/notes.txt', 'Nothing else.');
  await send('hr/notes.txt', 'Nothing else.');
  await send('picture.bin', Buffer.from([0, 1, 2]));
  expect((await uploads()).items.map(({ path, bytes }) => [path, bytes])).toEqual([
    ['hr/leave.md', 31],
    ['hr/notes.txt', 13],
    ['picture.bin', 3],
  ]);
  expect(await events()).toEqual(
    ['hr/leave.md', 'hr/notes.txt', 'picture.bin'].map((path) => ({ event: 'knowledge.uploaded', path })),
  );
  expect(await refreshed(ada.client, 'knowledge.refresh', 'handbook')).toMatchObject({ state: 'done' });
  const first = await contents(1);
  expect(first.listed.map(({ path, media_type }) => [path, media_type])).toEqual([
    ['hr/leave.md', 'text/markdown'],
    ['hr/notes.txt', 'text/plain'],
  ]);
  expect(first.unreadable.map(({ path }) => path)).toEqual(['picture.bin']);

  await send('hr/leave.md', '# Leave\n\nEverybody has 31 days.');
  await remove('hr/notes.txt');
  await remove('picture.bin');
  await refreshed(ada.client, 'knowledge.refresh', 'handbook');
  const second = await contents(2);
  expect(second.listed.map(({ path, change }) => [path, change])).toEqual([['hr/leave.md', 'changed']]);
  expect(second).toMatchObject({ gone: ['hr/notes.txt'], unreadable: [] });
});

test('the bytes of a file that no snapshot has go with it', async () => {
  const before = await blobs();
  await send('a', 'the same words');
  await send('b', 'the same words');
  await remove('a');
  expect(await blobs()).toBe(before + 1);
  await send('b', 'other words');
  expect(await blobs()).toBe(before + 1);
  await remove('b');
  expect(await blobs()).toBe(before);
  await expect(remove('b')).rejects.toMatchObject({ code: 'not_found', hint: 'List them: svc kb uploads handbook' });
});

test.each(['/etc/passwd', '../up.md', 'a//b', 'a/./b', 'a\\b', 'a\nb', ''])(
  'T534: a path that leads elsewhere is refused: %j',
  async (path) => {
    await expect(send(path, 'x')).rejects.toMatchObject({ code: 'invalid' });
    expect((await uploads()).items.map((one) => one.path)).toEqual(['hr/leave.md']);
  },
);

test('T534: without the right, without `uploads: true`, or over the limit, nothing is kept', async () => {
  await expect(send('mine.md', 'x', { by: bob })).rejects.toMatchObject({ code: 'forbidden' });
  await expect(remove('hr/leave.md', bob)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(bob.client.call('knowledge.uploads', { params: { name: 'handbook' } })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(send('x.md', 'x', { name: 'closed' })).rejects.toMatchObject({
    code: 'uploads_off',
    hint: 'Add it: svc registry knowledge-base edit closed',
  });
  const before = await blobs();
  await expect(send('large.md', Buffer.alloc(most_upload_bytes + 1))).rejects.toMatchObject({ code: 'too_large' });
  expect(await blobs()).toBe(before);
  const quotas = async (of: { knowledge_base_documents: number; knowledge_base_mb: number }) =>
    await app.admin.client.call('org.set', { body: of });
  await quotas({ knowledge_base_documents: 1, knowledge_base_mb: 2048 });
  await expect(send('second.md', 'x')).rejects.toMatchObject({ code: 'uploads_full' });
  await quotas({ knowledge_base_documents: 20_000, knowledge_base_mb: 1 });
  await expect(send('second.md', Buffer.alloc(1024 ** 2))).rejects.toMatchObject({ code: 'uploads_full' });
  await quotas({ knowledge_base_documents: 20_000, knowledge_base_mb: 2048 });
  // The rows say that the base is full; no other file has these bytes.
  await app.governed(sql`
    insert into knowledge_upload (base_id, path, sha256, bytes)
    select base_id, 'full/' || n, sha256, 2147483647 from knowledge_upload, generate_series(1, 1) n returning id`);
  await expect(send('one more.md', 'x')).rejects.toMatchObject({ code: 'uploads_full' });
  expect((await send('full/1', 'small')).bytes).toBe(5);
});

test('a refresh that finds more documents than the organisation allows fails, and what serves stays', async () => {
  await send('hr/second.md', 'Another document.');
  await app.admin.client.call('org.set', { body: { knowledge_base_documents: 1 } });
  const stopped = await refreshed(ada.client, 'knowledge.refresh', 'handbook');
  expect(stopped).toMatchObject({ state: 'failed', problem: { code: 'too_large' } });
  await app.admin.client.call('org.set', { body: { knowledge_base_documents: 20_000 } });
  expect((await contents(2)).serves).toBe(true);
});

test('a base with uploads is deleted, and the log names what went with it', async () => {
  const config = { documents: [{ title: 'page', text: 'a word' }], uploads: true };
  await ada.client.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: { name: 'leaving', team: 'ml', config },
  });
  await ada.client.call('knowledge.upload', {
    params: { name: 'leaving' },
    query: { path: 'a.md' },
    body: Buffer.from('a word'),
  });
  await ada.client.call('knowledge.create_hook', { params: { name: 'leaving' } });
  await ada.client.call('registry.delete', { params: { kind: 'knowledge-base', name: 'leaving' } });
  await expect(
    ada.client.call('registry.show', { params: { kind: 'knowledge-base', name: 'leaving' } }),
  ).rejects.toMatchObject({
    status: 404,
  });
});
