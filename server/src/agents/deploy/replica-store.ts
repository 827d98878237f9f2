// Instances that are replicas of a platform: which of them are asked for, and which process each one is.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { away_ms } from './dial-in/dialled.ts';
import type { Place } from './targets/target.ts';

export interface ReplicaRow {
  id: string;
  revision_id: string;
  place: Place | null;
  is_asked: boolean;
  /** Of its process. Null without one, and for one that was let go. */
  process_hash: string | null;
  /** Also of a process that was let go: its log stays for a time. */
  replica: string | null;
}

const columns = sql`id, revision_id, place, is_asked, case when not is_let_go then process_hash end as process_hash, replica`;

export const replica = async (db: Reader, id: string) =>
  await db.one<ReplicaRow>(sql`select ${columns} from instance where id = ${id}`);

export const replicasOf = async (db: Reader, revision_ids: readonly string[]) =>
  await db.all<ReplicaRow>(sql`select ${columns} from instance where revision_id = any(${revision_ids})`);

/** True for a change. */
export async function setAsked(tx: Tx, id: string, is_asked: boolean): Promise<boolean> {
  return (
    (await tx.run(sql`update instance set is_asked = ${is_asked} where id = ${id} and is_asked <> ${is_asked}`)) > 0
  );
}

export async function countAsked(db: Reader, revision_id: string): Promise<number> {
  const row = await db.one<{ count: number }>(
    sql`select count(*) from instance where revision_id = ${revision_id} and is_asked`,
  );
  return row?.count ?? 0;
}

/** Those with an instance. */
export const askedOf = async (db: Reader, revision_ids: readonly string[]) =>
  await db.all<{ revision_id: string; asked: number }>(sql`
    select revision_id, count(*) filter (where is_asked) as asked from instance where revision_id = any(${revision_ids})
    group by revision_id`);

/** Its process was told to end. It may still run for a time, and never joins again. */
export async function letGo(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`update instance set is_let_go = true where id = ${id}`);
}

/** `instance_id` may be that of no instance. */
export async function hasOthers(
  db: Reader,
  { instance_id, revision_id }: { instance_id: string; revision_id: string },
): Promise<boolean> {
  return (
    (await db.one(
      sql`select from instance where revision_id = ${revision_id} and id::text <> ${instance_id} limit 1`,
    )) !== undefined
  );
}

/** The token of all replicas of the revision. */
export async function putSharedToken(
  tx: Tx,
  token: { revision_id: string; hash: string; most: number },
): Promise<void> {
  await tx.run(sql`
    update placement set join_hash = ${token.hash}, most_replicas = ${token.most} where revision_id = ${token.revision_id}`);
}

export interface SharedToken {
  revision_id: string;
  agent_id: string;
  target: string;
  /** How many processes may join. 0: as many as are asked for. */
  most_replicas: number;
}

const token_columns = sql`revision_id, agent_id, target, most_replicas`;

/** Held until the end of the transaction, so that two processes never join as the same instance. */
export const holdSharedToken = async (tx: Tx, hash: string) =>
  await tx.one<SharedToken>(sql`select ${token_columns} from placement where join_hash = ${hash} for update`);

export const sharedToken = async (db: Reader, hash: string) =>
  await db.one<SharedToken>(sql`select ${token_columns} from placement where join_hash = ${hash}`);

/** The instance that the process has joined as. */
export const instanceOfProcess = async (db: Reader, of: { revision_id: string; process_hash: string }) =>
  await db.one<{ id: string; is_let_go: boolean }>(
    sql`select id, is_let_go from instance where revision_id = ${of.revision_id} and process_hash = ${of.process_hash}`,
  );

export interface JoiningReplica {
  revision_id: string;
  process_hash: string;
  replica: string | null;
}

/**
 * The process becomes an instance that is asked for and has no process, or whose process is not among those that are here. One that has just
 * joined may not be among them yet. No call goes to the instance until its start (`setStarted`). `had_calls`: calls went to the process before.
 */
export const claimReplica = async (tx: Tx, { revision_id, process_hash, replica }: JoiningReplica, here: string[]) =>
  await tx.one<{ id: string; n: number; had_calls: boolean }>(sql`
    with free as (
      select id, url is not null as had_calls from instance
      where revision_id = ${revision_id} and is_asked and draining_since is null
        and (process_hash is null or is_let_go or (not id = any(${here}::uuid[]) and process_since < clock_now() - ${away_ms}::float8 * interval '1 ms'))
      order by process_hash is not null and not is_let_go, n limit 1)
    update instance i set process_hash = ${process_hash}, process_since = clock_now(), replica = ${replica}, is_let_go = false, url = null
    from free where i.id = free.id returning i.id, i.n, free.had_calls`);

/** An instance that the scaler of the platform has added. Undefined when none is asked for, or at `most`. */
export const addReplica = async (tx: Tx, { revision_id, process_hash, replica }: JoiningReplica, most: number) =>
  await tx.one<{ id: string; n: number; had_calls: boolean }>(sql`
    with made as (select gen_random_uuid() as id),
      others as (
        select max(n) as n, count(*) filter (where draining_since is null) as count, bool_or(is_asked) as is_asked from instance
        where revision_id = ${revision_id}),
      sibling as (select * from instance where revision_id = ${revision_id} and place is not null order by n limit 1)
    insert into instance (id, revision_id, target, n, place, egress, is_asked, process_hash, process_since, replica, state, detail)
    select made.id, s.revision_id, s.target, others.n + 1, s.place || jsonb_build_object('instance_id', made.id), s.egress, true,
      ${process_hash}, clock_now(), ${replica}, 'starting', 'Its platform has added it.'
    from made, others, sibling s where others.is_asked and others.count < ${most}::int returning id, n, false as had_calls`);
