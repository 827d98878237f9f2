// Threads and the calls that wait for them.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../ground/database/sql.ts';
import { wake } from '../../ground/runs/run.ts';
import type { Exposure } from '../delegated-calls/exposure.ts';
import type { ThreadName, Turn } from '../invoke/turns.ts';

/** The thread of this name; it is made when there is none. */
export async function putThread(tx: Tx, { agent_id, owner_id, space, name, via }: ThreadName): Promise<string> {
  const row = await tx.one<{ id: string }>(sql`
    insert into thread (agent_id, owner_id, space, name, via) values (${agent_id}, ${owner_id}, ${space}, ${name}, ${via})
    on conflict (agent_id, space, name) do update set used_at = excluded.used_at returning id`);
  if (row === undefined) throw new Error('a thread was not stored');
  return row.id;
}

export const findThread = async (
  db: Reader,
  { agent_id, space, name }: Pick<ThreadName, 'agent_id' | 'space' | 'name'>,
) =>
  (
    await db.one<{ id: string }>(
      sql`select id from thread where agent_id = ${agent_id} and space = ${space} and name = ${name}`,
    )
  )?.id;

/** The calls on a thread that have not ended, without this one. */
export async function countTurns(db: Reader, thread_id: string, run_id: string): Promise<number> {
  const row = await db.one<{ count: number }>(sql`
    select count(*) from thread_turn u join invocation i on i.id = u.run_id and i.state = 'running'
    where u.thread_id = ${thread_id} and u.run_id <> ${run_id}`);
  return row?.count ?? 0;
}

/** In the transaction that stores the call. Turns of calls that have ended go, so a thread has few. */
export async function enter(
  tx: Tx,
  { run_id, expects, expects_since }: Pick<Turn, 'run_id' | 'expects' | 'expects_since'>,
  thread_id: string,
): Promise<void> {
  await tx.run(sql`
    delete from thread_turn u using invocation i where u.thread_id = ${thread_id} and i.id = u.run_id and i.state = 'ended' and u.run_id <> ${run_id}`);
  await tx.run(sql`
    insert into thread_turn (run_id, thread_id, root_run_id, expects, expects_since)
    select ${run_id}, ${thread_id}, coalesce(root_run_id, id), ${expects ?? null}, ${expects_since ?? null} from invocation where id = ${run_id}
    on conflict (run_id) do nothing`);
}

/** What the runs of a thread have read so far. */
const exposureOfThread = (thread_id: Sql) => {
  const of = (label: Sql) => sql`((select h.${label} from thread h where h.id = ${thread_id}) or exists (
      select from thread_turn l join run_exposure e on e.root_run_id = l.root_run_id
      where l.thread_id = ${thread_id} and e.${label})) as ${label}`;
  return sql`${of(sql`private_data`)}, ${of(sql`outside_text`)}`;
};

/** A copy of a thread has read what the thread has. */
export async function copyExposure(tx: Tx, { from, to }: { from: string; to: string }): Promise<void> {
  await tx.run(sql`
    update thread t set private_data = had.private_data, outside_text = had.outside_text
    from (select ${exposureOfThread(sql`${from}::uuid`)}) had where t.id = ${to}`);
}

/** Undefined for a call that has ended. */
export const turnOf = async (db: Reader, run_id: string) =>
  await db.one<
    { is_first: boolean; cancel_pending: boolean; is_answered: boolean; root_run_id: string | null } & Exposure
  >(sql`
    select i.cancel_pending, u.root_run_id, ${exposureOfThread(sql`u.thread_id`)}, coalesce(u.expects <> (
      select max(s.id) from thread_state s where s.thread_id = u.thread_id and s.ns = ''), false)
      or (u.expects_since is not null and u.expects_since is distinct from (select t.waiting_since from thread t where t.id = u.thread_id)) as is_answered, not exists (
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
export async function keptBytes(
  db: Reader,
  { agent_id, owner_id }: { agent_id: string; owner_id: string },
): Promise<number> {
  const row = await db.one<{ bytes: number }>(sql`
    select coalesce((select sum(bytes) from thread where agent_id = ${agent_id} and owner_id = ${owner_id}), 0)::bigint
      + coalesce((select sum(bytes) from store_item where agent_id = ${agent_id} and owner_id = ${owner_id}), 0)::bigint as bytes`);
  return row?.bytes ?? 0;
}

export async function bytesOf(db: Reader, id: string): Promise<number> {
  return (await db.one<{ bytes: number }>(sql`select bytes from thread where id = ${id}`))?.bytes ?? 0;
}

export interface ThreadRow {
  id: string;
  agent_id: string;
  owner_id: string;
  name: string;
  via: string | null;
  next_nodes: string[];
  /** Sealed. */
  waits: Buffer | null;
  waiting_since: string | null;
  /** Sealed: what clients of langgraph's API keep with it. */
  metadata: Buffer | null;
  bytes: number;
  created_at: string;
  used_at: string;
  /** A call works on it, or waits for its turn. */
  is_working: boolean;
  /** An e-mail address, or a reference. Null: the owner is gone. */
  owner: string | null;
}

/** A call works on the thread `t`, or waits for its turn. */
export const isWorking = sql`exists (
  select from thread_turn u join invocation i on i.id = u.run_id and i.state = 'running' where u.thread_id = t.id)`;
/** Of the thread `t`: an e-mail address, or a reference. */
export const owner = sql`coalesce(
  (select label from identity i where i.id = t.owner_id), (select 'agents/' || o.name from asset o where o.id = t.owner_id))`;
const columns = sql`t.id, t.agent_id, t.owner_id, t.name, t.via, t.next_nodes, t.waits, t.waiting_since, t.metadata, t.bytes, t.created_at, t.used_at,
  ${isWorking} as is_working, ${owner} as owner`;

/** Of one owner with one agent, whichever way the owner came. `before` is the use and the id of the last row of the page before. */
export const listThreads = async (
  db: Reader,
  of: {
    agent_id: string;
    owner_id?: string;
    before: [string, string] | undefined;
    limit: number;
    where?: Sql | undefined;
  },
) =>
  await db.all<ThreadRow>(sql`
    select ${columns} from thread t where t.agent_id = ${of.agent_id} and ${allOf([
      ...(of.owner_id === undefined ? [] : [sql`t.owner_id = ${of.owner_id}`]),
      ...(of.before === undefined
        ? []
        : [sql`(t.used_at, t.id) < (${of.before[0]}::timestamptz, ${of.before[1]}::uuid)`]),
      ...(of.where === undefined ? [] : [of.where]),
    ])} order by t.used_at desc, t.id desc limit ${of.limit}`);

/** The condition of each state, as threads/print-thread.ts prints it. */
export const whereState = {
  working: isWorking,
  waiting: sql`not ${isWorking} and t.waits is not null`,
  interrupted: sql`not ${isWorking} and t.waits is null and t.next_nodes <> '{}'`,
  idle: sql`not ${isWorking} and t.waits is null and t.next_nodes = '{}'`,
} as const;

/** The thread of an owner by its id. */
export const findById = async (
  db: Reader,
  { id, agent_id, owner_id }: { id: string; agent_id: string; owner_id: string },
) =>
  await db.one<ThreadRow>(sql`
    select ${columns} from thread t where t.id = ${id} and t.agent_id = ${agent_id} and t.owner_id = ${owner_id}`);

/** Whoever owns it. */
export const findOfAnybody = async (db: Reader, { id, agent_id }: { id: string; agent_id: string }) =>
  await db.one<ThreadRow>(sql`select ${columns} from thread t where t.id = ${id} and t.agent_id = ${agent_id}`);

export const findByName = async (
  db: Reader,
  { agent_id, space, name }: Pick<ThreadName, 'agent_id' | 'space' | 'name'>,
) =>
  await db.one<ThreadRow>(sql`
    select ${columns} from thread t where t.agent_id = ${agent_id} and t.space = ${space} and t.name = ${name}`);

/** Undefined when the name is taken. */
export const makeThread = async (tx: Tx, { agent_id, owner_id, space, name, via }: ThreadName) =>
  (
    await tx.one<{ id: string }>(sql`
      insert into thread (agent_id, owner_id, space, name, via) values (${agent_id}, ${owner_id}, ${space}, ${name}, ${via})
      on conflict do nothing returning id`)
  )?.id;

/** Until the end of the transaction. False while a call works on it, or waits for its turn. */
export const lockIdle = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.one(sql`select from thread t where t.id = ${id} and not ${isWorking} for update of t`)) !== undefined;

/** False while a call works on it, or waits for its turn. */
export async function deleteThread(tx: Tx, id: string): Promise<boolean> {
  return (await deleteWhere(tx, sql`t.id = ${id} and not ${isWorking}`)) > 0;
}

export async function setMetadata(tx: Tx, id: string, metadata: Buffer): Promise<void> {
  await tx.run(sql`update thread set metadata = ${metadata} where id = ${id}`);
}

/** Where the thread stands after a copy: as the state up to which it was copied. */
export async function setNext(tx: Tx, id: string, next_nodes: readonly string[]): Promise<void> {
  await tx.run(sql`update thread set next_nodes = ${next_nodes} where id = ${id}`);
}

/** A call for this caller is running, with a thread or without one. */
export async function worksFor(db: Reader, caller_id: string): Promise<boolean> {
  return (
    (await db.one(sql`select from invocation where caller_id = ${caller_id} and state = 'running' limit 1`)) !==
    undefined
  );
}

export const deleteThreadsOf = async (tx: Tx, owner_id: string): Promise<number> =>
  await deleteWhere(tx, sql`t.owner_id = ${owner_id}`);

/** Those that nobody has used for as long as the agent's revision says; without a time of its own, for `keep_days`. A thread with a call stays. */
export async function forgetOld(tx: Tx, keep_days: number | null): Promise<void> {
  await deleteWhere(
    tx,
    sql`t.used_at < clock_now() - coalesce(
      make_interval(secs => (
        select v.threads_kept_seconds from route r join revision v on v.id = r.revision_id where r.is_default and r.agent_id = t.agent_id)),
      make_interval(days => ${keep_days}::int)) and not ${isWorking}`,
  );
}

/** A run of an orchestration that waits for such a thread is woken, and finds it gone. */
async function deleteWhere(tx: Tx, where: Sql): Promise<number> {
  const waiting = await tx.all<{ run_id: string }>(sql`
    select distinct w.run_id from thread_wait w join thread t on t.id = w.thread_id where w.value is null and ${where}`);
  const deleted = await tx.run(sql`delete from thread t where ${where}`);
  for (const { run_id } of waiting) await wake(tx, run_id);
  return deleted;
}
