import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { Disconnected, openDatabase, type Connection } from './database.ts';
import { sql } from './sql.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => await database?.close());

test('a transaction that throws leaves nothing', async () => {
  const { db } = database;
  await db.run(sql`create table kept (n integer)`);
  const failing = db.transaction(async (tx) => {
    await tx.run(sql`insert into kept values (${1})`);
    throw new Error('changed its mind');
  });
  await expect(failing).rejects.toThrow('changed its mind');
  expect(await db.all(sql`select n from kept`)).toEqual([]);
});

test('the last statement commits its transaction; when it or the commit fails, nothing is written', async () => {
  const { db } = database;
  await db.run(sql`create table ended (n integer check (n < 10), unique (n) deferrable initially deferred)`);
  const insert = async (first: number, last: number) =>
    await db.transaction(async (tx) => {
      await tx.run(sql`insert into ended values (${first})`);
      return await tx.last<{ n: number }>(sql`insert into ended values (${last}) returning n`);
    });
  const stored = async () => await db.all(sql`select n from ended order by n`);
  expect(await insert(1, 2)).toEqual({ n: 2 });
  await expect(insert(3, 10)).rejects.toThrow('violates check constraint');
  // The commit finds the fault, after the statement itself succeeded.
  await expect(insert(3, 2)).rejects.toThrow('duplicate key');
  expect(await stored()).toEqual([{ n: 1 }, { n: 2 }]);
  // The connections still work.
  expect(await Promise.all([insert(4, 5), insert(6, 7)])).toEqual([{ n: 5 }, { n: 7 }]);
  expect(await stored()).toHaveLength(6);
});

test('a statement sent with the begin belongs to its transaction, and to no later one', async () => {
  const { db } = database;
  const setting = sql`select current_setting('gantry.tried', true) as value`;
  const within = await db.transaction(
    async (tx) => await tx.one(setting),
    sql`select set_config('gantry.tried', ${'on'}, true)`,
  );
  expect(within).toEqual({ value: 'on' });
  expect(await db.all(setting)).not.toContainEqual(within);
});

test('a connection that breaks between two statements fails its transaction, but neither the process nor the next one', async () => {
  const { db } = database;
  const cut = db.transaction(async (tx) => {
    const own = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    await db.one(sql`select pg_terminate_backend(${own?.pid}::int)`);
    await sleep(200);
    await tx.one(sql`select 1`);
  });
  await expect(cut).rejects.toThrow(/terminat|not queryable|closed/i);
  expect(await db.transaction(async (tx) => await tx.one(sql`select 1 as one`))).toEqual({ one: 1 });
});

test('a listener without its server tries once a round, and is one listener again afterwards', async () => {
  await using door = await doorTo(database.connection);
  const db = openDatabase(door.connection, { reconnect_after_ms });
  const heard: string[] = [];
  const listener = await db.listen('news', (payload) => heard.push(payload));
  door.refuse(5);
  await expect.poll(() => heard, { timeout: 15_000 }).toEqual(['']);
  await sleep(rounds(10));
  expect(door.refused).toBe(5);
  expect(door.admitted).toBe(2);
  expect(await listeners()).toBe(1);
  await database.db.one(sql`select pg_notify('news', 'hello')`);
  await expect.poll(() => heard).toEqual(['', 'hello']);
  await listener.close();
  await expect.poll(listeners).toBe(0);
  await db.close();
});

test('a closed listener without its server stops trying', async () => {
  await using door = await doorTo(database.connection);
  const db = openDatabase(door.connection, { reconnect_after_ms });
  const listener = await db.listen('news', () => {});
  door.refuse(Infinity);
  await expect.poll(() => door.refused, { timeout: 15_000 }).toBeGreaterThan(2);
  await listener.close();
  const { refused } = door;
  await sleep(rounds(10));
  expect(door.refused).toBe(refused);
  await db.close();
});

test('a listener that never connected leaves no connection and no attempt', async () => {
  await using door = await doorTo(database.connection);
  const db = openDatabase(door.connection, { reconnect_after_ms });
  door.refuse(Infinity);
  await expect(db.listen('news', () => {})).rejects.toThrow('terminated');
  await sleep(rounds(10));
  expect(door.refused).toBe(1);
  await db.close();
});

test('a broken connection ends its statement or transaction as disconnected, and the next ones find the database again', async () => {
  await using door = await doorTo(database.connection);
  const db = openDatabase(door.connection);
  const slow = sql`select pg_sleep(30)`;
  const broken = [
    db.all(slow),
    db.transaction(async (tx) => await tx.run(slow)),
    db.snapshot(async (reader) => await reader.all(slow)),
  ].map(async (work) => await work.catch((error: unknown) => error));
  await expect.poll(() => door.admitted).toBe(3);
  door.refuse(1);
  for (const error of await Promise.all(broken)) expect(error).toBeInstanceOf(Disconnected);
  await expect(db.one(sql`select 1`)).rejects.toBeInstanceOf(Disconnected);
  await expect(db.one(sql`select nothing`)).rejects.not.toBeInstanceOf(Disconnected);
  expect(await db.one(sql`select 1 as one`)).toEqual({ one: 1 });
  await db.close();
});

test('a connection without an answer is destroyed after its time, and the next statement gets a new one', async () => {
  await using door = await doorTo(database.connection);
  const db = openDatabase(door.connection, { answer_ms: 1500 });
  await Promise.all([1, 2, 3].map(async () => await db.one(sql`select pg_sleep(0.1)`)));
  expect(door.admitted).toBe(3);
  door.hold(true);
  const unanswered = [
    db.one(sql`select 1`),
    db.transaction(async (tx) => await tx.one(sql`select 1`)),
    db.snapshot(async (reader) => await reader.one(sql`select 1`)),
  ].map(async (work) => await work.catch((error: unknown) => error));
  for (const error of await Promise.all(unanswered)) expect(error).toBeInstanceOf(Disconnected);
  await expect.poll(() => door.open.size).toBe(0);
  door.hold(false);
  expect(await db.one(sql`select 1 as one`)).toEqual({ one: 1 });
  await db.close();
});

const reconnect_after_ms = 20;
const rounds = (count: number) => count * reconnect_after_ms;

async function listeners(): Promise<number> {
  const found = await database.db.all(
    sql`select pid from pg_stat_activity where datname = current_database() and query = 'listen "news"'`,
  );
  return found.length;
}

// A proxy to the database. It can cut open connections and refuse a given number of the next ones, or hold back all bytes.
async function doorTo(inside: Connection) {
  const open = new Set<Socket>();
  let turn_away = 0;
  let isHeld = false;
  const server = createServer((outer) => {
    if (turn_away > 0) {
      turn_away--;
      door.refused++;
      outer.destroy();
      return;
    }
    door.admitted++;
    const inner = inside.host?.startsWith('/')
      ? createConnection(`${inside.host}/.s.PGSQL.${inside.port}`)
      : createConnection({ host: inside.host ?? 'localhost', port: inside.port ?? 5432 });
    for (const [socket, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {}); // its close follows
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      if (isHeld) socket.resume();
      else socket.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const cut = () => open.forEach((socket) => socket.destroy());
  const door = {
    connection: { ...inside, host: '127.0.0.1', port },
    admitted: 0,
    refused: 0,
    refuse: (count: number) => {
      turn_away = count;
      cut();
    },
    /** Connections stay open, and their bytes are lost. */
    hold: (held: boolean) => {
      isHeld = held;
      if (held) open.forEach((socket) => socket.unpipe().resume());
    },
    open,
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
  return door;
}
