import type { Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Retention } from './forget.ts';
import { fromNow, isFree } from './lease.ts';
import type { NewJob, QueueRules } from './queue.ts';

export interface Job {
  id: string;
  queue: string;
  key: string;
  /** Includes the current attempt. */
  attempts: number;
}

export async function insert(tx: Tx, { name, give_up_hours }: QueueRules, jobs: readonly NewJob[]): Promise<string[]> {
  const since = jobs.map((job) => job.since ?? null);
  const rows = await tx.all<{ id: string }>(sql`
    insert into job (queue, key, give_up_at)
    select ${name}, key, case when hours is not null then greatest(clock_now(), coalesce(since, clock_now()) + make_interval(hours => hours)) end
    from (select ${give_up_hours ?? null}::int as hours) as rules, unnest(${jobs.map(({ key }) => key)}::text[], ${since}::timestamptz[]) as new (key, since)
    on conflict do nothing returning id`);
  return rows.map(({ id }) => id);
}

/** Claims due and free jobs, the longest due first, and at most the free places of each queue. */
export async function claim(
  db: Tx,
  places: readonly { queue: string; free: number; lease_ms: number }[],
): Promise<Job[]> {
  return await db.all<Job>(sql`
    with due as materialized (
      select job.id, place.lease_ms from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as place (queue text, free int, lease_ms int),
      lateral (
        select id from job where queue = place.queue and state = 'queued' and due_at <= clock_now() and ${isFree}
        order by due_at limit place.free for update skip locked) as job)
    update job set attempts = attempts + 1, lease_until = clock_now() + due.lease_ms * interval '1 ms'
    from due where job.id = due.id returning job.id, queue, key, attempts`);
}

export interface Ending {
  /** `failed`: another attempt cannot help. `dropped`: the job is no longer needed. */
  state: 'done' | 'retry' | 'failed' | 'dropped';
  problem?: string | null;
}

/**
 * Writes the outcome of an attempt. A retry after the job's time fails the job now. False when the attempt has lost the job:
 * each claim counts an attempt, so the number identifies it.
 */
export async function end(
  tx: Tx,
  { id, attempts }: Job,
  { state, problem = null }: Ending,
  wait_ms: number,
): Promise<boolean> {
  const ended = await tx.run(sql`
    update job set problem = ${problem}, lease_until = null, due_at = at, state = became,
      ended_at = case when became <> 'queued' then clock_now() end
    from (
      select at, case when ${state} <> 'retry' then ${state} when at > give_up_at then 'failed' else 'queued' end as became
      from job, (select ${fromNow(wait_ms)} as at) as next where id = ${id}) as outcome
    where id = ${id} and attempts = ${attempts} and state = 'queued'`);
  return ended === 1;
}

/** An interrupted job is due at once. */
export async function release(db: Tx, { id, attempts }: Job): Promise<void> {
  await db.run(sql`update job set lease_until = null where id = ${id} and attempts = ${attempts}`);
}

export async function releaseAll(db: Tx): Promise<void> {
  await db.run(sql`update job set lease_until = null where lease_until is not null`);
}

export async function removeEnded(tx: Tx, { id }: Job): Promise<void> {
  await tx.run(sql`delete from job where id = ${id} and state <> 'queued'`);
}

export async function requeue(tx: Tx, id: string): Promise<boolean> {
  const requeued = await tx.run(sql`
    update job set state = 'queued', ended_at = null, due_at = clock_now(), give_up_at = clock_now()
    where id = ${id} and state <> 'queued'`);
  return requeued === 1;
}

export function retentionsOf({ name, keep_days }: QueueRules): Retention[] {
  if (keep_days === undefined) return [];
  return [{ table: sql`job`, since: sql`ended_at`, where: sql`queue = ${name}`, keep_hours: 24 * keep_days }];
}

interface Backlog {
  waiting: number;
  failed: number;
  /** The problem of the newest job that is not done. */
  problem: string | null;
}

export async function backlog(db: Reader, { name }: QueueRules): Promise<Backlog> {
  const mine = sql`from job where queue = ${name}`;
  const row = await db.one<Backlog>(sql`
    select count(*) filter (where state = 'queued') as waiting, count(*) filter (where state = 'failed') as failed,
      (select problem ${mine} and state in ('queued', 'failed') and problem is not null order by created_at desc limit 1) as problem ${mine}`);
  if (row === undefined) throw new Error('a count answered nothing');
  return row;
}
