// Runs of orchestrations that wait for the answer of a person to one of their members.
import type { Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { ThreadName } from '../../invoke/turns.ts';
import { owner } from '../thread-store.ts';

/** The n-th question of the member that a step calls. */
export interface Question {
  run_id: string;
  path: string;
  n: number;
}

export interface WaitRow extends Question {
  checkpoint_id: string;
  /** Sealed. Null: nobody has answered. */
  value: Buffer | null;
}

const columns = sql`w.run_id, w.path, w.n, w.checkpoint_id, w.value`;

export const findWait = async (db: Reader, { run_id, path, n }: Question) =>
  await db.one<WaitRow>(
    sql`select ${columns} from thread_wait w where w.run_id = ${run_id} and w.path = ${path} and w.n = ${n}`,
  );

/** Undefined when the thread does not wait for a person. */
export const addWait = async (
  db: Tx,
  { run_id, path, n }: Question,
  { agent_id, space, name }: Pick<ThreadName, 'agent_id' | 'space' | 'name'>,
) =>
  await db.one<WaitRow>(sql`
    with thread_now as (
      select t.id, (select max(s.id) from thread_state s where s.thread_id = t.id and s.ns = '') as state from thread t
      where t.agent_id = ${agent_id} and t.space = ${space} and t.name = ${name} and t.waits is not null)
    insert into thread_wait as w (run_id, path, n, thread_id, checkpoint_id)
    select ${run_id}, ${path}, ${n}, id, state from thread_now where state is not null
    on conflict (run_id, path, n) do update set path = excluded.path returning ${columns}`);

export interface OpenWait extends Question {
  checkpoint_id: string;
  /** The orchestration that the caller has called. */
  orchestration_id: string;
  orchestration: string;
}

/** Of a run that has not ended. */
export const openWait = async (db: Reader, thread_id: string) =>
  await db.one<OpenWait>(sql`
    select w.run_id, w.path, w.n, w.checkpoint_id, r.input ->> 'orchestration_id' as orchestration_id, r.input ->> 'name' as orchestration
    from thread_wait w join run r on r.id = w.run_id and r.ended_at is null where w.thread_id = ${thread_id} and w.value is null`);

export interface OpenQuestion extends OpenWait {
  /** Of the thread. */
  id: string;
  owner_id: string;
  /** An e-mail address, or a reference. */
  owner: string | null;
  /** agents/<name> */
  agent: string;
  /** Sealed. */
  waits: Buffer;
}

/** Of a run that has not ended. */
export const openQuestions = async (db: Reader, run_id: string) =>
  await db.all<OpenQuestion>(sql`
    select w.run_id, w.path, w.n, w.checkpoint_id, r.input ->> 'orchestration_id' as orchestration_id, r.input ->> 'name' as orchestration,
      t.id, t.owner_id, ${owner} as owner, 'agents/' || a.name as agent, t.waits
    from thread_wait w join run r on r.id = w.run_id and r.ended_at is null join thread t on t.id = w.thread_id and t.waits is not null
      join asset a on a.id = t.agent_id
    where w.run_id = ${run_id} and w.value is null order by w.path, w.n`);

export const isAnsweredBy = async (db: Reader, { run_id, message }: { run_id: string; message: string }) =>
  (await db.one(sql`select from thread_wait where run_id = ${run_id} and answered_by = ${message} limit 1`)) !==
  undefined;

/** False when somebody has answered before. */
export async function putAnswer(
  tx: Tx,
  { run_id, path, n }: Question,
  { value, message = null }: { value: Buffer; message?: string | null | undefined },
): Promise<boolean> {
  const put = await tx.run(sql`
    update thread_wait set value = ${value}, answered_by = ${message}
    where run_id = ${run_id} and path = ${path} and n = ${n} and value is null`);
  return put === 1;
}
