import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Config } from './ground/config/config.ts';
import { powers } from './ground/database/app-role.ts';
import { openDatabase, type Connection } from './ground/database/database.ts';
import { openFoundation } from './foundation.ts';
import { seed } from './people/principals/seed.ts';
import { machineChecks } from './service/checks.ts';
import { testConfig } from './testing/config.ts';
import { testDatabase, type TestDatabase } from './testing/test-database.ts';

let database: TestDatabase;
let data_dir: string;
beforeAll(async () => {
  database = await testDatabase();
  data_dir = await mkdtemp(join(tmpdir(), 'gantry-foundation-'));
  // When the tests run as root, the embedded cluster belongs to another OS user.
  await chmod(data_dir, 0o711);
});
afterAll(async () => {
  await database?.close();
  if (data_dir !== undefined) await rm(data_dir, { recursive: true });
});

test('the service does not own the embedded database', async () => {
  expect(await opened({ database_url: undefined, secret_key: undefined })).toMatchObject({
    role: 'svc_app',
    excess: [],
    finding: { verdict: 'ok' },
    free_bytes: expect.any(Number),
  });
});

test('other users of the machine cannot read the content of the data directory', async () => {
  // The previous test created it. The database's folder closes its own content.
  expect(await stillOpen(data_dir)).toEqual([]);
  expect((await stat(join(data_dir, 'secret-key'))).mode & 0o777).toBe(0o600);
  await chmod(join(data_dir, 'secret-key'), 0o644);
  expect(await stillOpen(data_dir)).toEqual([join(data_dir, 'secret-key')]);
});

test('an owner without superuser rights migrates, and the service connects as a role that owns nothing', async () => {
  const { db, connection, app } = database;
  const name = `gantry_owned_${randomBytes(6).toString('hex')}`;
  const say = async (statement: string) => await db.run({ strings: [statement], values: [] });
  await say(`create role ${name} login password 'of the owner'`);
  await say(`create database ${name} owner ${name}`);
  const owner = { ...connection, user: name, password: 'of the owner', database: name };
  const urls = { migration_database_url: urlOf(owner), database_url: urlOf({ ...app, database: name }) };
  // Twice: the second start changes nothing.
  for (let start = 0; start < 2; start++)
    expect(await opened(urls)).toMatchObject({
      role: 'svc_app',
      excess: [],
      finding: { verdict: 'ok' },
      free_bytes: undefined,
    });
  const service = openDatabase({ ...app, database: name });
  expect(await seed(service, { password_hash: '', must_change: false, issueKey: async () => 'none' })).toBe(true);
  await service.close();
  await say(`drop database ${name} with (force)`);
  await say(`drop role ${name}`);
});

test('a service with a separate owner does not start as that owner', async () => {
  const url = urlOf(database.connection);
  await expect(opened({ migration_database_url: url, database_url: url })).rejects.toThrow(
    'DATABASE_URL must connect as svc_app',
  );
});

test('a service that owns its database works, and doctor warns about it', async () => {
  const { excess, finding } = await opened({ database_url: urlOf(database.connection) });
  expect(excess).toContain('owns tables');
  expect(finding).toMatchObject({ verdict: 'warning', fix: expect.stringContaining('MIGRATION_DATABASE_URL') });
});

/** The service's role in its database, doctor's finding about it, and the free space of its disk. */
async function opened(settings: Partial<Config>) {
  const secret_key = 'a secret of the tests, long enough';
  const config: Config = { ...testConfig(), migration_database_url: undefined, secret_key, data_dir, ...settings };
  await using open = new AsyncDisposableStack();
  const { db, freeBytes, close } = await openFoundation(config);
  open.defer(close);
  const check = machineChecks(db, data_dir, 'any').find(({ part }) => part === 'database');
  return {
    ...(await powers(db)),
    free_bytes: await freeBytes?.(),
    finding: await check?.look(AbortSignal.timeout(10_000)),
  };
}

function urlOf({ host = '', port, user, password = '', database: name }: Connection): string {
  const at = new URL(`postgresql://localhost:${port}/${name}`);
  at.username = user ?? '';
  at.password = password;
  at.searchParams.set('host', host);
  return at.href;
}

/** The files that are readable for users who can pass through their parent directories. */
async function stillOpen(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const { mode } = await stat(path);
    if (entry.isDirectory() && (mode & 0o011) !== 0) found.push(...(await stillOpen(path)));
    if (entry.isFile() && (mode & 0o044) !== 0) found.push(path);
  }
  return found;
}
