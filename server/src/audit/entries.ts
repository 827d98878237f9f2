// For those who do something about every entry, exactly once and in order. The numbers of a chain are given out in the order of the
// commits and without a gap, so whoever noted the last number that they dealt with misses nothing.
import type { AuditEntry, Chain } from '@gantry/contract/audit.ts';
import type { Reader } from '../database/database.ts';
import * as chains from './chain-store.ts';
import { toEntry } from './store.ts';

/** One entry; undefined for a number that there is not, or not any more. */
export async function entryAt(db: Reader, chain: Chain, seq: number): Promise<AuditEntry | undefined> {
  const row = await chains.entryAt(db, chain, seq);
  return row && toEntry(row);
}

/** The entries after a number, at most so many. */
export async function entriesAfter(db: Reader, chain: Chain, after: number, limit: number): Promise<AuditEntry[]> {
  return (await chains.entriesAfter(db, { chain, after, limit })).map(toEntry);
}
