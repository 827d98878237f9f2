// The approval settings in the organisation's file.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { seedCast } from '../../testing/access/cast.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { settings } from './find.ts';
import { applyOrgConfig, OrgConfigFault } from './org-settings.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await testDatabase();
  await seedCast(database.db);
  folder = await mkdtemp(join(tmpdir(), 'gantry-settings-'));
});
afterAll(async () => {
  await database?.close();
  await rm(folder, { recursive: true });
});

async function read(text: string) {
  const file = join(folder, 'org.yaml');
  await writeFile(file, text);
  return await applyOrgConfig(database.db, file);
}

test('by default one admin decides and a request never expires; the file changes both, and the change is recorded', async () => {
  expect(await settings(database.db)).toMatchObject({ approvals_required: 1, approval_expires_after_days: null });
  await read('approvals_required: 2\napproval_expires_after_days: 14\n');
  expect(await settings(database.db)).toMatchObject({ approvals_required: 2, approval_expires_after_days: 14 });
  await read('approvals_required: 2\n');
  expect(await settings(database.db)).toMatchObject({ approval_expires_after_days: 14 });
  await read('approval_expires_after_days: null\n');
  expect(await settings(database.db)).toMatchObject({ approvals_required: 2, approval_expires_after_days: null });
  const entries = await database.db.all<{ body: string }>(
    sql`select body from audit.entry where event = 'settings.changed' order by seq`,
  );
  expect(entries.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    {
      detail: { before: { approvals_required: 1 }, after: { approvals_required: 2, approval_expires_after_days: 14 } },
    },
    { detail: { before: { approval_expires_after_days: 14 }, after: { approval_expires_after_days: null } } },
  ]);
});

test.for([
  'approvals_required: 0',
  'approvals_required: 11',
  'approvals_required: 1.5',
  'approvals_required: null',
  'approvals_required: "2"',
  'approval_expires_after_days: 0',
  'approval_expires_after_days: -1',
  'approval_expires_after_days: 1e9',
])('%s is refused by name, and changes nothing', async (text) => {
  const before = await settings(database.db);
  await expect(read(`${text}\n`)).rejects.toThrow(OrgConfigFault);
  await expect(read(`${text}\n`)).rejects.toThrow(text.split(':')[0]);
  expect(await settings(database.db)).toEqual(before);
});
