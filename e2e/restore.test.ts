// A real restore: the database's earlier files, with the present file on the other volume. The lost entries are detected, reported, and
// stay on record.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { install, type OwnInstallation } from './installation.ts';

const run = promisify(execFile);
let gantry: OwnInstallation;
let volume: string;
beforeAll(async () => {
  volume = await mkdtemp(join(tmpdir(), 'gantry-e2e-volume-'));
  gantry = await install({ AUDIT_ANCHOR_FILE: join(volume, 'anchors') });
});
afterAll(async () => {
  await gantry.stop();
  await rm(volume, { recursive: true, force: true });
});

const cluster = () => join(gantry.data_dir, 'postgresql', 'data');
const backup = () => join(gantry.directory, 'backup');

test('with a file on another volume the log is true as anchored, and a stopped server has signed all entries', async () => {
  await gantry.must('svc team create before');
  expect((await gantry.must('svc audit verify')).output).toContain('true as anchored');
  await gantry.must('svc server stop');
  await run('cp', ['-a', cluster(), backup()]);
  await gantry.must('svc server start');
  await gantry.must('svc team create lost');
  await gantry.must('svc audit verify --json');
});

test('with a restored database the service answers, is not ready, and gives the reason', async () => {
  await gantry.must('svc server stop');
  await rm(cluster(), { recursive: true });
  await run('cp', ['-a', backup(), cluster()]);
  const started = await gantry.type('svc server start');
  expect(started).toMatchObject({ code: 1, output: expect.stringContaining('It is not ready') });
  expect((await fetch(`${gantry.url}/readyz`)).status).toBe(503);
  expect(await gantry.type('svc server status')).toMatchObject({
    code: 3,
    output: expect.stringContaining('not ready'),
  });
  expect(await gantry.type('svc audit verify')).toMatchObject({ code: 1, output: expect.stringContaining('rollback') });
});

test('a reseal beside the running service records the lost entries, and the log is true from there', async () => {
  const { output } = await gantry.must('svc audit reseal --reason "restored last night’s backup"');
  expect(output).toContain('✓ governance continues after entry');
  const verified = await gantry.must('svc audit verify');
  expect(verified.output).toContain('restored last night’s backup');
  expect(verified.output).toMatch(/governance\/\d+\s+discontinuity/);
  expect((await fetch(`${gantry.url}/readyz`)).status).toBe(200);
  expect((await gantry.must('svc audit --action governance')).output).toContain('continued the log of changes');
  await gantry.must('svc server stop');
  await gantry.must('svc server start');
  await gantry.must(`svc audit verify --anchor ${join(volume, 'anchors')}`);
});
