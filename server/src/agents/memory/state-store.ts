// States of threads as langgraph's checkpointers keep them. All contents are sealed.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, nothing, sql, type Sql } from '../../ground/database/sql.ts';

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

// The rows of each table as one source `n`, in the order of its fields.
const stateFields = sql`ns, id, parent_id, run_id, versions, next_nodes, source, step, body`;
const blobFields = sql`ns, channel, version, body`;
const writeFields = sql`ns, checkpoint_id, task_id, idx, task_path, channel, body`;
const statesIn = (rows: readonly StateRow[]): Sql => sql`(
  select ns, id, parent_id, run_id, versions::jsonb, case when next is not null then array(select jsonb_array_elements_text(next::jsonb)) end, source, step, body
  from unnest(${column(rows, ({ ns }) => ns)}::text[], ${column(rows, ({ id }) => id)}::text[],
    ${column(rows, ({ parent_id }) => parent_id)}::text[], ${column(rows, ({ run_id }) => run_id)}::uuid[],
    ${column(rows, ({ versions }) => JSON.stringify(versions))}::text[], ${column(rows, ({ next_nodes }) => next_nodes && JSON.stringify(next_nodes))}::text[],
    ${column(rows, ({ source }) => source)}::text[], ${column(rows, ({ step }) => step)}::int[], ${column(rows, ({ body }) => body)}::bytea[])
    as given (ns, id, parent_id, run_id, versions, next, source, step, body)) as n`;
const blobsIn = (rows: readonly BlobRow[]): Sql => sql`unnest(
  ${column(rows, ({ ns }) => ns)}::text[], ${column(rows, ({ channel }) => channel)}::text[],
  ${column(rows, ({ version }) => version)}::text[], ${column(rows, ({ body }) => body)}::bytea[]) as n`;
const writesIn = (rows: readonly WriteRow[]): Sql => sql`unnest(
  ${column(rows, ({ ns }) => ns)}::text[], ${column(rows, ({ checkpoint_id }) => checkpoint_id)}::text[],
  ${column(rows, ({ task_id }) => task_id)}::text[], ${column(rows, ({ idx }) => idx)}::int[], ${column(rows, ({ task_path }) => task_path)}::text[],
  ${column(rows, ({ channel }) => channel)}::text[], ${column(rows, ({ body }) => body)}::bytea[]) as n`;

/** The row of the call, while it is open. It is locked, so the end of the call is stored before or after the whole transaction. */
const openCall = ({ run_id, revision_id }: Put['run']): Sql => sql`
  select i.id from invocation i where i.id = ${run_id} and i.revision_id = ${revision_id} and i.state = 'running' for share`;

/** Another call has the thread: it is before this one, or this one has no turn on it. */
const isHeldByOther = (thread_id: string, run_id: string): Sql => sql`exists (
  select from thread_turn u join invocation o on o.id = u.run_id and o.state = 'running'
  where u.thread_id = ${thread_id} and u.run_id <> ${run_id}
    and u.n < coalesce((select own.n from thread_turn own where own.run_id = ${run_id} and own.thread_id = ${thread_id}), 9223372036854775807))`;

/** Not of a subgraph. */
const isOfGraph = ({ ns }: { ns: string }) => ns === '';

/** False when the run is no longer open, or another call has the thread; then nothing is written. */
export async function putStates(tx: Tx, { run, thread_id, states, blobs, writes, nexts, tail }: Put): Promise<boolean> {
  // A killed run tells no end: its thread stands where its last step has left it, and a question before that step is answered.
  const goesOn = states.some(isOfGraph);
  const next =
    tail?.next_nodes ?? nexts.findLast(isOfGraph)?.next ?? states.findLast(isOfGraph)?.next_nodes ?? undefined;
  const waits = tail?.waits ?? null;
  const put = await tx.run(sql`
    with open as (${openCall(run)}), target as (
      select t.id from thread t, open where t.id = ${thread_id} and not ${isHeldByOther(thread_id, run.run_id)}
    ), s as (
      insert into thread_state (thread_id, ${stateFields}) select target.id, n.* from target, ${statesIn(states)}
      on conflict (thread_id, ns, id) do update set versions = excluded.versions, body = excluded.body, parent_id = excluded.parent_id
      returning octet_length(body) as bytes
    ), b as (
      insert into thread_blob (thread_id, ${blobFields}) select target.id, n.* from target, ${blobsIn(blobs)}
      on conflict do nothing returning octet_length(body) as bytes
    ), w as (
      insert into thread_write (thread_id, ${writeFields}) select target.id, n.* from target, ${writesIn(writes)}
      on conflict (thread_id, ns, checkpoint_id, task_id, idx)
      do update set task_path = excluded.task_path, channel = excluded.channel, body = excluded.body where thread_write.idx < 0
      returning octet_length(body) as bytes
    )
    update thread set used_at = date_trunc('milliseconds', clock_now()), bytes = bytes + (select coalesce(sum(a.bytes), 0) from (
        select bytes from s union all select bytes from b union all select bytes from w) a)
      ${next === undefined ? nothing : sql`, next_nodes = ${next}`}
      ${
        tail === null && !goesOn
          ? nothing
          : sql`, waits = ${waits},
        waiting_since = case when ${waits}::bytea is null then null else date_trunc('milliseconds', clock_now()) end`
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
  /** Only those that this run has made. */
  run_id?: string | undefined;
}

export interface FoundState extends StateRow {
  created_at: string;
}

/** Newest first. */
export const findStates = async (db: Reader, thread_id: string, { ns, id, before, run_id, limit }: Wanted) =>
  await db.all<FoundState>(sql`
    select ${stateFields}, created_at from thread_state
    where thread_id = ${thread_id} and ${allOf([
      ...(ns === undefined ? [] : [sql`ns = ${ns}`]),
      ...(id === undefined ? [] : [sql`id = ${id}`]),
      ...(before === undefined ? [] : [sql`id < ${before}`]),
      ...(run_id === undefined ? [] : [sql`run_id = ${run_id}`]),
    ])}
    order by id desc limit ${limit}`);

/** The last state of each graph directly under this one, between this state and the next of its own graph. Ids are in the order of time. */
export const findNested = async (db: Reader, thread_id: string, { ns, id }: { ns: string; id: string }) =>
  await db.all<{ ns: string; id: string }>(sql`
    select s.ns, max(s.id) as id from thread_state s
    where s.thread_id = ${thread_id} and s.ns <> '' and s.id > ${id}
      and regexp_replace(s.ns, '(^|\\|)[^|]*$', '') = ${ns}
      and not exists (
        select from thread_state later
        where later.thread_id = s.thread_id and later.ns = ${ns} and later.id > ${id} and later.id <= s.id)
    group by s.ns order by s.ns`);

/** The runs that have written to a thread. */
export const runsOf = async (db: Reader, thread_id: string): Promise<string[]> =>
  (
    await db.all<{ run_id: string }>(
      sql`select distinct run_id from thread_state where thread_id = ${thread_id} and run_id is not null`,
    )
  ).map(({ run_id }) => run_id);

/** Of these states, each blob once. */
export const findBlobs = async (db: Reader, thread_id: string, states: readonly Pick<StateRow, 'ns' | 'versions'>[]) =>
  await db.all<BlobRow>(sql`
    select b.ns, b.channel, b.version, b.body from thread_blob b join (
      select distinct n.ns, v.key as channel, v.value as version
      from unnest(${column(states, ({ ns }) => ns)}::text[], ${column(states, ({ versions }) => JSON.stringify(versions))}::text[]) as n (ns, versions),
        jsonb_each_text(n.versions::jsonb) v
    ) wanted using (ns, channel, version) where b.thread_id = ${thread_id}`);

/** The first state of each of these threads that has values, and where they have an input. */
export const firstStates = async (db: Reader, thread_ids: readonly string[]) =>
  await db.all<Pick<StateRow, 'ns' | 'versions'> & { thread_id: string }>(sql`
    select s.thread_id, s.ns, s.versions from unnest(${thread_ids}::uuid[]) as wanted (id), lateral (
      select thread_id, ns, versions from thread_state
      where thread_id = wanted.id and ns = '' and source <> 'input' order by id limit 1) s`);

/** Of states of several threads. A larger blob is left out. */
export const findSmallBlobs = async (
  db: Reader,
  states: readonly (Pick<StateRow, 'ns' | 'versions'> & { thread_id: string })[],
  max_bytes: number,
) =>
  await db.all<BlobRow & { thread_id: string }>(sql`
    select b.thread_id, b.ns, b.channel, b.version, b.body from unnest(${column(states, ({ thread_id }) => thread_id)}::uuid[],
      ${column(states, ({ ns }) => ns)}::text[], ${column(states, ({ versions }) => JSON.stringify(versions))}::text[]) as n (thread_id, ns, versions)
    cross join jsonb_each_text(n.versions::jsonb) v
    join thread_blob b on b.thread_id = n.thread_id and b.ns = n.ns and b.channel = v.key and b.version = v.value
    where octet_length(b.body) <= ${max_bytes}`);

/** Of these states, in the order in which a step applies them. */
export const findWrites = async (db: Reader, thread_id: string, states: readonly Pick<StateRow, 'ns' | 'id'>[]) =>
  await db.all<WriteRow>(sql`
    select w.ns, w.checkpoint_id, w.task_id, w.idx, w.task_path, w.channel, w.body from thread_write w
    join unnest(${column(states, ({ ns }) => ns)}::text[], ${column(states, ({ id }) => id)}::text[]) as n (ns, id) on n.ns = w.ns and n.id = w.checkpoint_id
    where w.thread_id = ${thread_id} order by w.task_path, w.task_id, w.idx`);

/** False when the run has ended, or another call has the thread. */
export async function holdThread(tx: Tx, run: Put['run'], thread_id: string): Promise<boolean> {
  if ((await tx.one(openCall(run))) === undefined) return false;
  const row = await tx.one<{ is_held: boolean }>(sql`select ${isHeldByOther(thread_id, run.run_id)} as is_held`);
  return row?.is_held === false;
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
  await joinAsSets(tx);
  await tx.run(sql`
    delete from thread_state s using (select ns, max(id) as id from thread_state where thread_id = ${thread_id} group by ns) newest
    where s.thread_id = ${thread_id} and s.ns = newest.ns and s.id < newest.id`);
  await deleteOrphans(tx, thread_id);
}

/** Without figures of a new thread, PostgreSQL expects few rows and joins each with each: a minute for 10,000 states. Until the transaction ends. */
async function joinAsSets(tx: Tx): Promise<void> {
  await tx.run(sql`set local enable_nestloop = off`);
}

/** Writes and blobs that no state has any more, and the sum of what is left. */
async function deleteOrphans(tx: Tx, thread_id: string): Promise<void> {
  await joinAsSets(tx);
  await tx.run(sql`
    delete from thread_write w where w.thread_id = ${thread_id}
      and not exists (select from thread_state s where s.thread_id = w.thread_id and s.ns = w.ns and s.id = w.checkpoint_id)`);
  await tx.run(sql`
    delete from thread_blob b where b.thread_id = ${thread_id} and not exists (
      select from thread_state s, jsonb_each_text(s.versions) v
      where s.thread_id = ${thread_id} and s.ns = b.ns and v.key = b.channel and v.value = b.version)`);
  await sumBytes(tx, thread_id);
}

export async function sumBytes(tx: Tx, thread_id: string): Promise<void> {
  await tx.run(sql`
    update thread set bytes =
      coalesce((select sum(octet_length(body)) from thread_state where thread_id = ${thread_id}), 0)
      + coalesce((select sum(octet_length(body)) from thread_blob where thread_id = ${thread_id}), 0)
      + coalesce((select sum(octet_length(body)) from thread_write where thread_id = ${thread_id}), 0)
    where id = ${thread_id}`);
}

type Rows = Pick<Put, 'states' | 'blobs' | 'writes'>;

/** Everything of a thread for a copy: the states, then the blobs, then the writes. A part is small, because a thread has up to a gigabyte. */
export async function* partsOf(db: Reader, thread_id: string): AsyncGenerator<Rows> {
  const none: Rows = { states: [], blobs: [], writes: [] };
  const states = { table: sql`thread_state`, fields: stateFields, key: sql`ns, id` };
  for await (const rows of pages<StateRow>(db, thread_id, { ...states, after: ({ ns, id }) => sql`${ns}, ${id}` }))
    yield { ...none, states: rows };
  const blobs = { table: sql`thread_blob`, fields: blobFields, key: sql`ns, channel, version` };
  const afterBlob = ({ ns, channel, version }: BlobRow) => sql`${ns}, ${channel}, ${version}`;
  for await (const rows of pages<BlobRow>(db, thread_id, { ...blobs, after: afterBlob }))
    yield { ...none, blobs: rows };
  const writes = { table: sql`thread_write`, fields: writeFields, key: sql`ns, checkpoint_id, task_id, idx` };
  const afterWrite = ({ ns, checkpoint_id, task_id, idx }: WriteRow) =>
    sql`${ns}, ${checkpoint_id}, ${task_id}, ${idx}`;
  for await (const rows of pages<WriteRow>(db, thread_id, { ...writes, after: afterWrite }))
    yield { ...none, writes: rows };
}

const page_rows = 200;
const page_bytes = 16 * 1024 ** 2;

/** In the order of the key. A page has at least one row. */
async function* pages<Row extends object>(
  db: Reader,
  thread_id: string,
  { table, fields, key, after }: { table: Sql; fields: Sql; key: Sql; after: (last: Row) => Sql },
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ;) {
    const rows: Row[] = await db.all<Row>(sql`
      select ${fields} from (
        select *, sum(octet_length(body)) over (order by ${key}) - octet_length(body) as bytes_before from (
          select * from ${table}
          where thread_id = ${thread_id} and ${last === undefined ? sql`true` : sql`(${key}) > (${after(last)})`}
          order by ${key} limit ${page_rows}) next) page
      where bytes_before < ${page_bytes} order by ${key}`);
    last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
  }
}

export async function insertRows(tx: Tx, thread_id: string, { states, blobs, writes }: Rows): Promise<void> {
  await tx.run(sql`
    insert into thread_state (thread_id, ${stateFields}) select ${thread_id}::uuid, n.* from ${statesIn(states)} on conflict do nothing`);
  await tx.run(sql`
    insert into thread_blob (thread_id, ${blobFields}) select ${thread_id}::uuid, n.* from ${blobsIn(blobs)} on conflict do nothing`);
  await tx.run(sql`
    insert into thread_write (thread_id, ${writeFields}) select ${thread_id}::uuid, n.* from ${writesIn(writes)} on conflict do nothing`);
}
