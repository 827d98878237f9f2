import type { Database } from '../database/database.ts';
import { heads, type HeadRow } from './chain-store.ts';

/** How often whoever waits for new entries asks for the heads. */
export const poll_ms = 500;

const asked = new WeakMap<Database, { at: number; heads: Promise<HeadRow[]> }>();

/**
 * The heads as they were a moment ago, asked for once for all readers of this process. Not by NOTIFY: a transaction that notifies holds one
 * lock of the whole server through its commit, and the chains would wait for each other.
 */
export async function recentHeads(db: Database): Promise<HeadRow[]> {
  const last = asked.get(db);
  if (last !== undefined && performance.now() - last.at < poll_ms / 2) return await last.heads;
  const next = { at: performance.now(), heads: heads(db) };
  asked.set(db, next);
  return await next.heads;
}
