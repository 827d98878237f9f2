// A service that is killed while it reads documents: after its next start the refresh ends, and no container is left.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../server/src/ground/database/sql.ts';
import { docx } from '../server/src/testing/knowledge/office-files.ts';
import { databaseOf } from './database-of.ts';
import { engineOf, type Seen } from './engine-of.ts';
import { install, type OwnInstallation } from './installation.ts';
import { isAlive } from './is-alive.ts';

let gantry: OwnInstallation;
let seen: Seen;
beforeAll(async () => {
  gantry = await install();
  seen = await engineOf(gantry);
  await gantry.must('svc team create ml');
  await gantry.must(`svc registry knowledge-base create handbook --team ml --config '{uploads: true}'`);
});
afterAll(async () => await gantry?.stop());

test('after kill -9 and a start the refresh reads on, and there is no container of it', async () => {
  // The image of the reader is made.
  await upload('first.csv', 'a,b\n1,2\n');
  await gantry.must('svc kb refresh handbook');
  const refreshing = await killWhileReading('long.docx', 'The last word is kettle.');
  await gantry.must('svc server start');
  // The client finds the service again.
  expect((await refreshing()).code).toBe(0);
  const found = async () => (await gantry.type('svc kb search handbook kettle')).output;
  await expect.poll(found, { timeout: 240_000, interval: 1000 }).toContain('The last word is kettle.');
  expect(await seen.containers('sandbox')).toEqual([]);
});

test('of a refresh that is cancelled before it reads on there is no container, and what served before serves', async () => {
  const refreshing = await killWhileReading('longer.docx', 'The last word is toaster.', async () => {
    // As a request to cancel that arrives in the moment before the kill.
    const db = await databaseOf(gantry);
    await db.run(sql`
      update run set state = 'cancelling', cancel_requested_at = clock_now() where kind = 'refresh' and ended_at is null`);
    await db.close();
  });
  await gantry.must('svc server start');
  await expect.poll(async () => await seen.containers('sandbox'), { timeout: 60_000, interval: 100 }).toEqual([]);
  expect((await refreshing()).code).not.toBe(0);
  expect((await gantry.type('svc kb search handbook toaster')).output).not.toContain('The last word');
  expect((await gantry.must('svc kb search handbook kettle')).output).toContain('The last word is kettle.');
});

async function upload(name: string, content: string | Buffer): Promise<void> {
  await writeFile(join(gantry.data_dir, name), content);
  await gantry.must(`svc kb upload handbook ${join(gantry.data_dir, name)}`);
}

/** A container of the killed service is left. Returns the command, which waits for the service. */
async function killWhileReading(name: string, last: string, before = async () => {}) {
  const long = Array.from({ length: 40_000 }, (): [string, string] => ['', 'word']);
  await upload(name, docx([...long, ['', last]], { compress: true }));
  const refreshing = gantry.type('svc kb refresh handbook');
  await expect.poll(async () => (await seen.running('sandbox')).length, { timeout: 120_000, interval: 20 }).toBe(1);
  const pid = await gantry.pid();
  process.kill(pid, 'SIGSTOP');
  await before();
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => await isAlive(pid)).toBe(false);
  expect(await seen.containers('sandbox')).toHaveLength(1);
  return async () => await refreshing;
}
