import type { Database, Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { notificationById, type NotificationRow } from './store.ts';

export interface Claim {
  id: string;
  /** One of the two is what it is about. */
  notification_id: string | null;
  password_token_id: string | null;
  claim: string;
  attempts: number;
}

/** Mails that are due and nobody's, oldest first; they are the claim's until it ends. A lease that ran out was held by one that was killed. */
export async function claimDue(db: Tx, claim: string, most: number, lease_ms: number): Promise<Claim[]> {
  return await db.all<Claim>(sql`
    update mail set claim = ${claim}, lease_until = clock_now() + ${lease_ms}::int * interval '1 ms', attempts = attempts + 1
    where id in (
      select id from mail
      where state = 'queued' and next_attempt_at <= clock_now() and (lease_until is null or lease_until < clock_now())
      order by next_attempt_at limit ${most} for update skip locked)
    returning id, notification_id, password_token_id, claim, attempts`);
}

/** What is to be sent, to whom; undefined for somebody who is disabled by now. */
export async function letterOf(
  db: Reader,
  notification_id: string,
): Promise<{ row: NotificationRow; email: string } | undefined> {
  const row = await notificationById(db, notification_id);
  const user =
    row && (await db.one<{ email: string }>(sql`select email from app_user where id = ${row.user_id} and active`));
  return row === undefined || user === undefined ? undefined : { row, email: user.email };
}

export async function end(db: Tx, mail: Claim, state: 'sent' | 'failed' | 'dropped', problem?: string): Promise<void> {
  await db.run(sql`
    update mail set state = ${state}, problem = ${problem ?? null}, ended_at = clock_now(), claim = null, lease_until = null
    where id = ${mail.id} and claim = ${mail.claim}`);
}

/** Once more after a wait, or, past so many hours since it was written, never. */
export async function putOff(
  db: Tx,
  mail: Claim,
  { wait_ms, give_up_hours, problem }: { wait_ms: number; give_up_hours: number; problem: string },
): Promise<void> {
  // One reading of the clock: state and end must not disagree.
  await db.run(sql`
    update mail set problem = ${problem}, claim = null, lease_until = null, next_attempt_at = next.at,
      state = case when next.at > created_at + ${give_up_hours}::int * interval '1 h' then 'failed' else 'queued' end,
      ended_at = case when next.at > created_at + ${give_up_hours}::int * interval '1 h' then clock_now() end
    from (select clock_now() + ${wait_ms}::int * interval '1 ms' as at) as next
    where id = ${mail.id} and claim = ${mail.claim}`);
}

/** Only where no other process sends mail of this database: what is claimed was claimed by one that was killed. */
export async function releaseAll(db: Tx): Promise<void> {
  await db.run(sql`update mail set claim = null, lease_until = null where state = 'queued' and claim is not null`);
}

export interface Backlog {
  waiting: number;
  failed: number;
  /** Of the newest that did not go out. */
  problem: string | null;
}

export async function backlog(db: Database): Promise<Backlog> {
  const row = await db.one<Backlog>(sql`
    select count(*) filter (where state = 'queued') as waiting, count(*) filter (where state = 'failed') as failed,
      (select problem from mail where state in ('queued', 'failed') and problem is not null order by created_at desc limit 1) as problem
    from mail`);
  if (row === undefined) throw new Error('a count answered nothing');
  return row;
}
