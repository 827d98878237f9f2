import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../ground/database/sql.ts';
import { fromNow, isFree } from '../../ground/queue/lease.ts';
import type { Answer } from './answer.ts';
import { outcomeOf, type Outcome } from './calls/outcome.ts';
import type { Turn } from './turns.ts';

export interface Invocation {
  id: string;
  agent_id: string;
  revision_id: string;
  /** Null for a call that no instance has begun: it waits for one. */
  instance_id: string | null;
  caller_id: string;
  /** The first run of a chain of calls; null for a call of a caller alone. */
  root_run_id: string | null;
  state: 'running' | 'ended';
  status: number | null;
  content_type: string | null;
  body: Buffer | null;
}

const columns = sql`id, agent_id, revision_id, instance_id, caller_id, root_run_id, state, status, content_type, body`;

/** How far the sending of a call has come (call-state.ts). */
interface Progress {
  /** The only start of the instance that may begin the call; null: not known. */
  start_id: string | null;
  attempt: number;
  is_begun: boolean;
}

/** A call that an ingress follows from now on. */
export interface Claimed extends Invocation, Progress {
  /** The asset that sends it; null for a caller alone. */
  via: string | null;
  stored_seconds_ago: number;
  cancel_pending: boolean;
}

const claimedColumns = sql`${columns}, start_id, attempt, begun_at is not null as is_begun, via, cancel_pending,
  ceil(extract(epoch from clock_now() - created_at))::int as stored_seconds_ago`;

export type RunningInvocation = Pick<Invocation, 'id' | 'agent_id' | 'revision_id' | 'instance_id' | 'caller_id'> & {
  progress?: Progress;
  /** Sealed. */
  input?: Buffer;
  task?: TaskTurn;
  /** Its place on its thread. */
  turn?: Turn;
  /** For a call that another asset sends: the id of this asset, and the first run of the chain. */
  through?: { via: string; root_run_id: string };
};

/** One message of a caller to a task. */
export interface TaskTurn {
  /** The id of its first call. */
  task_id: string;
  /** Counts its messages, from 1. */
  turn: number;
  context_id: string;
}

/** The ingress that follows a call. */
export interface Follower {
  owner: string;
  lease_ms: number;
}

/** Adds the call, or stores the other instance that gets it now. False for a call that has ended, or that another ingress follows. */
export async function putRunning(db: Tx, row: RunningInvocation, { owner, lease_ms }: Follower): Promise<boolean> {
  const { start_id = null, attempt = 0, is_begun = false } = row.progress ?? {};
  const put = await db.run(sql`
    insert into invocation (id, agent_id, revision_id, instance_id, caller_id, state, owner, lease_until, task_id, turn, context_id, via, root_run_id,
      start_id, attempt, begun_at, input)
    values (${row.id}, ${row.agent_id}, ${row.revision_id}, ${row.instance_id}, ${row.caller_id}, 'running', ${owner}, ${fromNow(lease_ms)},
      ${row.task?.task_id ?? null}, ${row.task?.turn ?? null}, ${row.task?.context_id ?? null}, ${row.through?.via ?? null}, ${row.through?.root_run_id ?? null},
      ${start_id}, ${attempt}, case when ${is_begun} then clock_now() end, ${is_begun ? null : (row.input ?? null)})
    on conflict (id) do update set instance_id = excluded.instance_id, revision_id = excluded.revision_id, start_id = excluded.start_id,
      attempt = excluded.attempt, begun_at = coalesce(invocation.begun_at, excluded.begun_at),
      input = case when invocation.begun_at is null and excluded.begun_at is null then coalesce(excluded.input, invocation.input) end
    where invocation.state = 'running' and invocation.owner = ${owner}`);
  return put > 0;
}

/** Keeps the first answer. With an owner, only the ingress that follows the call writes. */
export async function end(db: Tx, id: string, answer: Answer, owner?: string): Promise<void> {
  await db.run(sql`
    update invocation set state = 'ended', status = ${answer.status}, content_type = ${answer.content_type}, body = ${answer.body}, ended_at = clock_now(), input = null,
      outcome = case when task_id is not null then ${outcomeOf(answer)} end
    where id = ${id} and state = 'running' and (${owner ?? null}::text is null or owner = ${owner ?? null})`);
}

/** The caller's own call to the agent. Undefined for another caller's call, and for one that an asset has sent for the caller. */
export async function find(
  db: Reader,
  { id, agent_id, caller_id }: Pick<Invocation, 'id' | 'agent_id' | 'caller_id'>,
): Promise<Invocation | undefined> {
  return await db.one<Invocation>(
    sql`select ${columns} from invocation where id = ${id} and agent_id = ${agent_id} and caller_id = ${caller_id} and via is null`,
  );
}

export const findById = async (db: Reader, id: string) =>
  await db.one<Invocation>(sql`select ${columns} from invocation where id = ${id}`);

/** Its container works for the call: it is never sent again. */
export async function setBegun(db: Tx, id: string): Promise<void> {
  await db.run(sql`
    update invocation set begun_at = clock_now(), input = null where id = ${id} and state = 'running' and begun_at is null`);
}

/** No start may begin the call. Only by the ingress that follows it. */
export async function setWaiting(db: Tx, id: string, owner: string): Promise<void> {
  await db.run(sql`
    update invocation set instance_id = null, start_id = null where id = ${id} and state = 'running' and owner = ${owner}`);
}

/** Sealed. Null for a call that has begun, that another asset has sent, or that is older than this. */
export async function inputOf(db: Reader, id: string): Promise<Buffer | null> {
  return (await db.one<{ input: Buffer | null }>(sql`select input from invocation where id = ${id}`))?.input ?? null;
}

/** True until the end of the run is stored. */
export async function isOpen(
  db: Reader,
  { id, revision_id }: Pick<Invocation, 'id' | 'revision_id'>,
): Promise<boolean> {
  const row = await db.one(
    sql`select from invocation where id = ${id} and revision_id = ${revision_id} and state = 'running'`,
  );
  return row !== undefined;
}

/** Deletes the row of a call that nobody asks for again. */
export async function remove(db: Tx, id: string): Promise<void> {
  await db.run(sql`delete from invocation where id = ${id}`);
}

/** The calls of other agents in the run so far, without this one. */
export async function countInRun(
  db: Reader,
  { root_run_id, id }: { root_run_id: string; id: string },
): Promise<number> {
  const row = await db.one<{ count: number }>(
    sql`select count(*) from invocation where root_run_id = ${root_run_id} and id <> ${id}`,
  );
  return row?.count ?? 0;
}

/** The open calls that one asset makes to the agent for itself. */
export async function countOwn(db: Reader, { via, agent_id, id }: { via: string; agent_id: string; id: string }) {
  const row = await db.one<{ count: number }>(sql`
    select count(*) from invocation
    where via = ${via} and agent_id = ${agent_id} and state = 'running' and root_run_id = id and id <> ${id}`);
  return row?.count ?? 0;
}

/** Until the transaction ends, one process at a time counts these calls. */
export async function holdCount(tx: Tx, counted: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${counted}, 16))`);
}

/** True while the instance has calls whose answers are not stored. */
export async function hasRunning(db: Reader, instance_id: string): Promise<boolean> {
  const one = await db.one(
    sql`select from invocation where state = 'running' and instance_id = ${instance_id} limit 1`,
  );
  return one !== undefined;
}

/** Claims running calls that no ingress follows. */
export async function claim(
  db: Tx,
  { owner, lease_ms }: Follower,
  { most, except }: { most: number; except: readonly string[] },
): Promise<Claimed[]> {
  return await db.all<Claimed>(sql`
    update invocation set owner = ${owner}, lease_until = ${fromNow(lease_ms)}
    where id in (
      select id from invocation where state = 'running' and ${isFree} and id <> all(${except}::uuid[]) order by created_at for update skip locked limit ${most})
    returning ${claimedColumns}`);
}

/** Returns the ids of the calls that this ingress still follows. */
export async function renew(db: Tx, { owner, lease_ms }: Follower, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    update invocation set lease_until = ${fromNow(lease_ms)}
    where id = any(${ids}) and state = 'running' and owner = ${owner} returning id`);
  return rows.map(({ id }) => id);
}

/** The calls that an ingress follows, and whose containers have not taken their cancel. */
export async function pendingCancels(db: Reader, owner: string): Promise<Invocation[]> {
  return await db.all<Invocation>(
    sql`select ${columns} from invocation where state = 'running' and cancel_pending and owner = ${owner}`,
  );
}

export async function setCancelPending(db: Tx, id: string, pending: boolean): Promise<void> {
  await db.run(sql`update invocation set cancel_pending = ${pending} where id = ${id} and state = 'running'`);
}

export async function setCancelsPending(db: Tx, root_run_id: string): Promise<void> {
  await db.run(
    sql`update invocation set cancel_pending = true where root_run_id = ${root_run_id} and state = 'running'`,
  );
}

/** Any ingress may follow these calls at once. */
export async function release(db: Tx, owner: string, ids: readonly string[]): Promise<void> {
  await db.run(sql`
    update invocation set owner = null, lease_until = null
    where id = any(${ids}) and state = 'running' and owner = ${owner}`);
}

/** Releases the calls of all other processes. */
export async function releaseAll(db: Tx, owner: string): Promise<void> {
  await db.run(
    sql`update invocation set owner = null, lease_until = null where state = 'running' and owner <> ${owner}`,
  );
}

export async function forgetOld(db: Tx, keep_days: number): Promise<number> {
  return await db.run(sql`delete from invocation where ended_at < clock_now() - make_interval(days => ${keep_days})`);
}

/** The latest call of a task. */
export interface Task extends Invocation, TaskTurn {
  outcome: Outcome | null;
  /** UTC, ISO 8601. */
  updated_at: string;
}

/** A caller's own tasks with an agent, or those that one asset has for the caller. */
export interface TaskOwner {
  agent_id: string;
  caller_id: string;
  /** The asset; null for the caller alone. */
  via: string | null;
}

const updated_at = sql`coalesce(ended_at, created_at)`;
const taskColumns = sql`id, agent_id, revision_id, instance_id, caller_id, root_run_id, state, status, content_type, task_id, turn, context_id, outcome,
  to_char(${updated_at} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at`;

export async function findTask(db: Reader, owner: TaskOwner, task_id: string): Promise<Task | undefined> {
  return await db.one<Task>(sql`
    select ${taskColumns}, body from invocation
    where task_id = ${task_id} and ${isOf(owner)} order by turn desc limit 1`);
}

export interface TaskFilter {
  context_id: string | undefined;
  state: { state: Invocation['state']; outcome: Outcome | null } | undefined;
  /** ISO 8601. */
  updated_after: string | undefined;
}

export interface TaskPage {
  limit: number;
  /** The position of the last task of the page before. */
  after: { updated_at: string; task_id: string } | undefined;
  /** Larger bodies are left out. */
  max_body_bytes: number;
}

/** The latest first. */
export async function listTasks(db: Reader, owner: TaskOwner, filter: TaskFilter, page: TaskPage): Promise<Task[]> {
  const { after } = page;
  const next =
    after === undefined ? sql`true` : sql`(l.updated_at, l.task_id) < (${after.updated_at}, ${after.task_id}::uuid)`;
  return await db.all<Task>(sql`
    select l.*, case when octet_length(i.body) <= ${page.max_body_bytes} then i.body end as body
    from (${latestCalls(owner, filter)}) l join invocation i on i.id = l.id
    where ${next} order by l.updated_at desc, l.task_id desc limit ${page.limit}`);
}

export async function countTasks(db: Reader, owner: TaskOwner, filter: TaskFilter): Promise<number> {
  const row = await db.one<{ count: number }>(sql`select count(*) from (${latestCalls(owner, filter)}) l`);
  return row?.count ?? 0;
}

const isOf = ({ agent_id, caller_id, via }: TaskOwner) =>
  sql`agent_id = ${agent_id} and caller_id = ${caller_id} and via is not distinct from ${via}`;

function latestCalls(owner: TaskOwner, { context_id, state, updated_after }: TaskFilter): Sql {
  const wanted = [
    context_id === undefined ? [] : [sql`context_id = ${context_id}`],
    state === undefined ? [] : [sql`state = ${state.state} and outcome is not distinct from ${state.outcome}`],
    updated_after === undefined ? [] : [sql`updated_at >= ${updated_after}`],
  ].flat();
  return sql`select * from (
      select distinct on (task_id) ${taskColumns} from invocation
      where ${isOf(owner)} and task_id is not null order by task_id, turn desc) t
    where ${allOf(wanted)}`;
}

/** A task that waits for its caller ends. False when it waits no longer. */
export async function cancelWaiting(db: Tx, { task_id, turn }: TaskTurn): Promise<boolean> {
  const changed = await db.run(sql`
    update invocation set outcome = 'cancelled' where task_id = ${task_id} and turn = ${turn} and outcome = 'interrupted'`);
  return changed === 1;
}

/** A call that was refused before it reached an instance. */
export async function putRefused(db: Tx, row: RunningInvocation & { task: TaskTurn }, answer: Answer): Promise<void> {
  await db.run(sql`
    insert into invocation (id, agent_id, revision_id, instance_id, caller_id, state, status, content_type, body, ended_at, task_id, turn, context_id, outcome, via, root_run_id)
    values (${row.id}, ${row.agent_id}, ${row.revision_id}, ${row.instance_id}, ${row.caller_id}, 'ended', ${answer.status}, ${answer.content_type}, ${answer.body},
      clock_now(), ${row.task.task_id}, ${row.task.turn}, ${row.task.context_id}, ${outcomeOf(answer)},
      ${row.through?.via ?? null}, ${row.through?.root_run_id ?? null})`);
}

/** The stored calls of a caller that have ended, also those that assets have sent for the caller. */
export const deleteEndedOf = async (tx: Tx, caller_id: string): Promise<number> =>
  await tx.run(sql`delete from invocation where caller_id = ${caller_id} and state = 'ended'`);
