// Retention and restore. Both leave a log that verifies, here and on a stranger's machine. The log records the missing entries.
import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { testLog, type TestLog } from '../../testing/access/proof.ts';
import type { Chain } from '@gantry/contract/audit/audit.ts';
import { exportLog } from '../audit/export.ts';
import { checkpointLines } from './checkpoints/checkpoint-lines.ts';
import { Mismatch } from './mismatch.ts';
import { prune } from './prune.ts';
import { reseal } from './sealing/reseal.ts';
import * as store from './store.ts';
import { verify } from './verification/verify.ts';

const run = promisify(execFile);
const verifier = resolve(import.meta.dirname, '../../../../verifier/verify.mjs');
let log: TestLog;
beforeEach(async () => {
  log = await testLog();
  await log.write('user-1', 'user-2', 'user-3');
  await log.sign();
  await log.write('user-4', 'user-5');
  await log.sign();
});
afterEach(async () => await log.close());

const old = async () => await moveClock('-400 days');
const moveClock = async (by: string) =>
  await log.db.run({
    strings: [
      `create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''${by}'''`,
    ],
    values: [],
  });
const lastMonth = { before: new Date(Date.now() - 30 * 86_400_000), reason: 'kept for a month', by: 'root' };
const seqs = async () =>
  (await log.db.all<{ seq: number }>(sql`select seq from audit.entry where chain = 'governance' order by seq`)).map(
    ({ seq }) => seq,
  );

/** The auditor's input. */
async function exported(): Promise<string> {
  const lines: string[] = [];
  const checkpoints = (chain: Chain, after: number) => checkpointLines(log.db, chain, after);
  for await (const line of await exportLog(log.db, {}, { record: async () => {}, checkpoints }))
    lines.push(JSON.stringify(line));
  const file = join(log.directory, 'log.ndjson');
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

/** Output and exit code of the stranger's program. */
async function strangerSays(anchor = true): Promise<{ code: number; stdout: string }> {
  const words = [verifier, await exported(), '--pubkey', join(log.directory, 'checkpoint-key.pub')];
  if (anchor) words.push('--anchor', log.parts.outside_file?.path ?? '');
  return await run(process.execPath, words, { env: {} }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
}

async function oldEntries(): Promise<void> {
  await log.close();
  log = await testLog();
  await old();
  await log.write('user-1', 'user-2', 'user-3');
  await log.sign();
  await log.write('user-4');
  await moveClock('0');
  await log.write('user-5');
  await log.sign();
}

test('a stranger verifies an export with one file: true with an anchor, exit 4 without, damage by name and place', async () => {
  expect(await strangerSays()).toMatchObject({ code: 0, stdout: expect.stringContaining('true as anchored') });
  expect(await strangerSays(false)).toMatchObject({ code: 4 });
  await log.tamper(sql`update audit.entry set body = replace(body, 'user-2', 'user-9') where seq = 2`);
  expect(await strangerSays()).toMatchObject({ code: 1, stdout: expect.stringContaining('DAMAGED governance/2 edit') });
});

test('older entries are pruned up to a signed checkpoint, the log records it, and the rest verifies', async () => {
  await oldEntries();
  const { head } = await verify(log.parts);
  expect(await prune(log.parts, lastMonth)).toEqual([
    { chain: 'signin', up_to: null, deleted: 0 },
    { chain: 'governance', up_to: 3, deleted: 3 },
  ]);
  expect(await seqs()).toEqual([4, 5, 6]);
  await log.sign();
  const result = await verify(log.parts, { head });
  expect(result).toMatchObject({ verdict: 'true_as_anchored', damage: [], notices: [{ kind: 'pruned', seq: 6 }] });
  expect(await strangerSays()).toMatchObject({ code: 0, stdout: expect.stringContaining('governance/6 pruned') });
  expect(await prune(log.parts, lastMonth)).toMatchObject([{ up_to: null }, { up_to: null }]);
  await log.tamper(sql`delete from audit.entry where seq = 4`);
  expect((await verify(log.parts)).damage).toMatchObject([{ kind: 'delete', seq: 4 }]);
});

test('the database refuses deletes outside a prune, and a prune without its entry', async () => {
  await oldEntries();
  const cannot = 'the audit log cannot be changed';
  await expect(log.db.run(sql`delete from audit.entry where seq = 1`)).rejects.toThrow(cannot);
  await expect(log.db.run(store.horizonTo('governance', 3))).rejects.toThrow('governed change without audit entry');
  await expect(log.db.run(store.horizonTo('governance', 2))).rejects.toThrow('up to a checkpoint alone');
  await prune(log.parts, lastMonth);
  await expect(log.db.run(sql`delete from audit.entry where seq = 4`)).rejects.toThrow(cannot);
  await expect(log.db.run(sql`update audit.horizon set up_to = 1`)).rejects.toThrow('stays pruned');
  await expect(log.db.run(sql`delete from audit.horizon`)).rejects.toThrow('stays pruned');
});

test('a log that does not match its checkpoints is not pruned', async () => {
  await oldEntries();
  await log.tamper(sql`update audit.entry set body = replace(body, 'user-5', 'user-9') where seq = 5`);
  await log.write('user-6');
  await log.tamper(sql`update audit.checkpoint set peaks = array['00', '11']`);
  await expect(prune(log.parts, lastMonth)).rejects.toThrow(Mismatch);
  expect(await seqs()).toEqual([1, 2, 3, 4, 5, 6]);
});

/** Restores the database to its first three entries, but not the outside files. */
async function restoreBackup(): Promise<void> {
  await log.tamper(
    sql`delete from audit.entry where chain = 'governance' and seq > 3`,
    sql`delete from audit.checkpoint where chain = 'governance' and size > 3`,
    sql`update audit.head set seq = 3, hash = (select hash from audit.entry where chain = 'governance' and seq = 3) where chain = 'governance'`,
  );
}

test('a restore from a backup is reported as a rollback, signing stops, and a reseal records it (T105)', async () => {
  const { head } = await verify(log.parts);
  await restoreBackup();
  await expect(log.sign()).rejects.toThrow('The log does not have it');
  expect((await verify(log.parts)).damage).toMatchObject([{ kind: 'rollback', seq: 4 }]);
  await log.write('written since');
  await expect(log.sign()).rejects.toThrow(Mismatch);
  expect((await verify(log.parts)).damage).toMatchObject([{ kind: 'rollback', seq: 4 }]);

  expect(await reseal(log.parts, { reason: 'disk died', by: 'root' })).toEqual([
    { chain: 'governance', lost: 5, kept: 3 },
  ]);
  await log.write('after');
  await log.sign();
  const result = await verify(log.parts, { head });
  expect(result.damage).toEqual([]);
  expect(result.verdict).toBe('true_as_anchored');
  expect(result.notices.map(({ kind, seq }) => `${seq} ${kind}`)).toContain('5 discontinuity');
  expect(result.notices[0]?.detail).toContain('disk died');
  expect(await strangerSays()).toMatchObject({ code: 0, stdout: expect.stringContaining('discontinuity') });
  expect(await reseal(log.parts, { reason: 'again', by: 'root' })).toEqual([]);
});

test('a reseal covers only its own rollback: a later rollback, or an entry without the key, is damage (T105)', async () => {
  await restoreBackup();
  await log.write('written since');
  await reseal(log.parts, { reason: 'disk died', by: 'root' });
  await log.write('after');
  await log.sign();
  await log.tamper(
    sql`delete from audit.entry where chain = 'governance' and seq > 5`,
    sql`delete from audit.checkpoint where chain = 'governance' and size > 5`,
    sql`update audit.head set seq = 5, hash = (select hash from audit.entry where chain = 'governance' and seq = 5) where chain = 'governance'`,
  );
  expect((await verify(log.parts)).damage).toMatchObject([{ kind: 'rollback', seq: 6 }]);
});

test('a rollback without the key stays damage: a forged reseal entry changes nothing', async () => {
  const lost = (await store.newestCheckpoint(log.db, 'governance'))?.note ?? '';
  await restoreBackup();
  const body = JSON.stringify({
    event: 'governance.resealed',
    outcome: 'done',
    actor: { name: 'x' },
    detail: { lost, kept: 3, reason: 'none' },
  });
  await log.db.one(sql`select seq from audit.append('governance', ${body}, '{}')`);
  expect((await verify(log.parts)).damage).toMatchObject([{ kind: 'rollback', seq: 4 }]);
  expect(await strangerSays()).toMatchObject({ code: 1 });
});

test('a reseal that is interrupted between its steps can be repeated, and both entries stay', async () => {
  await restoreBackup();
  const outside = log.parts.outside_file?.path ?? '';
  await copyFile(outside, `${outside}.before`);
  const failing = {
    ...log.parts,
    own_file: { ...log.parts.own_file, append: async () => await Promise.reject(new Error('no space')) },
  };
  await expect(reseal(failing, { reason: 'first', by: 'root' })).rejects.toThrow('no space');
  await log.sign();
  expect((await verify(log.parts)).damage).toEqual([]);
  expect(await reseal(log.parts, { reason: 'second', by: 'root' })).toEqual([]);
});
