import { chains, type Chain } from '@gantry/contract/audit.ts';
import type { Reader } from '../database/database.ts';
import { allOf, sql } from '../database/sql.ts';
import { conditionsOf, microseconds, type Filter, type Row, type Scope } from './store.ts';

export interface LinkedRow extends Row {
  prev: Buffer;
}

export interface HeadRow {
  chain: Chain;
  seq: number;
  hash: Buffer;
}

/** In the order of the contract. */
export async function heads(db: Reader): Promise<HeadRow[]> {
  const rows = await db.all<HeadRow>(sql`select chain, seq, hash from audit.head`);
  return chains.flatMap((chain) => rows.find((row) => row.chain === chain) ?? []);
}

export async function hashAt(db: Reader, chain: Chain, seq: number): Promise<Buffer | undefined> {
  const row = await db.one<{ hash: Buffer }>(sql`select hash from audit.entry where chain = ${chain} and seq = ${seq}`);
  return row?.hash;
}

export interface Range {
  chain: Chain;
  after: number;
  up_to: number;
  limit: number;
}

/** In the order of the chain. */
export async function entriesAfter(
  db: Reader,
  { chain, after, up_to, limit }: Range,
  filter: Filter = {},
  scope?: Scope,
): Promise<LinkedRow[]> {
  return await db.all<LinkedRow>(sql`
    select chain, seq, occurred_at, body, prev, hash from audit.entry
    where chain = ${chain} and seq > ${after} and seq <= ${up_to} and ${allOf(conditionsOf(filter, scope))}
    order by seq limit ${limit}`);
}

/** Of each chain that has entries since then, the last one before the first of them. Found by time, which costs the same in a long log. */
export async function lastBefore(db: Reader, since: string): Promise<HeadRow[]> {
  return await db.all<HeadRow>(sql`
    select head.chain, first.seq - 1 as seq, first.prev as hash from audit.head as head, lateral (
      select seq, prev from audit.entry where chain = head.chain and occurred_at >= ${microseconds(since)}
      order by occurred_at, seq limit 1) as first`);
}

/** Up to this entry the chain was pruned. */
export async function prunedUpTo(db: Reader, chain: Chain): Promise<number> {
  return (await db.one<{ up_to: number }>(sql`select up_to from audit.horizon where id = ${chain}`))?.up_to ?? 0;
}
