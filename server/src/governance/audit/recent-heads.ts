import type { Database } from '../../ground/database/database.ts';
import { heads, type HeadRow } from './chain-store.ts';

/** The interval of queries for new entries. */
export const poll_ms = 500;

const asked = new WeakMap<Database, { at: number; heads: Promise<HeadRow[]> }>();

/**
 * Recent heads, from one query for all readers of this process. NOTIFY is no alternative: a notifying transaction locks the whole database
 * server during its commit. The chains would wait for each other.
 */
export async function recentHeads(db: Database): Promise<HeadRow[]> {
  const last = asked.get(db);
  if (last !== undefined && performance.now() - last.at < poll_ms / 2) return await last.heads;
  const next = { at: performance.now(), heads: heads(db) };
  asked.set(db, next);
  return await next.heads;
}
