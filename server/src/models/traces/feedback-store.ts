import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface FeedbackRow {
  run_id: string;
  agent_id: string;
  caller_id: string;
  is_good: boolean;
  reason: string;
  given_at: string;
}

/** One for each run: a later one replaces it. */
export async function put(tx: Tx, row: Omit<FeedbackRow, 'given_at'>): Promise<void> {
  const { run_id, agent_id, caller_id, is_good, reason } = row;
  await tx.run(sql`
    insert into run_feedback (run_id, agent_id, caller_id, is_good, reason)
    values (${run_id}, ${agent_id}, ${caller_id}, ${is_good}, ${reason})
    on conflict (run_id) do update set is_good = excluded.is_good, reason = excluded.reason, given_at = clock_now()`);
}

export async function remove(tx: Tx, run_id: string): Promise<void> {
  await tx.run(sql`delete from run_feedback where run_id = ${run_id}`);
}

export const ofRuns = async (db: Reader, run_ids: readonly string[]) =>
  await db.all<FeedbackRow>(sql`
    select run_id, agent_id, caller_id, is_good, reason, given_at from run_feedback where run_id = any(${run_ids}::uuid[]) order by given_at`);

/** What this caller thinks of these runs, the newest first. */
export const byCaller = async (
  db: Reader,
  { caller_id, run_ids, limit }: { caller_id: string; run_ids: readonly string[]; limit: number },
) =>
  await db.all<Pick<FeedbackRow, 'run_id' | 'is_good' | 'reason'>>(sql`
    select run_id, is_good, reason from run_feedback where caller_id = ${caller_id} and run_id = any(${run_ids}::uuid[])
    order by given_at desc limit ${limit}`);

/** The caller's own run, as the ingress has recorded it. */
export const isRunOf = async (
  db: Reader,
  { run_id, agent_id, caller_id }: Pick<FeedbackRow, 'run_id' | 'agent_id' | 'caller_id'>,
): Promise<boolean> =>
  (await db.one(sql`
    select from span where run_id = ${run_id} and is_entry and source = 'ingress' and agent_id = ${agent_id} and caller_id = ${caller_id}
    limit 1`)) !== undefined;

export const deleteOf = async (tx: Tx, caller_id: string): Promise<number> =>
  await tx.run(sql`delete from run_feedback where caller_id = ${caller_id}`);

/** As old as the oldest trace. */
export async function forgetOld(tx: Tx, keep_days: number): Promise<void> {
  await tx.run(sql`delete from run_feedback where given_at < clock_now() - make_interval(days => ${keep_days})`);
}
