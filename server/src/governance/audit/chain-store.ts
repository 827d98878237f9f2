import { chains, type Chain } from '@gantry/contract/audit/audit.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, sql } from '../../ground/database/sql.ts';
import { microseconds } from './microseconds.ts';
import type { Scope } from './policy.ts';
import { columns, conditionsOf, type Filter, type Row } from './store.ts';

/** An entry by its number and its hash. */
export interface Position {
  seq: number;
  hash: string;
}

export interface HeadRow extends Position {
  chain: Chain;
}

/** In the contract's order of chains. */
export async function heads(db: Reader): Promise<HeadRow[]> {
  const rows = await db.all<HeadRow>(sql`select chain, seq, encode(hash, 'hex') as hash from audit.head`);
  return chains.flatMap((chain) => rows.find((row) => row.chain === chain) ?? []);
}

export async function headOf(db: Reader, chain: Chain): Promise<Position> {
  const found = (await heads(db)).find((row) => row.chain === chain);
  if (found === undefined) throw new Error(`the chain ${chain} has no head`);
  return { seq: found.seq, hash: found.hash };
}

/** Undefined for an unknown or pruned number. */
export async function entryAt(db: Reader, chain: Chain, seq: number): Promise<Row | undefined> {
  return await db.one<Row>(sql`select ${columns} from audit.entry where chain = ${chain} and seq = ${seq}`);
}

export interface Range {
  chain: Chain;
  after: number;
  /** Default: the end. */
  up_to?: number;
  limit: number;
  /** The last entry is the one that begins within this number of bytes. */
  max_bytes?: number;
}

/** In the order of the chain. */
export async function entriesAfter(
  db: Reader,
  { chain, after, up_to = Number.MAX_SAFE_INTEGER, limit, max_bytes = Number.MAX_SAFE_INTEGER }: Range,
  filter: Filter = {},
  scope?: Scope,
): Promise<Row[]> {
  return await db.all<Row>(sql`
    select ${columns} from (
      select *, sum(octet_length(body)) over (order by seq) - octet_length(body) as bytes_before from (
        select * from audit.entry
        where chain = ${chain} and seq > ${after} and seq <= ${up_to} and ${allOf(conditionsOf(filter, scope))}
        order by seq limit ${limit}) as next
    ) as measured where bytes_before < ${max_bytes} order by seq`);
}

/** For each chain with entries since then, the last entry before the first of them. The search by time is equally fast in a long log. */
export async function lastBefore(db: Reader, since: string): Promise<HeadRow[]> {
  return await db.all<HeadRow>(sql`
    select head.chain, first.seq - 1 as seq, encode(first.prev, 'hex') as hash from audit.head as head, lateral (
      select seq, prev from audit.entry where chain = head.chain and occurred_at >= ${microseconds(since)}
      order by occurred_at, seq limit 1) as first`);
}

/** The chain was pruned up to this entry. */
export async function prunedUpTo(db: Reader, chain: Chain): Promise<number> {
  return (await db.one<{ up_to: number }>(sql`select up_to from audit.horizon where id = ${chain}`))?.up_to ?? 0;
}

/** Deletes entries up to this one. The database accepts deletes only behind the chain's horizon. Each statement stays within its time limit. */
export async function deleteEntries(tx: Tx, chain: Chain, up_to: number): Promise<void> {
  const first = await tx.one<{ seq: number }>(sql`select min(seq) as seq from audit.entry where chain = ${chain}`);
  for (let from = first?.seq ?? up_to + 1; from <= up_to; from += batch)
    await tx.run(
      sql`delete from audit.entry where chain = ${chain} and seq >= ${from} and seq <= ${Math.min(from + batch - 1, up_to)}`,
    );
}

const batch = 50_000;

/** An SQL expression. Every governed change changes it in its own transaction, and a value never comes back. */
export const governanceHead = sql`(select encode(hash, 'hex') from audit.head where chain = 'governance')`;
