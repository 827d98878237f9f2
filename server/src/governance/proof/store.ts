import type { Chain } from '@gantry/contract/audit/audit.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface CheckpointRow {
  size: number;
  note: string;
  peaks: string[];
}

export async function newestCheckpoint(db: Reader, chain: Chain): Promise<CheckpointRow | undefined> {
  return await db.one<CheckpointRow>(
    sql`select size, note, peaks from audit.checkpoint where chain = ${chain} order by size desc limit 1`,
  );
}

/** The first checkpoint over an entry, and the previous one. */
export async function checkpointsAround(db: Reader, chain: Chain, seq: number) {
  const covering = await db.one<CheckpointRow>(
    sql`select size, note, peaks from audit.checkpoint where chain = ${chain} and size >= ${seq} order by size limit 1`,
  );
  const before = await db.one<CheckpointRow>(
    sql`select size, note, peaks from audit.checkpoint where chain = ${chain} and size < ${seq} order by size desc limit 1`,
  );
  return { covering, before };
}

/** The newest checkpoint whose entries are all older than a time. */
export async function checkpointBefore(db: Reader, chain: Chain, time: string): Promise<CheckpointRow | undefined> {
  return await db.one<CheckpointRow>(sql`
    select size, note, peaks from audit.checkpoint where chain = ${chain} and size < coalesce(
      (select min(seq) from audit.entry where chain = ${chain} and occurred_at >= ${time}),
      (select seq + 1 from audit.head where chain = ${chain}))
    order by size desc limit 1`);
}

/** Checkpoints after the one with this text, or after one that a reseal recorded as lost. Undefined if the log has neither. */
export async function checkpointsAfter(
  db: Reader,
  chain: Chain,
  { note, hash }: { note: string; hash: string },
): Promise<{ note: string }[] | undefined> {
  const from = await db.one<{ size: number | null }>(sql`
    select min(size) as size from (
      select size + 1 as size from audit.checkpoint where chain = ${chain} and note = ${note}
      union all
      select size from audit.checkpoint where chain = ${chain} and strpos(note, ${`\nprevious ${hash}\n`}) > 0) as following`);
  if (typeof from?.size !== 'number') return undefined;
  return await allCheckpoints(db, chain, from.size);
}

export async function allCheckpoints(db: Reader, chain: Chain, from = 0): Promise<{ size: number; note: string }[]> {
  return await db.all<{ size: number; note: string }>(
    sql`select size, note from audit.checkpoint where chain = ${chain} and size >= ${from} order by size`,
  );
}

/** False if another server was first. */
export async function addCheckpoint(
  db: Reader,
  checkpoint: CheckpointRow & { chain: Chain; after_size: number },
): Promise<boolean> {
  const { chain, size, note, peaks, after_size } = checkpoint;
  const row = await db.one<{ added: boolean }>(
    sql`select audit.add_checkpoint(${chain}, ${size}, ${note}, ${peaks}, ${after_size}) as added`,
  );
  return row?.added === true;
}

/** True if there are entries past the head, in one snapshot. */
export async function pastHead(db: Reader, chain: Chain): Promise<{ seq: number } | undefined> {
  return await db.one<{ seq: number }>(sql`
    select e.seq from audit.entry as e join audit.head as h using (chain) where chain = ${chain} and e.seq > h.seq order by e.seq limit 1`);
}

/** The entries about the start of a chain and about its restores. */
export async function marks(db: Reader, chain: Chain): Promise<{ seq: number; body: string }[]> {
  return await db.all<{ seq: number; body: string }>(sql`
    select seq, body from audit.entry where chain = ${chain}
      and event in ('governance.pruned', 'governance.resealed', 'signin.pruned', 'signin.resealed', 'audit.heartbeat')
      and event <> 'audit.heartbeat' order by seq`);
}

export const horizonTo = (chain: Chain, up_to: number) => sql`
  insert into audit.horizon (id, up_to) values (${chain}, ${up_to})
  on conflict (id) do update set up_to = excluded.up_to returning id`;

/** Seconds since the newest heartbeat; without one, since the log's first entry; undefined for an empty log. */
export async function sinceHeartbeat(db: Reader): Promise<number | undefined> {
  const row = await db.one<{ seconds: number | null }>(sql`
    select extract(epoch from clock_now() - coalesce(
      (select max(occurred_at) from audit.entry where chain = 'governance' and event = 'audit.heartbeat'),
      (select occurred_at from audit.entry where chain = 'governance' order by seq limit 1))::timestamptz)::float8 as seconds`);
  return row?.seconds ?? undefined;
}

// Any fixed number that is the same in every server.
const heartbeat_lock = 7_305_512;

/** One server at a time writes a heartbeat. */
export async function mayBeat(tx: Tx): Promise<boolean> {
  return (
    (await tx.one<{ held: boolean }>(sql`select pg_try_advisory_xact_lock(${heartbeat_lock}::bigint) as held`))
      ?.held === true
  );
}
