// The real service and its log: it signs by itself and writes heartbeats. It is not ready if the log does not match its checkpoints.
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { testConfig } from '../../../testing/config.ts';
import { testLog } from '../../../testing/access/proof.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';
import { logCheck } from '../../../service/log-check.ts';
import { checkpointFile } from '../checkpoints/checkpoint-file.ts';
import { beat } from './heartbeat.ts';
import { startSealer } from './sealer.ts';
import { verify } from '../verification/verify.ts';

let app: TestApp;
let volume: string;
beforeAll(async () => {
  volume = await mkdtemp(join(tmpdir(), 'gantry-test-volume-'));
  const key_file = join(volume, 'key');
  const anchor_file = join(volume, 'anchors');
  app = await testApp({ config: { audit: { ...testConfig().audit, key_file, anchor_file, heartbeat_seconds: 0.5 } } });
});
afterAll(async () => {
  await app?.stop();
  // A last signature at the end: all entries are already signed.
  const last = (await readFile(join(volume, 'anchors'), 'utf8')).trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ kind: 'checkpoint' });
  await rm(volume, { recursive: true, force: true });
});

const ready = async () => (await fetch(`${app.url}/readyz`)).status;

test('the key is a separate file, closed to other users, with its public half beside it', async () => {
  expect((await stat(join(volume, 'key'))).mode & 0o777).toBe(0o400);
  const { public_key, log } = await app.admin.client.call('audit.key', {});
  expect(await readFile(join(volume, 'key.pub'), 'utf8')).toBe(public_key);
  expect(log).toMatch(/^gantry\/[0-9a-f-]{36}$/);
  const rows = await app.db.all(sql`select 1 from audit.checkpoint where note like ${`%${app.secret_key}%`}`);
  expect(rows).toEqual([]);
});

test('the service signs all entries, in the database, in its directory and outside, and reports them as anchored', async () => {
  await expect.poll(ready, { timeout: 10_000 }).toBe(200);
  const { seq } = (await app.db.one<{ seq: number }>(sql`select seq from audit.head where chain = 'governance'`)) ?? {
    seq: 0,
  };
  const proof = await app.admin.client.call('audit.prove', { params: { chain: 'governance', seq: String(seq) } });
  expect(proof.checkpoint).toContain('/governance\n');
  const result = await app.admin.client.call('audit.verify', { query: {} });
  expect(result).toMatchObject({ verdict: 'true_as_anchored', damage: [] });
  const texts = await Promise.all(
    [join(app.data_dir, 'audit', 'checkpoints'), join(volume, 'anchors')].map(
      async (file) => await readFile(file, 'utf8'),
    ),
  );
  for (const text of texts) expect(text).toContain(JSON.stringify(proof.checkpoint));
});

test('a heartbeat comes once per interval, and its absence is reported', async () => {
  const beats = async () =>
    (
      await app.db.all<{ at: string }>(
        sql`select occurred_at as at from audit.entry where event = 'audit.heartbeat' order by seq`,
      )
    ).map(({ at }) => Date.parse(at));
  await expect.poll(async () => (await beats()).length, { timeout: 20_000 }).toBeGreaterThan(2);
  const times = await beats();
  expect(times.slice(1).filter((at, n) => at - (times[n] ?? 0) < 490)).toEqual([]);
});

test('a log that is rolled back behind its checkpoints makes the service not ready, with the reason', async () => {
  expect(await ready()).toBe(200);
  const anchors = join(volume, 'anchors');
  await copyFile(anchors, `${anchors}.kept`);
  await app.db.transaction(async (tx) => {
    await tx.run(sql`alter table audit.checkpoint disable trigger append_only`);
    await tx.run(sql`delete from audit.checkpoint where chain = 'governance'`);
    await tx.run(sql`alter table audit.checkpoint enable always trigger append_only`);
  });
  await app.admin.client.call('teams.create', { body: { name: 'after' } });
  const { damage } = await app.admin.client.call('audit.verify', { query: {} });
  expect(damage[0]).toMatchObject({ kind: 'checkpoint_missing' });
  const answered = await fetch(`${app.url}/readyz`);
  expect(answered.status).toBe(503);
  expect(await answered.json()).toMatchObject({
    code: 'log_mismatch',
    detail: expect.stringContaining('The log does not have it'),
  });
  expect(await readFile(anchors, 'utf8')).toBe(await readFile(`${anchors}.kept`, 'utf8'));
});

test('two simultaneous heartbeats are one; an empty log has none; a silence gives a notice', async () => {
  const log = await testLog();
  try {
    expect(await beat(log.db, 60)).toBe(60);
    await log.write('first');
    expect(await beat(log.db, 60)).toBeGreaterThan(50);
    await log.db.run(
      sql`create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''2 minutes'''`,
    );
    await Promise.all([beat(log.db, 60), beat(log.db, 60), beat(log.db, 60)]);
    const beats = await log.db.all(sql`select 1 from audit.entry where event = 'audit.heartbeat'`);
    expect(beats).toHaveLength(1);
    await log.db.run(
      sql`create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''1 hour'''`,
    );
    await beat(log.db, 60);
    await log.sign();
    expect((await verify(log.parts)).notices).toMatchObject([{ kind: 'silence', seq: 3 }]);
  } finally {
    await log.close();
  }
});

test('a missing volume is reported, nothing counts as checked without it, and its file is completed after its return', async () => {
  const log = await testLog();
  await log.write('first');
  const volume = join(log.directory, 'volume');
  await writeFile(volume, 'not mounted');
  const parts = { ...log.parts, outside_file: checkpointFile(join(volume, 'anchors')) };
  const sealer = startSealer(parts, { heartbeat_seconds: 0.1, onError: () => {} });
  try {
    await expect.poll(() => sealer.trouble(), { timeout: 10_000 }).toContain('ENOTDIR');
    expect([sealer.checked(), sealer.fault()]).toEqual([false, undefined]);
    // A verification works meanwhile.
    await sealer.seal();
    const look = logCheck(sealer, { anchor_file: join(volume, 'anchors'), data_dir: '/dev/shm' });
    expect(await look.look(AbortSignal.timeout(1000))).toMatchObject({ verdict: 'problem' });
    // The service does not create its directory: that would be on the volume below.
    await rm(volume);
    await expect.poll(() => sealer.trouble(), { timeout: 10_000 }).toContain('ENOENT');
    await mkdir(volume);
    await expect.poll(() => sealer.checked(), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => sealer.trouble(), { timeout: 10_000 }).toBe(undefined);
    expect(await look.look(AbortSignal.timeout(1000))).toMatchObject({ verdict: 'ok' });
    const same = logCheck(sealer, { anchor_file: join(volume, 'anchors'), data_dir: log.directory });
    expect(await same.look(AbortSignal.timeout(1000))).toMatchObject({
      verdict: 'warning',
      detail: expect.stringContaining("on the volume of the service's data"),
    });
    expect((await verify(parts)).verdict).toBe('true_as_anchored');
  } finally {
    await sealer.stop();
    await log.close();
  }
});

test('two simultaneously signing servers sign one chain of checkpoints, and each has all of it', async () => {
  const log = await testLog();
  const other = { ...log.parts, own_file: { ...log.parts.own_file, path: join(log.directory, 'other') } };
  const settings = { heartbeat_seconds: 3600, onError: (error: unknown) => expect(error).toBe(undefined) };
  const sealers = [startSealer(log.parts, settings), startSealer(other, settings)];
  try {
    for (let n = 0; n < 10; n++) {
      await log.write(`entry-${n}`);
      await Promise.all(sealers.map(async (sealer) => await sealer.seal()));
    }
    expect(sealers.map((sealer) => sealer.fault())).toEqual([undefined, undefined]);
    expect(await verify(log.parts)).toMatchObject({ verdict: 'true_as_anchored', damage: [] });
  } finally {
    for (const sealer of sealers) await sealer.stop();
    await log.close();
  }
});
