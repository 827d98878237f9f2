// The real service on its own database, with real HTTP and a real worker. A test can also use the machine's container engine. The service
// connects with the role of an installation; the test itself is the database's owner. Passwords are hashed with bcrypt's lowest cost, and
// time is the database's clock, which a test can move.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import type { Role } from '@gantry/contract/roles.ts';
import { startApp } from '../app.ts';
import type { Config } from '../ground/config/config.ts';
import { openDatabase, type Connection, type Database } from '../ground/database/database.ts';
import { sql, type Sql } from '../ground/database/sql.ts';
import type { AwsEmulator, AzureEmulator, GoogleEmulator, MoreTarget } from '../agents/deploy/targets/index.ts';
import type { HostedPlugs } from '../agents/tools/hosted/plugs.ts';
import { connectEngine } from '../assets/docker/client.ts';
import { openEnvelope } from '../ground/envelope/envelope.ts';
import { openStoredKeys, type StoredKeys } from '../ground/envelope/stored-keys.ts';
import { issuesUserKeys } from '../models/keys/holders/member-keys.ts';
import { passwords } from '../people/login/password.ts';
import { undeclared_problem } from '../governance/http/listening/request-log.ts';
import { openLog } from '../ground/log.ts';
import { installationId, settings, type Settings } from '../people/principals/find.ts';
import { seed, seed_password } from '../people/principals/seed.ts';
import { testConfig } from './config.ts';
import { removeLeftovers } from './engine-leftovers.ts';
import { governedWrites } from './governed-writes.ts';
import { testDatabase, type TestDatabase } from './test-database.ts';

export interface TestUser {
  email: string;
  password: string;
  token: string;
  client: Client;
}

export interface TestApp {
  url: string;
  /** As the owner, past the service. */
  db: Database;
  /** The service's connection. */
  connection: Connection;
  secret_key: string;
  keys: StoredKeys;
  data_dir: string;
  anonymous: Client;
  /** The seeded platform admin. */
  admin: TestUser;
  as(token: string): Client;
  /** Stops the first service alone, so that `another` follows it. */
  stopFirst(): Promise<void>;
  /** Another service on the same database; it stops with the first. */
  another(more?: Partial<Config>): Promise<{ url: string; as(token: string): Client }>;
  /** A user who can sign in; missing `teams` are created. */
  user(
    email: string,
    more?: { password?: string; role?: Role; teams?: Record<string, Role>; must_change?: boolean },
  ): Promise<TestUser>;
  moveClock(interval: string): Promise<void>;
  /** A governed write past the API, with its own entry. */
  governed(statement: Sql): Promise<void>;
  settings(next: Partial<Omit<Settings, 'auth_provider'>>): Promise<void>;
  stop(): Promise<void>;
}

export interface TestAppSettings {
  /** `default`: like a fresh installation, with the documented password. */
  seeded?: 'default' | 'rotated';
  config?: Partial<Config>;
  /** A build of the console; without it, none is served. */
  console_dir?: string;
  /** Gets every line of the service's log. */
  onLog?: (line: string) => void;
  /** The free space of the disk with the database. Without it a test depends on no disk of the machine. */
  freeBytes?: () => Promise<number>;
  /** Besides those of targets/. */
  targets?: Record<string, MoreTarget>;
  /** Instead of a copy of the template. It closes with the app. */
  database?: TestDatabase;
  /** Instead of AWS. */
  aws_emulator?: AwsEmulator;
  /** Instead of Google. */
  google_emulator?: GoogleEmulator;
  /** Instead of Azure. */
  azure_emulator?: AzureEmulator;
  /** Instead of the container engine, for hosted MCP servers. */
  hosted?: HostedPlugs;
  /** Where the door of agents listens, instead of on their networks. */
  door_addresses?: string[];
}

export async function testApp({
  seeded = 'rotated',
  config: overrides = {},
  console_dir = '/nowhere',
  onLog,
  freeBytes,
  targets = {},
  aws_emulator,
  google_emulator,
  azure_emulator,
  hosted,
  door_addresses,
  database: other,
}: TestAppSettings = {}): Promise<TestApp> {
  const database = other ?? (await testDatabase());
  const { db } = database;
  const data_dir = await mkdtemp(join(tmpdir(), 'gantry-test-app-'));
  const secret_key = randomBytes(32).toString('base64');
  const keys = await openStoredKeys(db, { secret_key });
  const hashing = passwords(keys.password, 4);
  const admin_password = seeded === 'default' ? seed_password : 'the admin of the tests';
  const envelope = openEnvelope(keys.envelope);
  await seed(db, {
    password_hash: await hashing.hash(admin_password),
    must_change: seeded === 'default',
    issueKey: issuesUserKeys({ pepper: keys['key-pepper'], envelope }),
  });
  const config: Config = { ...testConfig(), data_dir, port: 0, host: '127.0.0.1', ...overrides };
  const lock = { announce: async () => {}, release: () => {} };
  const bugs: string[] = [];
  const write = (line: string) => {
    onLog?.(line);
    if (line.includes(undeclared_problem)) bugs.push(line);
  };
  const log = openLog(onLog === undefined ? 'error' : 'trace', { write });
  const start = async (more: Partial<Config> = {}) => {
    const service_db = openDatabase(database.app);
    return await startApp({ ...config, ...more }, log, {
      console_dir,
      targets,
      ...(aws_emulator && { aws_emulator }),
      ...(google_emulator && { google_emulator }),
      ...(azure_emulator && { azure_emulator }),
      ...(hosted && { hosted }),
      ...(door_addresses && { door_addresses: async () => await Promise.resolve(door_addresses) }),
      foundation: {
        db: service_db,
        secret_key,
        envelope,
        keys,
        passwords: hashing,
        lock,
        freeBytes,
        failed: new Promise<never>(() => {}),
        close: async () => await service_db.close(),
      },
    });
  };
  const app = await start();
  const others: Awaited<ReturnType<typeof start>>[] = [];
  const clientOf = (base_url: string) => (token?: string) => createClient({ base_url, token: () => token });
  const as = clientOf(app.url);

  const governed = governedWrites(db);

  const signIn = async (email: string, password: string): Promise<TestUser> => {
    const { access_token } = await as().call('auth.login', { body: { email, password } });
    return { email, password, token: access_token, client: as(access_token) };
  };

  const user: TestApp['user'] = async (
    email,
    { password = `password of ${email}`, role = 'viewer', teams = {}, must_change = false } = {},
  ) => {
    const hash = await hashing.hash(password);
    await governed(
      sql`insert into app_user (email, name, role, password_hash, must_change_password) values (${email}, ${email}, ${role}, ${hash}, ${must_change}) returning id`,
    );
    await governed(
      sql`insert into user_identity (provider, subject, user_id) select 'local', id, id from app_user where email = ${email} returning id`,
    );
    for (const [team, team_role] of Object.entries(teams)) {
      if ((await db.one(sql`select 1 from team where name = ${team}`)) === undefined)
        await governed(sql`insert into team (name) values (${team}) returning id`);
      await governed(
        sql`insert into membership (team_id, user_id, role) select t.id, u.id, ${team_role} from team t, app_user u where t.name = ${team} and u.email = ${email} returning id`,
      );
      await governed(
        sql`update app_user set primary_team_id = (select id from team where name = ${team}) where email = ${email} and primary_team_id is null returning id`,
      );
    }
    return await signIn(email, password);
  };

  return {
    url: app.url,
    db,
    connection: database.app,
    secret_key,
    keys,
    data_dir,
    anonymous: as(),
    admin: await signIn('admin@gantry.local', admin_password),
    as,
    stopFirst: async () => await app.stop(),
    another: async (more) => {
      const other = await start(more);
      others.push(other);
      return { url: other.url, as: clientOf(other.url) };
    },
    user,
    governed,
    // A function cannot take a parameter in its body; the interval is a test's own constant.
    moveClock: async (interval) =>
      void (await db.run({
        strings: [
          `create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''${interval}'''`,
        ],
        values: [],
      })),
    settings: async (next) => {
      const { auth_provider: _, ...now } = { ...(await settings(db)), ...next };
      await governed(sql`update org set enforce_password_change = ${now.enforce_password_change},
        require_approval_for_admins = ${now.require_approval_for_admins}, approvals_required = ${now.approvals_required},
        approval_expires_after_days = ${now.approval_expires_after_days} returning id`);
    },
    stop: async () => {
      const installation_id = await installationId(db);
      for (const one of [...others, app]) await one.stop();
      await database.close();
      // The service's containers can only be in this machine’s engine.
      await removeLeftovers(connectEngine({ docker_host: testConfig().engine_host, installation_id }));
      await rm(data_dir, { recursive: true, force: true });
      if (bugs.length > 0) throw new Error(bugs.join(''));
    },
  };
}
