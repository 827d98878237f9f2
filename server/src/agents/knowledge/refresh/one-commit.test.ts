import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp, type TestApp } from '../../../testing/test-app.ts';
import * as snapshots from '../snapshot-store.ts';
import { readOneCommit, requireCommit } from './one-commit.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => await app?.stop());

test('an attempt that finds another commit than the killed one before it reads all again', async () => {
  const { db } = app;
  const ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  await ada.client.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: { name: 'docs', team: 'ml', config: { documents: [{ text: 'x' }] } },
  });
  const base_id = (await ada.client.call('registry.show', { params: { kind: 'knowledge-base', name: 'docs' } })).id;
  const id = randomUUID();
  await db.transaction(async (tx) => {
    await snapshots.begin(tx, { id, base_id, version: '1.0.0', config: 'x', made_by: 'ada' });
    await snapshots.addFailure(tx, id, 'old.md', 'it has no text');
  });
  await requireCommit(db, id, 'first');
  await requireCommit(db, id, 'first');
  expect([...(await snapshots.pathsDone(db, id))]).toEqual(['old.md']);
  const read: string[][] = [];
  await readOneCommit(db, id, async () => {
    read.push([...(await snapshots.pathsDone(db, id))]);
    await requireCommit(db, id, 'second');
  });
  expect(read).toEqual([['old.md'], []]);
});
