import type { Database, Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { fromNow } from '../../../ground/queue/lease.ts';

export interface ClaimedSide {
  id: string;
  server_id: string;
  server_version: string;
  owner: string;
}

/** False when the installation has `most` already. A row counts until its container is gone. */
export async function claim(
  tx: Tx,
  { id, server_id, server_version, owner }: ClaimedSide,
  { most, lease_ms }: { most: number; lease_ms: number },
): Promise<boolean> {
  // One process at a time counts.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('side containers', 17))`);
  const made = await tx.run(sql`
    insert into side_container (id, server_id, server_version, owner, lease_until)
    select ${id}, ${server_id}, ${server_version}, ${owner}, ${fromNow(lease_ms)}
    where (select count(*) from side_container) < ${most}`);
  return made === 1;
}

/** The ids of those that this process still has. */
export async function renew(db: Database, ids: readonly string[], lease_ms: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    update side_container set lease_until = ${fromNow(lease_ms)}
    where id = any(${ids}::uuid[]) and lease_until >= clock_now() returning id`);
  return rows.map(({ id }) => id);
}

export async function remove(db: Database, id: string): Promise<void> {
  await db.run(sql`delete from side_container where id = ${id}`);
}

export async function countOf(
  db: Reader,
  { asset_id, version }: { asset_id: string; version: string },
): Promise<number> {
  const row = await db.one<{ count: number }>(sql`
    select count(*) from side_container where server_id = ${asset_id} and server_version = ${version}`);
  return row?.count ?? 0;
}

/** For a process that has no other beside it: whoever made these is gone. */
export async function endLeasesOfOthers(db: Database, owner: string): Promise<void> {
  await db.run(sql`update side_container set lease_until = clock_now() - interval '1 ms' where owner <> ${owner}`);
}

/** Those whose process no longer renews them. */
export async function abandoned(db: Reader): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`select id from side_container where lease_until < clock_now()`);
  return rows.map(({ id }) => id);
}

export async function known(db: Reader, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ id: string }>(sql`select id from side_container where id::text = any(${ids})`);
  return new Set(rows.map(({ id }) => id));
}
