// Which calls are runs of langgraph's API, and how they stand.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, sql } from '../../ground/database/sql.ts';

export interface RunRow {
  run_id: string;
  multitask_strategy: string;
  /** Sealed. */
  metadata: Buffer;
  /** Its stream can be read again. */
  keeps_parts: boolean;
  created_at: string;
  updated_at: string;
  state: 'running' | 'ended';
  /** An instance has it, or had it. */
  is_placed: boolean;
  /** The status of its answer as HTTP; null until its end. */
  status: number | null;
  /** The beginning of its answer, which says how it ended. */
  head: Buffer | null;
}

type NewRun = Pick<RunRow, 'run_id' | 'multitask_strategy' | 'metadata' | 'keeps_parts'> & { thread_id: string };

export async function putRun(tx: Tx, run: NewRun): Promise<void> {
  const { run_id, thread_id, multitask_strategy, metadata, keeps_parts } = run;
  await tx.run(sql`
    insert into langgraph_run (run_id, thread_id, multitask_strategy, metadata, keeps_parts)
    values (${run_id}, ${thread_id}, ${multitask_strategy}, ${metadata}, ${keeps_parts})`);
}

/** Of a run that was refused before its call was stored. */
export async function removeRun(tx: Tx, run_id: string): Promise<void> {
  await tx.run(sql`delete from langgraph_run where run_id = ${run_id}`);
}

const columns = sql`r.run_id, r.multitask_strategy, r.metadata, r.keeps_parts, i.created_at, coalesce(i.ended_at, i.begun_at, i.created_at) as updated_at,
  i.state, i.instance_id is not null as is_placed, i.status, substring(i.body from 1 for 65536) as head`;

/** The latest first. Only those whose calls are stored. */
export const listRuns = async (db: Reader, { thread_id, most }: { thread_id: string; most: number }) =>
  await db.all<RunRow>(sql`
    select ${columns} from langgraph_run r join invocation i on i.id = r.run_id
    where r.thread_id = ${thread_id} order by r.created_at desc, r.run_id desc limit ${most}`);

export const findRun = async (db: Reader, { thread_id, run_id }: { thread_id: string; run_id: string }) =>
  await db.one<RunRow>(sql`
    select ${columns} from langgraph_run r join invocation i on i.id = r.run_id
    where ${allOf([sql`r.thread_id = ${thread_id}`, sql`r.run_id = ${run_id}`])}`);

/** The calls that work on a thread, or wait for their turn on it, the first one first. */
export const runningOn = async (db: Reader, thread_id: string) =>
  (
    await db.all<{ id: string }>(sql`
      select i.id from thread_turn u join invocation i on i.id = u.run_id and i.state = 'running'
      where u.thread_id = ${thread_id} order by u.n`)
  ).map(({ id }) => id);

/** Of calls whose rows are gone. */
export async function forgetOldRuns(tx: Tx, keep_days: number): Promise<void> {
  await tx.run(sql`
    delete from langgraph_run r where r.created_at < clock_now() - make_interval(days => ${keep_days})
      and not exists (select from invocation i where i.id = r.run_id)`);
}
