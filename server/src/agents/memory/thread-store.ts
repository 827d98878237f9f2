// Threads and the calls that wait for them.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

/** Whose thread it is, and its name. */
export interface ThreadName {
  agent_id: string;
  owner_id: string;
  space: string;
  name: string;
  via: string | null;
}

/** The thread of this name; it is made when there is none. */
export async function putThread(tx: Tx, { agent_id, owner_id, space, name, via }: ThreadName): Promise<string> {
  const row = await tx.one<{ id: string }>(sql`
    insert into thread (agent_id, owner_id, space, name, via) values (${agent_id}, ${owner_id}, ${space}, ${name}, ${via})
    on conflict (agent_id, space, name) do update set used_at = clock_now() returning id`);
  if (row === undefined) throw new Error('a thread was not stored');
  return row.id;
}

export const findThread = async (db: Reader, { agent_id, space, name }: Pick<ThreadName, 'agent_id' | 'space' | 'name'>) =>
  (await db.one<{ id: string }>(sql`select id from thread where agent_id = ${agent_id} and space = ${space} and name = ${name}`))
    ?.id;

/** In the transaction that stores the call. Turns of calls that have ended go, so a thread has few. */
export async function enter(tx: Tx, run_id: string, thread_id: string): Promise<void> {
  await tx.run(sql`
    delete from thread_turn u using invocation i where u.thread_id = ${thread_id} and i.id = u.run_id and i.state = 'ended' and u.run_id <> ${run_id}`);
  await tx.run(sql`
    insert into thread_turn (run_id, thread_id) values (${run_id}, ${thread_id}) on conflict (run_id) do nothing`);
}

/** Undefined for a call that has ended. */
export const turnOf = async (db: Reader, run_id: string) =>
  await db.one<{ is_first: boolean; cancel_pending: boolean }>(sql`
    select i.cancel_pending, not exists (
      select from thread_turn b join invocation o on o.id = b.run_id and o.state = 'running'
      where b.thread_id = u.thread_id and b.n < u.n) as is_first
    from thread_turn u join invocation i on i.id = u.run_id and i.state = 'running' where u.run_id = ${run_id}`);

export interface OpenRun {
  /** The thread of the call. Null for a call without one. */
  thread_id: string | null;
}

/** Undefined for a run that has ended, or that was never stored. */
export const openRun = async (db: Reader, { run_id, revision_id }: { run_id: string; revision_id: string }) =>
  await db.one<OpenRun>(sql`
    select u.thread_id from invocation i left join thread_turn u on u.run_id = i.id
    where i.id = ${run_id} and i.revision_id = ${revision_id} and i.state = 'running'`);

/** As stored. */
export async function keptBytes(db: Reader, { agent_id, owner_id }: { agent_id: string; owner_id: string }): Promise<number> {
  const row = await db.one<{ bytes: number }>(sql`
    select coalesce((select sum(bytes) from thread where agent_id = ${agent_id} and owner_id = ${owner_id}), 0)::bigint
      + coalesce((select sum(bytes) from store_item where agent_id = ${agent_id} and owner_id = ${owner_id}), 0)::bigint as bytes`);
  return row?.bytes ?? 0;
}

export async function bytesOf(db: Reader, id: string): Promise<number> {
  return (await db.one<{ bytes: number }>(sql`select bytes from thread where id = ${id}`))?.bytes ?? 0;
}
