import type { Reader, Tx } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';
import { fromNow } from '../queue/lease.ts';

export interface KeyClaim {
  /** The key. */
  id: string;
  fence: number;
}

export interface Wanted {
  owner: string;
  keys: readonly string[];
  most: number;
  lease_ms: number;
}

/** Claims free keys. A key is not free while another process executes a run of this mutex. */
export async function claim(db: Tx, { owner, keys, most, lease_ms }: Wanted): Promise<KeyClaim[]> {
  await db.run(sql`delete from held_key where lease_until < clock_now()`);
  const claimed = await db.all<KeyClaim>(sql`
    insert into held_key (key, owner, lease_until)
    -- In one order, so that two processes that claim the same keys do not wait for each other.
    select wanted, ${owner}, ${fromNow(lease_ms)} from (
      select wanted from unnest(${keys}::text[]) as wanted
      where not exists (select from held_key where key = wanted) and not ${runsElsewhere(sql`wanted`, owner)}
      order by random() limit ${most}) as chosen
    order by wanted
    on conflict do nothing returning key as id, fence`);
  if (claimed.length === 0) return [];
  // Neither statement sees the other one of the same moment. So both sides look again after their commit (isHeldElsewhere), and at least
  // one gives way.
  const given = await db.all<{ id: string }>(sql`
    delete from held_key using ${these(claimed)}
    where key = claimed_key and fence = claimed and ${runsElsewhere(sql`key`, owner)} returning key as id`);
  return claimed.filter(({ id }) => !given.some((one) => one.id === id));
}

/** Returns the keys that this process still holds. */
export async function renew(db: Tx, claims: readonly KeyClaim[], lease_ms: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    update held_key set lease_until = ${fromNow(lease_ms)} from ${these(claims)}
    where key = claimed_key and fence = claimed returning key as id`);
  return rows.map(({ id }) => id);
}

export async function release(db: Tx, claims: readonly KeyClaim[]): Promise<void> {
  await db.run(sql`delete from held_key using ${these(claims)} where key = claimed_key and fence = claimed`);
}

export async function count(db: Reader, prefix: string): Promise<number> {
  const row = await db.one<{ held: number }>(
    sql`select count(*) as held from held_key where starts_with(key, ${prefix}) and lease_until >= clock_now()`,
  );
  return row?.held ?? 0;
}

/** Another process holds the key. */
export function heldElsewhere(key: Sql, owner: string): Sql {
  return sql`exists (
    select from held_key as holder where holder.key = ${key} and holder.owner <> ${owner} and holder.lease_until >= clock_now())`;
}

function runsElsewhere(key: Sql, owner: string): Sql {
  return sql`exists (
    select from run where mutex = ${key} and started_at is not null and ended_at is null
      and run.owner <> ${owner} and run.lease_until >= clock_now())`;
}

function these(claims: readonly KeyClaim[]): Sql {
  return sql`unnest(${claims.map(({ id }) => id)}::text[], ${claims.map(({ fence }) => fence)}::bigint[]) as claim (claimed_key, claimed)`;
}
