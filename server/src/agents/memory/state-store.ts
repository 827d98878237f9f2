// States of threads as langgraph's checkpointers keep them. All contents are sealed.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, nothing, sql } from '../../ground/database/sql.ts';

export interface StateRow {
  ns: string;
  id: string;
  parent_id: string | null;
  run_id: string | null;
  /** Channel → the version of its blob. */
  versions: Record<string, string>;
  next_nodes: string[] | null;
  source: string;
  step: number;
  body: Buffer;
}

export interface BlobRow {
  ns: string;
  channel: string;
  version: string;
  body: Buffer;
}

export interface WriteRow {
  ns: string;
  checkpoint_id: string;
  task_id: string;
  idx: number;
  task_path: string;
  channel: string;
  body: Buffer;
}

/** Where the thread stands after a run. */
interface Tail {
  next_nodes: readonly string[];
  /** Sealed. Null: it waits for nobody. */
  waits: Buffer | null;
}

export interface Put {
  run: { run_id: string; revision_id: string };
  thread_id: string;
  states: readonly StateRow[];
  blobs: readonly BlobRow[];
  writes: readonly WriteRow[];
  nexts: readonly { ns: string; id: string; next: readonly string[] }[];
  tail: Tail | null;
}

const column = <Row, Value>(rows: readonly Row[], of: (row: Row) => Value) => rows.map(of);

/**
 * False when the run is no longer open, or another call has the thread; then nothing is written. The row of the call is locked, so its end is stored
 * before or after the whole.
 */
export async function putStates(tx: Tx, { run, thread_id, states, blobs, writes, nexts, tail }: Put): Promise<boolean> {
  const put = await tx.run(sql`
    with open as (
      select i.id from invocation i
      where i.id = ${run.run_id} and i.revision_id = ${run.revision_id} and i.state = 'running' for share
    ), target as (
      select t.id from thread t, open where t.id = ${thread_id} and not exists (
        select from thread_turn u join invocation o on o.id = u.run_id and o.state = 'running'
        where u.thread_id = t.id and u.run_id <> open.id
          and u.n < coalesce((select own.n from thread_turn own where own.run_id = open.id and own.thread_id = t.id), 9223372036854775807))
    ), s as (
      insert into thread_state (thread_id, ns, id, parent_id, run_id, versions, next_nodes, source, step, body)
      select target.id, n.ns, n.id, n.parent_id, n.run_id, n.versions::jsonb, array(select jsonb_array_elements_text(n.next::jsonb)), n.source, n.step, n.body
      from target, unnest(${column(states, ({ ns }) => ns)}::text[], ${column(states, ({ id }) => id)}::text[],
        ${column(states, ({ parent_id }) => parent_id)}::text[], ${column(states, ({ run_id }) => run_id)}::uuid[],
        ${column(states, ({ versions }) => JSON.stringify(versions))}::text[], ${column(states, ({ next_nodes }) => next_nodes && JSON.stringify(next_nodes))}::text[],
        ${column(states, ({ source }) => source)}::text[], ${column(states, ({ step }) => step)}::int[], ${column(states, ({ body }) => body)}::bytea[])
        as n (ns, id, parent_id, run_id, versions, next, source, step, body)
      on conflict (thread_id, ns, id) do update set versions = excluded.versions, body = excluded.body, parent_id = excluded.parent_id
      returning octet_length(body) as bytes
    ), b as (
      insert into thread_blob (thread_id, ns, channel, version, body)
      select target.id, n.* from target, unnest(${column(blobs, ({ ns }) => ns)}::text[], ${column(blobs, ({ channel }) => channel)}::text[],
        ${column(blobs, ({ version }) => version)}::text[], ${column(blobs, ({ body }) => body)}::bytea[]) as n (ns, channel, version, body)
      on conflict do nothing returning octet_length(body) as bytes
    ), w as (
      insert into thread_write (thread_id, ns, checkpoint_id, task_id, idx, task_path, channel, body)
      select target.id, n.* from target, unnest(${column(writes, ({ ns }) => ns)}::text[], ${column(writes, ({ checkpoint_id }) => checkpoint_id)}::text[],
        ${column(writes, ({ task_id }) => task_id)}::text[], ${column(writes, ({ idx }) => idx)}::int[], ${column(writes, ({ task_path }) => task_path)}::text[],
        ${column(writes, ({ channel }) => channel)}::text[], ${column(writes, ({ body }) => body)}::bytea[])
        as n (ns, checkpoint_id, task_id, idx, task_path, channel, body)
      on conflict (thread_id, ns, checkpoint_id, task_id, idx)
      do update set task_path = excluded.task_path, channel = excluded.channel, body = excluded.body where thread_write.idx < 0
      returning octet_length(body) as bytes
    )
    update thread set used_at = date_trunc('milliseconds', clock_now()), bytes = bytes + (select coalesce(sum(a.bytes), 0) from (
        select bytes from s union all select bytes from b union all select bytes from w) a)
      ${
        tail === null
          ? nothing
          : sql`, next_nodes = ${tail.next_nodes}, waits = ${tail.waits},
        waiting_since = case when ${tail.waits}::bytea is null then null else date_trunc('milliseconds', clock_now()) end`
      }
    from target where thread.id = target.id`);
  if (put === 0) return false;
  if (nexts.length > 0)
    await tx.run(sql`
      update thread_state s set next_nodes = array(select jsonb_array_elements_text(n.next::jsonb))
      from unnest(${column(nexts, ({ ns }) => ns)}::text[], ${column(nexts, ({ id }) => id)}::text[],
        ${column(nexts, ({ next }) => JSON.stringify(next))}::text[]) as n (ns, id, next)
      where s.thread_id = ${thread_id} and s.ns = n.ns and s.id = n.id`);
  return true;
}

export interface Wanted {
  /** Undefined: all. */
  ns?: string | undefined;
  id?: string | undefined;
  before?: string | undefined;
  limit: number;
}

export interface FoundState extends StateRow {
  created_at: string;
}

/** Newest first. */
export const findStates = async (db: Reader, thread_id: string, { ns, id, before, limit }: Wanted) =>
  await db.all<FoundState>(sql`
    select ns, id, parent_id, run_id, versions, next_nodes, source, step, body, created_at from thread_state
    where thread_id = ${thread_id} and ${allOf([
      ...(ns === undefined ? [] : [sql`ns = ${ns}`]),
      ...(id === undefined ? [] : [sql`id = ${id}`]),
      ...(before === undefined ? [] : [sql`id < ${before}`]),
    ])}
    order by id desc limit ${limit}`);

/** Of these states, each blob once. */
export const findBlobs = async (db: Reader, thread_id: string, states: readonly Pick<StateRow, 'ns' | 'versions'>[]) =>
  await db.all<BlobRow>(sql`
    select b.ns, b.channel, b.version, b.body from thread_blob b join (
      select distinct n.ns, v.key as channel, v.value as version
      from unnest(${column(states, ({ ns }) => ns)}::text[], ${column(states, ({ versions }) => JSON.stringify(versions))}::text[]) as n (ns, versions),
        jsonb_each_text(n.versions::jsonb) v
    ) wanted using (ns, channel, version) where b.thread_id = ${thread_id}`);

/** Of these states, in the order in which a step applies them. */
export const findWrites = async (db: Reader, thread_id: string, states: readonly Pick<StateRow, 'ns' | 'id'>[]) =>
  await db.all<WriteRow>(sql`
    select w.ns, w.checkpoint_id, w.task_id, w.idx, w.task_path, w.channel, w.body from thread_write w
    join unnest(${column(states, ({ ns }) => ns)}::text[], ${column(states, ({ id }) => id)}::text[]) as n (ns, id) on n.ns = w.ns and n.id = w.checkpoint_id
    where w.thread_id = ${thread_id} order by w.task_path, w.task_id, w.idx`);

/** Locks the row of the call, so its end is stored after the transaction. False when the run has ended, or another call has the thread. */
export async function holdThread(tx: Tx, run: Put['run'], thread_id: string): Promise<boolean> {
  const open = await tx.one(sql`
    select from invocation i where i.id = ${run.run_id} and i.revision_id = ${run.revision_id} and i.state = 'running' for share`);
  if (open === undefined) return false;
  const other = await tx.one(sql`
    select from thread_turn u join invocation o on o.id = u.run_id and o.state = 'running'
    where u.thread_id = ${thread_id} and u.run_id <> ${run.run_id}
      and u.n < coalesce((select own.n from thread_turn own where own.run_id = ${run.run_id} and own.thread_id = ${thread_id}), 9223372036854775807)`);
  return other === undefined;
}

/** The thread stays, with nothing in it. */
export async function deleteStates(tx: Tx, thread_id: string): Promise<void> {
  await tx.run(sql`delete from thread_write where thread_id = ${thread_id}`);
  await tx.run(sql`delete from thread_blob where thread_id = ${thread_id}`);
  await tx.run(sql`delete from thread_state where thread_id = ${thread_id}`);
  await tx.run(sql`
    update thread set bytes = 0, next_nodes = '{}', waits = null, waiting_since = null where id = ${thread_id}`);
}

/** In all threads of one owner and way. */
export async function deleteStatesOfRuns(
  tx: Tx,
  { agent_id, space, run_ids }: { agent_id: string; space: string; run_ids: readonly string[] },
): Promise<void> {
  const gone = await tx.all<{ thread_id: string }>(sql`
    delete from thread_state s using thread t
    where t.id = s.thread_id and t.agent_id = ${agent_id} and t.space = ${space} and s.run_id = any(${run_ids}) returning s.thread_id`);
  for (const thread_id of new Set(gone.map((row) => row.thread_id))) await deleteOrphans(tx, thread_id);
}

/** All but the newest state of each namespace. */
export async function keepLatest(tx: Tx, thread_id: string): Promise<void> {
  await tx.run(sql`
    delete from thread_state s where s.thread_id = ${thread_id}
      and exists (select from thread_state newer where newer.thread_id = s.thread_id and newer.ns = s.ns and newer.id > s.id)`);
  await deleteOrphans(tx, thread_id);
}

/** Writes and blobs that no state has any more, and the sum of what is left. */
async function deleteOrphans(tx: Tx, thread_id: string): Promise<void> {
  await tx.run(sql`
    delete from thread_write w where w.thread_id = ${thread_id}
      and not exists (select from thread_state s where s.thread_id = w.thread_id and s.ns = w.ns and s.id = w.checkpoint_id)`);
  await tx.run(sql`
    delete from thread_blob b where b.thread_id = ${thread_id}
      and not exists (select from thread_state s where s.thread_id = b.thread_id and s.ns = b.ns and s.versions ->> b.channel = b.version)`);
  await sumBytes(tx, thread_id);
}

async function sumBytes(tx: Tx, thread_id: string): Promise<void> {
  await tx.run(sql`
    update thread set bytes =
      coalesce((select sum(octet_length(body)) from thread_state where thread_id = ${thread_id}), 0)
      + coalesce((select sum(octet_length(body)) from thread_blob where thread_id = ${thread_id}), 0)
      + coalesce((select sum(octet_length(body)) from thread_write where thread_id = ${thread_id}), 0)
    where id = ${thread_id}`);
}

/** Everything of a thread, or of its states up to one. For a copy, whose rows are sealed anew. */
export async function allRows(
  db: Reader,
  thread_id: string,
): Promise<{ states: FoundState[]; blobs: BlobRow[]; writes: WriteRow[] }> {
  const [states, blobs, writes] = await Promise.all([
    db.all<FoundState>(sql`
      select ns, id, parent_id, run_id, versions, next_nodes, source, step, body, created_at from thread_state where thread_id = ${thread_id}`),
    db.all<BlobRow>(sql`select ns, channel, version, body from thread_blob where thread_id = ${thread_id}`),
    db.all<WriteRow>(sql`
      select ns, checkpoint_id, task_id, idx, task_path, channel, body from thread_write where thread_id = ${thread_id}`),
  ]);
  return { states, blobs, writes };
}

export async function insertRows(
  tx: Tx,
  thread_id: string,
  { states, blobs, writes }: { states: readonly StateRow[]; blobs: readonly BlobRow[]; writes: readonly WriteRow[] },
): Promise<void> {
  for (const s of states)
    await tx.run(sql`
      insert into thread_state (thread_id, ns, id, parent_id, run_id, versions, next_nodes, source, step, body)
      values (${thread_id}, ${s.ns}, ${s.id}, ${s.parent_id}, ${s.run_id}, ${JSON.stringify(s.versions)}::jsonb, ${s.next_nodes}, ${s.source}, ${s.step}, ${s.body})
      on conflict do nothing`);
  for (const b of blobs)
    await tx.run(sql`
      insert into thread_blob (thread_id, ns, channel, version, body) values (${thread_id}, ${b.ns}, ${b.channel}, ${b.version}, ${b.body})
      on conflict do nothing`);
  for (const w of writes)
    await tx.run(sql`
      insert into thread_write (thread_id, ns, checkpoint_id, task_id, idx, task_path, channel, body)
      values (${thread_id}, ${w.ns}, ${w.checkpoint_id}, ${w.task_id}, ${w.idx}, ${w.task_path}, ${w.channel}, ${w.body}) on conflict do nothing`);
  await sumBytes(tx, thread_id);
}
