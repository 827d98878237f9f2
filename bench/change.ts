// The cost of a governed change with its entry in the chain. In turns, change() runs in this process, and then the same statements without
// it. They use a separate database of the installation's cluster. All clients write to one chain, so each waits for the previous commit.
import { randomUUID } from 'node:crypto';
import { databaseOf } from '../e2e/database-of.ts';
import { authorize } from '../server/src/governance/access/authorize.ts';
import { systemCaller } from '../server/src/governance/access/caller.ts';
import { change } from '../server/src/governance/access/change.ts';
import { theOrg } from '../server/src/governance/access/subject.ts';
import type { Database } from '../server/src/ground/database/database.ts';
import { migrate } from '../server/src/ground/database/migrate.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import type { Row } from './report/row.ts';
import { interleaved } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const database = 'change_bench';
const client_counts = [1, 8];
const rounds = 5;
const round_ms = 1500;

export async function measure({ installation }: Measured): Promise<Row[]> {
  const admin = await databaseOf(installation);
  await admin.run({ strings: [`create database ${database}`], values: [] });
  const db = await databaseOf(installation, { database, max: 8 });
  try {
    await migrate(db, { grant: false });
    const rows: Row[] = [];
    for (const clients of client_counts) rows.push(...(await measureWith(db, clients)));
    return rows;
  } finally {
    await db.close();
    await admin.run({ strings: [`drop database ${database} with (force)`], values: [] });
    await admin.close();
  }
}

async function measureWith(db: Database, clients: number): Promise<Row[]> {
  const per_second = async (work: () => Promise<void>) => [await rateOf(clients, work)];
  const { changed, raw, bare } = await interleaved(rounds, {
    changed: async () => await per_second(async () => await governed(db)),
    raw: async () => await per_second(async () => await rawly(db)),
    bare: async () => await per_second(async () => await withoutEntry(db)),
  });
  const by = `${clients} client${clients === 1 ? '' : 's'}`;
  const how = `${rounds} rounds of ${round_ms / 1000} s in turns, ${by}; the clients share the cores with PostgreSQL`;
  return [
    {
      measure: `change() with its audit entry, one chain, ${by}`,
      unit: 'tx/s',
      samples: changed,
      bare: raw,
      at_least: 1,
      how: `bare: the same statements without change(); ${how}`,
    },
    {
      measure: '… without an entry',
      unit: 'tx/s',
      samples: bare,
      how: 'begin, insert into a table that is not governed, commit',
    },
  ];
}

async function rateOf(clients: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - began < round_ms) {
        await work();
        done++;
      }
    }),
  );
  return (done * 1000) / (performance.now() - began);
}

async function governed(db: Database): Promise<void> {
  const grant = authorize(systemCaller('system.seed'), 'system.seed', theOrg);
  const name = `t${randomUUID()}`;
  await change(db, grant, 'team.created', async (tx, note) => {
    await tx.write('team', sql`insert into team (name) values (${name}) returning id`);
    note({ name });
  });
}

async function rawly(db: Database): Promise<void> {
  const name = `t${randomUUID()}`;
  await db.transaction(async (tx) => {
    const row = await tx.one<{ id: string }>(sql`insert into team (name) values (${name}) returning id`);
    const body = `{"actor":{"id":null,"kind":"system","name":"system.seed"},"asset":null,"detail":{"name":"${name}"},"event":"team.created","ip":null,"outcome":"done","request_id":null,"schema":1,"team":null}`;
    await tx.one(sql`select seq from audit.append('governance', ${body}, ${[`team:${row?.id}`]})`);
  });
}

async function withoutEntry(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.one(
      sql`insert into login_failure (key, failures, window_ends_at) values (${randomUUID()}, 1, clock_now()) returning key`,
    );
  });
}
