import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { approvedVersions } from '../../agents/approvals/approval-for.ts';
import { refuseApprovedNewest } from '../../agents/approvals/submit.ts';
import { governanceHead } from '../../governance/audit/chain.ts';
import { openDatabase, type Database, type Reader } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';
import { instanceEpoch, servedTo } from '../../agents/deploy/serving/serving.ts';
import { identityOf, isPresent, openSessions } from '../../people/login/authenticate.ts';
import { requiredGuardrails } from '../../people/principals/required-guardrails.ts';
import { assetFor } from '../../assets/registry/asset-copies.ts';
import { details } from '../../assets/registry/assets/show.ts';
import { seedCast, type Cast } from '../../testing/access/cast.ts';
import { serveAgent, storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { copies_pool, openCopies, wanted, type Copies, type Kind, type PresenceOf } from './copies.ts';

let database: TestDatabase;
let cast: Cast;
let agent: StoredAgent;
let revision_id: string;
let ada: string;
const opened: Database[] = [];

beforeAll(async () => {
  database = await testDatabase();
  cast = await seedCast(database.db);
  ada = cast.id('ada');
  agent = await storeAgent(database, 'ada@example.com', { name: 'greeter' });
  const governed = async (query: Sql) =>
    await cast.write(/(?:update|insert into)\s+(\w+)/.exec(query.strings[0] ?? '')?.[1] ?? '', query);
  revision_id = await serveAgent({ db: database.db, governed }, agent, 'http://192.0.2.1:0');
});
afterAll(async () => {
  for (const db of opened) await db.close();
  await database.close();
});

/** The copies of a further process, and the number of its statements. */
function service(): { copies: Copies; statements: () => number } {
  const db = openDatabase(database.app, copies_pool);
  opened.push(db);
  let statements = 0;
  const counted = (reader: Reader): Reader => ({
    all: async (query) => (statements++, await reader.all(query)),
    one: async (query) => (statements++, await reader.one(query)),
  });
  const snapshot: Database['snapshot'] = async (read) =>
    await db.snapshot(async (reader) => await read(counted(reader)));
  const question = { proofs: [governanceHead, instanceEpoch], openSessions };
  return { copies: openCopies({ ...db, ...counted(db), snapshot }, question), statements: () => statements };
}

async function openSession(): Promise<PresenceOf & { presence: { session: string } }> {
  const session_id = randomUUID();
  await database.db.run(
    sql`insert into session (id, user_id, expires_at) values (${session_id}, ${ada}, now() + interval '1 day')`,
  );
  return { presence: { session: session_id }, subject: ada };
}

const everything = () => ({
  identity: identityOf(ada),
  served: servedTo(ada, 'greeter'),
  required: requiredGuardrails(),
});

test('one query answers all waiting requests', async () => {
  const { copies, statements } = service();
  const session = await openSession();
  const ask = async () => await copies.read(session, everything());
  await ask();
  const before = statements();
  const answers = await Promise.all(Array.from({ length: 50 }, ask));
  expect(answers.map((answer) => answer?.found.served?.agent.ref)).toEqual(Array(50).fill('agents/greeter'));
  expect(statements() - before).toBe(1);
});

test('a key that the database refuses fails its own request alone', async () => {
  const { copies } = service();
  const session = await openSession();
  const kind: Kind<string, object> = {
    name: 'picky',
    textOf: (key) => key,
    load: async (db, keys) => await db.all(sql`select id from unnest(${keys}::uuid[]) as id`),
  };
  const keys = Array.from({ length: 9 }, (_, n) => (n === 4 ? 'no id' : randomUUID()));
  const answers = await Promise.allSettled(
    keys.map(async (key) => await copies.read(session, { one: wanted(kind, key) })),
  );
  const ids = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value?.found.one : 'refused'));
  expect(ids).toEqual(keys.map((id) => (id === 'no id' ? 'refused' : { id })));
});

test('a missing name is queried each time, and takes no memory', async () => {
  const { copies, statements } = service();
  const session = await openSession();
  const ask = async () =>
    await copies.read(session, { asset: assetFor({ kind: 'tool', name: 'none', caller_id: ada }) });
  for (let round = 0; round < 2; round++) {
    const before = statements();
    expect((await ask())?.found.asset).toBeUndefined();
    expect(statements() - before).toBe(3);
  }
});

test('nobody changes what others share', async () => {
  const { copies } = service();
  const read = await copies.read(await openSession(), everything());
  expect(() => read?.found.identity?.memberships.pop()).toThrow(TypeError);
  expect(() => read?.found.served?.agent.entries.pop()).toThrow(TypeError);
});

test('a read as of a request’s moment gets exactly that moment, or a later one for all parts', async () => {
  const { copies } = service();
  const session = await openSession();
  const first = await copies.read(session, everything());
  expect((await copies.read(session, everything(), first?.moment))?.moment).toBe(first?.moment);
  await cast.write('app_user', sql`update app_user set name = 'Ada' where id = ${ada} returning id`);
  await copies.read(session, everything());
  const later = await copies.read(session, everything(), first?.moment);
  expect(later?.moment).not.toBe(first?.moment);
  expect(later?.found.identity?.name).toBe('Ada');
});

test('a copy from before a restore does not count again when an instance moves', async () => {
  const { copies } = service();
  const session = await openSession();
  const { db } = database;
  const move = (port: number) =>
    sql`update instance set url = ${`http://192.0.2.1:${port}`} where revision_id = ${revision_id}`;
  const seen = async () => (await copies.read(session, everything()))?.found.served?.route?.addresses[0]?.url;
  await db.run(move(1));
  const old = await db.one<{ epoch: string }>(sql`select epoch from instance_epoch`);
  await db.run(move(2));
  expect(await seen()).toBe('http://192.0.2.1:2');
  await db.transaction(async (tx) => {
    await tx.run(sql`set local session_replication_role = replica`);
    await tx.run(move(1));
    await tx.run(sql`update instance_epoch set epoch = ${old?.epoch}`);
  });
  await db.run(move(3));
  expect(await seen()).toBe('http://192.0.2.1:3');
});

test('without a database answer within two seconds every request is refused', async () => {
  const { copies } = service();
  const session = await openSession();
  await copies.read(session, everything());
  const started = await database.db.transaction(async (tx) => {
    await tx.run(sql`lock table audit.head in access exclusive mode`);
    const started_at = performance.now();
    const first = copies.read(session, everything());
    // The second read also waits for the question of the first one.
    await setImmediate();
    const reads = await Promise.allSettled([first, copies.read(session, everything())]);
    expect(reads).toMatchObject([{ reason: { code: 'starting' } }, { reason: { code: 'starting' } }]);
    return started_at;
  });
  expect(performance.now() - started).toBeLessThan(3000);
  expect(await copies.read(session, everything())).toBeDefined();
});

test('a token of another issuer is present in the same question, and never after its end', async () => {
  const { copies, statements } = service();
  const [row] = await database.db.all<{ until: string }>(sql`select clock_now() + interval '1 hour' as until`);
  const of = (until: string) => ({ presence: { token: 'of another issuer', until }, subject: ada });
  const present = of(row?.until ?? '');
  expect((await copies.read(present, everything()))?.found.identity).toMatchObject({ id: ada });
  const before = statements();
  expect(await copies.read(present, everything())).toBeDefined();
  expect(statements()).toBe(before + 1);
  for (const until of ['', 'never', '2020-01-01T00:00:00Z'])
    expect(await copies.read(of(until), everything())).toBeUndefined();

  const at = (interval: string) => ({
    strings: [
      `create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''${interval}'''`,
    ],
    values: [],
  });
  await database.db.run(at('61 minutes'));
  try {
    expect(await copies.read(present, everything())).toBeUndefined();
    expect(await isPresent(database.db, present)).toBe(false);
  } finally {
    await database.db.run(at('0'));
  }
  expect(await isPresent(database.db, present)).toBe(true);
});

test('on two services no answer is older than its request or mixes two moments', async () => {
  const services = [service(), service()];
  const grant = authorize(systemCaller('system.seed'), 'system.seed', theOrg);
  // The oldest state that a reader may see. Each is set after its write’s commit.
  const done = { governed: 0, url: 0 };
  const ended = new Set<PresenceOf>();
  let open = await openSession();
  let writing = true;

  const governed = async () => {
    for (let n = 1; n <= 150; n++) {
      await change(database.db, grant, 'user.changed', async (tx) => {
        await tx.write('app_user', sql`update app_user set name = ${String(n)} where id = ${ada} returning id`);
        await tx.write(
          'asset',
          sql`update asset set description = ${String(n)} where id = ${agent.asset_id} returning id`,
        );
      });
      done.governed = n;
    }
  };
  const moves = async () => {
    for (let n = 1; n <= 150; n++) {
      await database.db.run(
        sql`update instance set url = ${`http://192.0.2.1:${n}`} where revision_id = ${revision_id}`,
      );
      done.url = n;
    }
  };
  const sessions = async () => {
    for (let n = 0; n < 50; n++) {
      const old = open;
      open = await openSession();
      await database.db.run(sql`update session set revoked_at = clock_now() where id = ${old.presence.session}`);
      ended.add(old);
    }
  };
  let answers = 0;
  const reads = async ({ copies }: { copies: Copies }) => {
    while (writing) {
      // Copies of only one part, which a reader of both may find.
      if (Math.random() < 0.5) await copies.read(open, { served: servedTo(ada, 'greeter') });
      const [session, least] = [open, { ...done }];
      const hadEnded = ended.has(session);
      const read = await copies.read(session, everything());
      if (hadEnded) expect(read).toBeUndefined();
      if (read === undefined) continue;
      const { identity, served } = read.found;
      const url = Number(served?.route?.addresses[0]?.url.split(':')[2]);
      expect(identity?.name).toBe(served?.agent.description);
      expect(Number(identity?.name)).toBeGreaterThanOrEqual(least.governed);
      expect(url).toBeGreaterThanOrEqual(least.url);
      answers++;
    }
  };
  await cast.write('app_user', sql`update app_user set name = '0' where id = ${ada} returning id`);
  await cast.write('asset', sql`update asset set description = '0' where id = ${agent.asset_id} returning id`);
  const writers = Promise.all([governed(), moves(), sessions()]).finally(() => (writing = false));
  await Promise.all([writers, ...services.flatMap((one) => Array.from({ length: 6 }, async () => await reads(one)))]);
  expect(answers).toBeGreaterThan(150);
});

test('a copy is filled only from tables that move its proof or never change', async () => {
  const proven = await database.db.all<{ table_name: string }>(sql`select table_name from audit.governed`);
  const moving = new Set([...proven.map(({ table_name }) => table_name), 'instance']);
  // A pin comes once for an older content, and decides only if its base image is shown as changed.
  const immutable = new Set(['content', 'base_pin']);
  const kinds = [
    identityOf(ada),
    servedTo(ada, 'greeter'),
    assetFor({ kind: 'agent', name: 'greeter', caller_id: ada }),
    wanted(details({ findApproved: approvedVersions, refuseApprovedNewest }), {
      kind: 'agent',
      name: 'greeter',
      caller_id: ada,
    }),
    requiredGuardrails(),
  ];
  for (const { kind, key } of kinds) {
    const read = new Set<string>();
    const explaining: Reader = {
      all: async (query) => {
        for (const table of await tablesOf(database.db, query)) read.add(table);
        return await database.db.all(query);
      },
      one: async (query) => (await explaining.all<never>(query))[0],
    };
    expect((await kind.load(explaining, [key]))[0]).toBeDefined();
    expect(read.size).toBeGreaterThan(0);
    expect([kind.name, [...read].filter((table) => !moving.has(table) && !immutable.has(table))]).toEqual([
      kind.name,
      [],
    ]);
  }
});

async function tablesOf(db: Database, query: Parameters<Reader['all']>[0]): Promise<string[]> {
  const plan = JSON.stringify(await db.all(sql`explain (format json) ${query}`));
  return [...plan.matchAll(/"Relation Name":"(\w+)"/g)].map(([, name = '']) => name);
}

test('a governed change with its entry outside the governance chain is refused', async () => {
  const grant = authorize(systemCaller('system.seed'), 'system.seed', theOrg);
  const write = async (event: 'user.changed' | 'session.revoked') =>
    await change(database.db, grant, event, async (tx) => {
      await tx.write('app_user', sql`update app_user set name = 'other' where id = ${ada} returning id`);
    });
  await write('user.changed');
  await expect(write('session.revoked')).rejects.toThrow('governed change without audit entry');
});
