// All entries of the log go through here. Promises: an entry commits exactly with its transaction; a chain has no gap and no fork. Must never
// happen: an entry after its change, or a changed entry. The database enforces both (migrations/001-audit.sql).
import { auditEvents, type AuditBody, type AuditEvent, type Chain } from '@gantry/contract/audit/audit.ts';
import type { OpenTx, Tx } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { canonicalJson } from './canonical-json.ts';

export type Entry = Omit<AuditBody, 'schema' | 'event'> & { event: AuditEvent };

export interface Receipt {
  chain: Chain;
  seq: number;
}

/** `targets` are the rows that the entry covers, as `table:id`. Must be the last statement before the commit, because it locks the chain. */
export async function append(tx: Tx, entry: Entry, targets: readonly string[]): Promise<Receipt> {
  return await appendWith(async (query) => await tx.one(query), entry, targets);
}

/** Like `append`, but also commits the transaction, so that the chain is locked only during the commit. */
export async function appendAndCommit(tx: OpenTx, entry: Entry, targets: readonly string[]): Promise<Receipt> {
  return await appendWith(async (query) => await tx.last(query), entry, targets);
}

async function appendWith(
  ask: (query: Sql) => Promise<{ seq: number } | undefined>,
  entry: Entry,
  targets: readonly string[],
): Promise<Receipt> {
  const chain = auditEvents[entry.event];
  const body = canonicalJson({ schema: 1, ...entry });
  const row = await ask(sql`select seq from audit.append(${chain}, ${body}, ${targets})`);
  if (row === undefined) throw new Error('audit.append returned no row');
  return { chain, seq: row.seq };
}
