// The speed of verification, by the service's own code on a real PostgreSQL and by the single file on an export. Both have the same
// entries.
import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { databaseOf } from '../e2e/database-of.ts';
import { openDatabase, type Database } from '../server/src/ground/database/database.ts';
import { runningEmbedded } from '../server/src/ground/database/embedded.ts';
import { migrate } from '../server/src/ground/database/migrate.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { checkpointFile } from '../server/src/governance/proof/checkpoints/checkpoint-file.ts';
import { checkpointKey } from '../server/src/governance/proof/key.ts';
import { signNew } from '../server/src/governance/proof/sign.ts';
import { verify } from '../server/src/governance/proof/verification/verify.ts';
import { entryHash, genesisHash, type Entry } from '../verifier/verify.mjs';
import type { Row } from './report/row.ts';
import { interleaved } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const run = promisify(execFile);
const verifier = resolve(import.meta.dirname, '../verifier/verify.mjs');
const entries = 300_000; // enough to make the fixed costs of a verification small
const batch = 5000;
const rounds = 5;
const occurred_at = '2026-01-31T12:00:00.000000Z';
const id = '5f0c9a52-6a0e-4c43-9f5e-2f4d3b6a7c81';
const body = JSON.stringify({
  actor: { id, kind: 'user', name: 'ada@example.com' },
  asset: 'agents/greeter',
  detail: { after: ['read', 'use'], before: ['read'], principal: 'team:ops' },
  event: 'permission.changed',
  ip: '127.0.0.1',
  outcome: 'done',
  request_id: id,
  schema: 1,
  team: 'ml',
});

export async function measure({ installation }: Measured): Promise<Row[]> {
  const beside = await databaseOf(installation);
  await beside.run({ strings: ['create database bench_log'], values: [] });
  await beside.close();
  const db = openDatabase({ ...(await runningEmbedded(installation.data_dir)), database: 'bench_log' }, { max: 4 });
  try {
    await migrate(db, { grant: true });
    const directory = join(installation.directory, 'bench-log');
    const key = await checkpointKey(join(directory, 'key'));
    const [own_file, outside_file] = [
      checkpointFile(join(directory, 'own')),
      checkpointFile(join(directory, 'outside')),
    ];
    const parts = { db, key, log_name: 'gantry/bench', own_file, outside_file };
    const exported = await fill(db, join(directory, 'log.ndjson'));
    await signNew(parts, 'governance');
    const notes = `${JSON.stringify((await Array.fromAsync(outside_file.all()))[0])}\n`;
    await exported.appendFile(notes);
    await exported.close();
    const words = [
      verifier,
      join(directory, 'log.ndjson'),
      '--pubkey',
      join(directory, 'key.pub'),
      '--anchor',
      outside_file.path,
    ];
    const { service, stranger } = await interleaved(rounds, {
      service: async () => [
        await rate(async () => {
          const { verdict } = await verify(parts);
          if (verdict !== 'true_as_anchored') throw new Error(`the log of the measure is ${verdict}`);
        }),
      ],
      // Exits with another code, and so throws, unless the log is true as anchored.
      stranger: async () => [await rate(async () => await run(process.execPath, words))],
    });
    const how = `${rounds} rounds over ${entries} entries of ${body.length} bytes, hashes, links, tree and signatures`;
    return [
      { measure: 'svc audit verify, in the service', unit: 'entries/s', at_least: 200_000, samples: service, how },
      {
        measure: 'the single-file verifier on an export',
        unit: 'entries/s',
        samples: stranger,
        how: 'reads the file twice',
      },
    ];
  } finally {
    await db.close();
  }
}

async function rate(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (entries * 1000) / (performance.now() - began);
}

/** Inserts the entries in bulk, because single appends would take minutes. Returns the export, still open. */
async function fill(db: Database, file: string) {
  const exported = await open(file, 'w');
  let prev = genesisHash('governance');
  for (let from = 1; from <= entries; from += batch) {
    const made: Entry[] = [];
    for (let seq = from; seq < from + batch; seq++) {
      const entry = { chain: 'governance', seq, occurred_at, body, prev };
      prev = entryHash(entry);
      made.push({ ...entry, hash: prev });
    }
    await insert(db, made);
    await exported.appendFile(made.map((entry) => `${JSON.stringify({ kind: 'entry', ...entry })}\n`).join(''));
  }
  await db.run(sql`update audit.head set seq = ${entries}, hash = decode(${prev}, 'hex') where chain = 'governance'`);
  return exported;
}

async function insert(db: Database, made: readonly Entry[]): Promise<void> {
  await db.run(sql`
    insert into audit.entry (chain, seq, occurred_at, body, prev, hash, cluster, xid, targets)
    select 'governance', seq, ${occurred_at}, ${body}, decode(prev, 'hex'), decode(hash, 'hex'), 0, pg_current_xact_id(), '{}'
    from unnest(${made.map(({ seq }) => seq)}::bigint[], ${made.map((each) => each.prev)}::text[], ${made.map(({ hash }) => hash)}::text[])
      as made (seq, prev, hash)`);
}
