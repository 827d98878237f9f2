// The real program, on a database whose owner it does not know.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Connection } from './ground/database/database.ts';
import { processEnvironment } from './ground/config/config.ts';
import { freePort } from './testing/servers/free-port.ts';
import { testDatabase, type TestDatabase } from './testing/test-database.ts';

const program = resolve(import.meta.dirname, '../start.js');
const name = `gantry_owned_${randomBytes(6).toString('hex')}`;
let database: TestDatabase;
let directory: string;
let url: string;
let environment: Record<string, string | undefined>;
let owner: Connection;
beforeAll(async () => {
  database = await testDatabase();
  directory = await mkdtemp(join(tmpdir(), 'gantry-await-schema-'));
  await say(`create role ${name} login password 'of the owner'`);
  await say(`create database ${name} owner ${name}`);
  owner = { ...database.connection, user: name, password: 'of the owner', database: name };
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const { BASE_URL: _, MIGRATION_DATABASE_URL: __, ...inherited } = processEnvironment();
  environment = {
    ...inherited,
    DATABASE_URL: urlOf({ ...database.app, database: name }),
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: url,
    HOST: '127.0.0.1',
    PORT: String(port),
    GATEWAY_PORT: String(await freePort()),
    HOME: directory,
    XDG_CONFIG_HOME: directory,
  };
});
afterAll(async () => {
  if (database !== undefined) {
    await say(`drop database if exists ${name} with (force)`);
    await say(`drop role if exists ${name}`);
    await database.close();
  }
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

const say = async (statement: string) => await database.db.run({ strings: [statement], values: [] });

test('a service without its owner waits for the migrations, says so, and begins when somebody else has run them', async () => {
  await using service = run(['serve', '--role', 'gateway'], { DATA_DIR: join(directory, 'serve') });
  await expect.poll(async () => await statusOf('/livez'), { timeout: 20_000 }).toBe(200);
  const waiting = await fetch(`${url}/readyz`);
  expect(waiting.status).toBe(503);
  expect(await waiting.json()).toMatchObject({ code: 'starting', detail: expect.stringContaining('start.js migrate') });
  expect(await statusOf('/v1/models')).toBe(503);

  const own = { DATA_DIR: join(directory, 'migrate') };
  await using refused = run(['migrate'], own);
  expect(await refused.ended()).toMatchObject({ code: 1, said: expect.stringContaining('MIGRATION_DATABASE_URL') });
  await using seeding = run(['seed', '--password-file', join(directory, 'password')], own);
  expect(await seeding.ended()).toMatchObject({ code: 1, said: expect.stringContaining('start.js migrate') });
  expect(await statusOf('/readyz')).toBe(503);

  const as_owner = { ...own, MIGRATION_DATABASE_URL: urlOf(owner) };
  await using migrating = run(['migrate'], as_owner);
  expect(await migrating.ended()).toMatchObject({ code: 0, said: expect.stringContaining('001-') });
  await expect.poll(async () => await statusOf('/readyz'), { timeout: 20_000 }).toBe(200);
  await using again = run(['migrate'], as_owner);
  expect(await again.ended()).toMatchObject({ code: 0, said: expect.stringContaining('{"migrations":[]}') });
  service.stop();
  const { code, said } = await service.ended();
  expect(code).toBe(0);
  expect(said).toContain('the service waits: The database lacks');
});

test('a service that waits ends at SIGTERM', async () => {
  await say(`create database ${name}_empty owner ${name}`);
  await using service = run(['serve', '--role', 'gateway'], {
    DATA_DIR: join(directory, 'stopped'),
    DATABASE_URL: urlOf({ ...database.app, database: `${name}_empty` }),
  });
  await expect.poll(async () => await statusOf('/livez'), { timeout: 20_000 }).toBe(200);
  service.stop();
  expect(await service.ended()).toMatchObject({ code: 0, said: expect.stringContaining('the service waits') });
  await say(`drop database ${name}_empty with (force)`);
});

/** Undefined while nothing listens there. */
async function statusOf(path: string): Promise<number | undefined> {
  return (await fetch(`${url}${path}`).catch(() => undefined))?.status;
}

function run(words: string[], more: Record<string, string>) {
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  return {
    stop: () => void child.kill('SIGTERM'),
    ended: async () => ({ code: (await closed)[0], said: (await said).join('') }),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

function urlOf({ host = '', port, user, password = '', database: of }: Connection): string {
  const at = new URL(`postgresql://localhost:${port}/${of}`);
  at.username = user ?? '';
  at.password = password;
  at.searchParams.set('host', host);
  return at.href;
}
