// A feature that reacts to changes follows a chain of the log. So the changing feature needs no list of followers. The numbers of a chain
// follow the order of commits, without a gap. So a follower that continues after its cursor misses nothing. Promise of `follow`: each entry
// is processed exactly once, also after a crash. The cursor moves in the same transaction. Effects outside the database are enqueued.
import type { AuditEntry, Chain } from '@gantry/contract/audit/audit.ts';
import { isAway, type Database, type Reader, type Tx } from '../../ground/database/database.ts';
import { entriesAfter, entryAt as rowAt, type HeadRow, type Position } from './chain-store.ts';
import * as cursors from './cursor-store.ts';
import type { Scope } from './policy.ts';
import { toEntry, type Filter, type Row } from './store.ts';

export interface Follower {
  /** Names the cursor. */
  cursor: string;
  filter?: Filter;
  limit: number;
  /** Gets the entry that fails alone. It is passed over, so that it stops no later one. Without this function it is dealt with again. */
  onRefused?: (entry: AuditEntry, cause: unknown) => void;
}

/** Processes the next entries; true if there may be more. A `deal` that returns false leaves them for later. */
export async function follow(db: Database, follower: Follower, deal: Deal): Promise<boolean> {
  const { limit, onRefused } = follower;
  try {
    return await followOn(db, follower, deal);
  } catch (error) {
    if (onRefused === undefined || isAway(error)) throw error;
    if (limit > 1) return await follow(db, { ...follower, limit: Math.floor(limit / 2) }, deal);
    return await followOn(db, follower, async (_, [entry]) => {
      if (entry !== undefined) onRefused(entry, error);
      return await Promise.resolve();
    });
  }
}

type Deal = (tx: Tx, entries: AuditEntry[]) => Promise<boolean | void>;

async function followOn(db: Database, { cursor, filter, limit }: Follower, deal: Deal): Promise<boolean> {
  if ((await cursors.behind(db, cursor, { hold: false })) === undefined) return false;
  return await db.transaction(async (tx) => {
    const head = await cursors.behind(tx, cursor, { hold: true });
    if (head === undefined) return false;
    const { rows, reached, is_last } = await readOn(tx, head, { after: head.after, limit, filter });
    if ((await deal(tx, rows.map(toEntry))) === false) return false;
    await cursors.move(tx, cursor, reached.seq);
    return !is_last;
  });
}

export const startFollowing = cursors.insert;
export const endFollowing = cursors.remove;

export interface Reading {
  after: number;
  limit: number;
  max_bytes?: number;
  filter?: Filter | undefined;
  scope?: Scope | undefined;
}

export interface Page {
  /** In the order of the chain. */
  rows: Row[];
  /** All entries up to here are in the rows or were filtered out. */
  reached: Position;
  is_last: boolean;
}

/** The next entries of a chain, up to its head at that time. */
export async function readOn(
  db: Reader,
  { chain, seq, hash }: HeadRow,
  { after, limit, max_bytes, filter, scope }: Reading,
): Promise<Page> {
  const bound = max_bytes === undefined ? {} : { max_bytes };
  const rows = await entriesAfter(db, { chain, after, up_to: seq, limit, ...bound }, filter, scope);
  const is_last = rows.length < limit && max_bytes === undefined;
  const last = rows.at(-1);
  return { rows, is_last, reached: is_last || last === undefined ? { seq, hash } : { seq: last.seq, hash: last.hash } };
}

/** Undefined for an unknown or pruned number. */
export async function entryAt(db: Reader, chain: Chain, seq: number): Promise<AuditEntry | undefined> {
  const row = await rowAt(db, chain, seq);
  return row && toEntry(row);
}
