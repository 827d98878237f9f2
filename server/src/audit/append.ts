// The log's only way in. Promise: an entry is there exactly when the transaction that it speaks of is; entries of a chain have no gap
// and no fork. Must never happen: an entry written after its change, or one changed later. The database holds both (migrations/001-audit.sql).
import { auditEvents, type AuditBody, type AuditEvent, type Chain } from '@gantry/contract/audit.ts';
import type { OpenTx, Tx } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';
import { canonicalJson } from './canonical-json.ts';

export type Entry = Omit<AuditBody, 'schema' | 'event'> & { event: AuditEvent };

export interface Receipt {
  chain: Chain;
  seq: number;
}

/** `targets` are the rows that the entry answers for, as `table:id`. Must be the last statement before commit: it locks the chain. */
export async function append(tx: Tx, entry: Entry, targets: readonly string[]): Promise<Receipt> {
  return await appendWith(async (query) => await tx.one(query), entry, targets);
}

/** As `append`, and the transaction is committed with it: the chain, which all others wait for, is held no longer than the commit takes. */
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
  if (row === undefined) throw new Error('audit.append answered nothing');
  return { chain, seq: row.seq };
}
