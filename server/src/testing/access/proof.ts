// A test's own log with its key and its files. The tests tamper with it as the strongest attacker without the key: the database's owner.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { append, type Entry } from '../../governance/audit/append.ts';
import type { Database } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { checkpointFile } from '../../governance/proof/checkpoints/checkpoint-file.ts';
import { checkpointKey } from '../../governance/proof/key.ts';
import type { ProofParts } from '../../governance/proof/parts.ts';
import { signNew } from '../../governance/proof/sign.ts';
import { testDatabase, type TestDatabase } from '../test-database.ts';

export interface TestLog {
  at: TestDatabase;
  db: Database;
  parts: ProofParts;
  directory: string;
  /** Entries in the chain of governance, by their names. */
  write(...names: string[]): Promise<void>;
  sign(): Promise<void>;
  /** Runs with the triggers of the log disabled. */
  tamper(...statements: Sql[]): Promise<void>;
  close(): Promise<void>;
}

export async function testLog(): Promise<TestLog> {
  const at = await testDatabase();
  const { db } = at;
  const directory = await mkdtemp(join(tmpdir(), 'gantry-test-log-'));
  const parts = await testProof(db, directory);
  const write = async (...names: string[]) => {
    for (const name of names) await db.transaction(async (tx) => await append(tx, testEntry(name), []));
  };
  return {
    at,
    db,
    parts,
    directory,
    write,
    sign: async () => {
      for (const chain of ['signin', 'governance'] as const) await signNew(parts, chain);
    },
    tamper: async (...statements) => {
      const tables = ['entry', 'head', 'checkpoint'];
      const each = (what: string): Sql[] =>
        tables.map((table) => ({ strings: [`alter table audit.${table} ${what}`], values: [] }));
      await db.transaction(async (tx) => {
        for (const statement of each('disable trigger all')) await tx.run(statement);
        for (const statement of statements) await tx.run(statement);
        for (const statement of each('enable trigger all')) await tx.run(statement);
        await tx.run(sql`alter table audit.entry enable always trigger append_only`);
        await tx.run(sql`alter table audit.entry enable always trigger no_truncate`);
        await tx.run(sql`alter table audit.head enable always trigger no_truncate`);
        await tx.run(sql`alter table audit.head enable always trigger no_delete`);
        await tx.run(sql`alter table audit.checkpoint enable always trigger append_only`);
        await tx.run(sql`alter table audit.checkpoint enable always trigger no_truncate`);
      });
    },
    close: async () => {
      await at.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function testEntry(name: string): Entry {
  return {
    event: 'team.created',
    outcome: 'done',
    actor: { kind: 'user', id: null, name },
    team: null,
    asset: null,
    ip: null,
    request_id: null,
    detail: { name, quote: '"\\é\u2028' },
  };
}

/** The key and the files of a log, in a folder. */
export async function testProof(db: Database, directory: string): Promise<ProofParts> {
  await mkdir(join(directory, 'outside'), { recursive: true });
  return {
    db,
    key: await checkpointKey(join(directory, 'checkpoint-key')),
    log_name: 'gantry/test',
    own_file: checkpointFile(join(directory, 'checkpoints')),
    outside_file: checkpointFile(join(directory, 'outside', 'anchors')),
  };
}
