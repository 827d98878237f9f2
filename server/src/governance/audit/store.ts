import type { AuditBody, AuditEntry, Chain } from '@gantry/contract/audit/audit.ts';
import type { Reader } from '../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../ground/database/sql.ts';
import { microseconds } from './microseconds.ts';
import { whereMayReadEntry, type Scope } from './policy.ts';

/** A stored entry; hashes in hex. */
export interface Row {
  chain: Chain;
  seq: number;
  occurred_at: string;
  body: string;
  prev: string;
  hash: string;
}

export const columns = sql`chain, seq, occurred_at, body, encode(prev, 'hex') as prev, encode(hash, 'hex') as hash`;

export interface Filter {
  asset?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  /** Any of these: an event, all events of a noun (`team.*`) or all events (`*`). */
  events?: readonly string[] | undefined;
  outcome?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** Such as `governance/12`. */
  entry?: string | undefined;
}

export type PageKey = [occurred_at: string, chain: string, seq: number];

/** Newest first. `before` is the key of the previous page's last row. */
export async function list(
  db: Reader,
  filter: Filter,
  scope: Scope | undefined,
  limit: number,
  before?: PageKey,
): Promise<Row[]> {
  const conditions = conditionsOf(filter, scope);
  if (before !== undefined)
    conditions.push(sql`(occurred_at, chain, seq) < (${before[0]}, ${before[1]}, ${before[2]})`);
  return await db.all<Row>(sql`
    select ${columns} from audit.entry where ${allOf(conditions)}
    order by occurred_at desc, chain desc, seq desc limit ${limit}`);
}

/** The matching entries among the candidates of mayReadEntry(). */
export function conditionsOf(filter: Filter, scope: Scope | undefined): Sql[] {
  const conditions: Sql[] = [];
  if (filter.asset !== undefined) conditions.push(sql`asset = ${filter.asset}`);
  if (filter.actor !== undefined) conditions.push(sql`actor = ${filter.actor}`);
  if (filter.action !== undefined)
    conditions.push(sql`(event = ${filter.action} or starts_with(event, ${`${filter.action}.`}))`);
  if (filter.events !== undefined)
    conditions.push(sql`${filter.events} && array['*', event, split_part(event, '.', 1) || '.*']`);
  if (filter.outcome !== undefined) conditions.push(sql`outcome = ${filter.outcome}`);
  if (filter.since !== undefined) conditions.push(sql`occurred_at >= ${microseconds(filter.since)}`);
  if (filter.until !== undefined) conditions.push(sql`occurred_at <= ${microseconds(filter.until)}`);
  if (filter.entry !== undefined) {
    const [chain, seq] = filter.entry.split('/');
    conditions.push(sql`chain = ${chain} and seq = ${Number(seq)}`);
  }
  if (scope !== undefined) conditions.push(whereMayReadEntry(scope));
  return conditions;
}

export function toEntry(row: Row): AuditEntry {
  const { schema: _, ...body } = JSON.parse(row.body) as AuditBody; // append() accepts nothing else
  return { chain: row.chain, seq: row.seq, occurred_at: row.occurred_at, hash: row.hash, ...body };
}

/** The number of the newest entry that covers a row, given as `table:id`. */
export async function newestAbout(db: Reader, target: string): Promise<number | undefined> {
  const row = await db.one<{ seq: number }>(
    sql`select seq from audit.entry where targets @> array[${target}::text] order by occurred_at desc limit 1`,
  );
  return row?.seq;
}
