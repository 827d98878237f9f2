// The journal's SQL. Every write of an executor names its fence. It changes no row after another executor claimed the run.
import { randomUUIDv7 } from 'node:crypto';
import type { RunState } from '@gantry/contract/agents/run-states.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import type { Reader, Tx } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';
import { storableJson as json } from '../database/storable-text.ts';
import { fromNow, isFree } from '../queue/lease.ts';
import { heldElsewhere } from './held-key-store.ts';
import type { ActiveRun, Ending, NewRun, RunActor, RunRow } from './run.ts';
import { waitsFor, type Places } from './share-store.ts';

/** Workers listen here for new runs and cancels. Readers of events have their own channel, so a log line wakes no worker. */
export const work_channel = 'run_work';
export const event_channel = 'run_event';

/** The claim of the executor that writes. */
export interface Claim {
  id: string;
  fence: number;
}

export interface ClaimedRun extends Claim {
  kind: string;
  input: unknown;
  actor: RunActor;
  team_id: string | null;
  waited_ms: number;
  /** False for a run that was cancelled before its turn. */
  begun: boolean;
  ending: Ending | null;
  cancel_requested: boolean;
  log_bytes: number;
}

export interface StoredStep {
  n: number;
  /** Its path. */
  name: string;
  has_undo: boolean;
  state: 'running' | 'waiting' | 'done' | 'failed' | 'undone';
  attempt: number;
  output: unknown;
}

export type NewEvent = Omit<RunEvent, 'seq' | 'at'>;

/** Those that a process executes, or can claim. */
const active_states = ['queued', 'running', 'cancelling'] as const satisfies RunState[];

/** Undefined while another run has the mutex. */
export async function insert(tx: Tx, run: NewRun): Promise<{ id: string } | undefined> {
  const { kind, mutex, input, actor, team_id = null, behind = false } = run;
  // An uncommitted run behind is not seen here. Then both are stored, and take their turns.
  return await tx.one<{ id: string }>(sql`
    insert into run (kind, mutex, input, actor_id, actor_name, team_id, behind)
    select ${kind}, ${mutex}, ${json(input)}::jsonb, ${actor.user_id}, ${actor.name}, ${team_id}::uuid, ${behind}
    where ${behind} or not exists (select from run where mutex = ${mutex} and state = any(${active_states}))
    on conflict do nothing returning id`);
}

/** The run begins in this process. Nothing else has its mutex. */
export async function insertHeld(
  tx: Tx,
  { id = randomUUIDv7(), kind, mutex, input, actor, team_id }: NewRun,
  { owner, lease_ms }: { owner: string; lease_ms: number },
): Promise<ClaimedRun> {
  const row = await tx.one<{ id: string; fence: number; input: unknown }>(sql`
    insert into run (id, kind, mutex, input, actor_id, actor_name, team_id, behind, state, started_at, owner, fence, lease_until)
    values (${id}, ${kind}, ${mutex}, ${json(input)}::jsonb, ${actor.user_id}, ${actor.name}, ${team_id ?? null}::uuid, false,
      'running', clock_now(), ${owner}, 1, ${fromNow(lease_ms)})
    returning id, fence, input`);
  if (row === undefined) throw new Error('an inserted run is gone');
  return {
    ...row,
    kind,
    actor,
    team_id: team_id ?? null,
    waited_ms: 0,
    begun: true,
    ending: null,
    cancel_requested: false,
    log_bytes: 0,
  };
}

export async function notify(tx: Tx, channel: string, id: string): Promise<void> {
  await tx.run(sql`select pg_notify(${channel}, ${id})`);
}

export async function active(db: Reader, mutex: string): Promise<ActiveRun | undefined> {
  return await db.one<ActiveRun>(sql`
    select id, kind from run where mutex = ${mutex} and state = any(${active_states})
    order by started_at is null, created_at, id limit 1`);
}

export async function anyActive(db: Reader, kind: string): Promise<boolean> {
  return (
    (await db.one(sql`select from run where kind = ${kind} and state = any(${active_states}) limit 1`)) !== undefined
  );
}

export async function isOpenFor(db: Reader, kind: string, actor_id: string): Promise<boolean> {
  const row = await db.one(
    sql`select from run where kind = ${kind} and actor_id = ${actor_id} and ended_at is null limit 1`,
  );
  return row !== undefined;
}

export async function find(db: Reader, ids: readonly string[]): Promise<RunRow[]> {
  const runs = await db.all<Omit<RunRow, 'actor' | 'steps' | 'notices'> & { actor_id: string; actor_name: string }>(sql`
    select id, kind, mutex, state, input, actor_id, actor_name, result, problem, created_at, ended_at
    from run where id = any(${ids})`);
  const steps = await db.all<RunRow['steps'][number] & { run_id: string }>(sql`
    select run_id, n, name, state, started_at, ended_at, problem from run_step where run_id = any(${ids}) order by n`);
  const notices = await db.all<{ run_id: string; message: string }>(sql`
    select run_id, message from run_event as event where run_id = any(${ids})
      -- Why it waits is of interest as long as it does.
      and (kind = 'notice' or kind = 'wait' and exists (select from run where id = event.run_id and state = 'queued'))
    order by seq`);
  return runs.map(({ actor_id, actor_name, ...run }) => ({
    ...run,
    actor: { user_id: actor_id, name: actor_name },
    steps: steps.filter(({ run_id }) => run_id === run.id).map(({ run_id: _, ...step }) => step),
    notices: notices.filter(({ run_id }) => run_id === run.id).map(({ message }) => message),
  }));
}

export async function requestCancel(tx: Tx, id: string): Promise<boolean> {
  const asked = await tx.run(sql`
    update run set state = 'cancelling', cancel_requested_at = clock_now()
    where id = ${id} and state in ('queued', 'running', 'waiting') and settled_at is null and ending is null`);
  return asked === 1;
}

/**
 * Claims the oldest free run that need not wait, and whose mutex no other process holds as a key. It is new, or its lease has expired. Throws a unique violation when another
 * process began a run of the mutex at the same moment.
 */
export async function claim(db: Tx, places: Places, lease_ms: number): Promise<ClaimedRun | undefined> {
  const { owner } = places;
  const kinds = Object.keys(places.kinds);
  const row = await db.one<Omit<ClaimedRun, 'actor'> & { actor_id: string; actor_name: string }>(sql`
    update run set owner = ${owner}, fence = fence + 1, lease_until = ${fromNow(lease_ms)}, is_woken = false,
      state = case state when 'queued' then 'running' else state end,
      started_at = case when cancel_requested_at is null then coalesce(started_at, clock_now()) else started_at end
    where id = (
      select id from run as candidate
      where state = any(${active_states}) and kind = any(${kinds}) and ${isFree}
        and ${waitsFor(places)} is null and not ${heldElsewhere(sql`mutex`, owner)}
      order by created_at, id for update skip locked limit 1)
    returning id, kind, fence, input, actor_id, actor_name, team_id, waited_ms, started_at is not null as begun, ending, log_bytes, cancel_requested_at is not null as cancel_requested`);
  if (row === undefined) return undefined;
  const { actor_id, actor_name, ...run } = row;
  return { ...run, actor: { user_id: actor_id, name: actor_name } };
}

/** True when another process holds the mutex of the run as a key. The claims of both may have happened at the same moment. */
export async function isHeldElsewhere(db: Reader, owner: string, { id }: Claim): Promise<boolean> {
  return (await db.one(sql`select from run where id = ${id} and ${heldElsewhere(sql`mutex`, owner)}`)) !== undefined;
}

/** Returns the ids of the runs that this executor still holds. */
export async function renew(db: Tx, owner: string, claims: readonly Claim[], lease_ms: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    update run set lease_until = ${fromNow(lease_ms)}
    from unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ fence }) => fence)}::bigint[]) as claim (run_id, claimed)
    where id = run_id and fence = claimed and owner = ${owner} and ended_at is null returning id`);
  return rows.map(({ id }) => id);
}

/** Releases the run at once, so that another executor need not wait for the end of the lease. */
export async function release(db: Tx, { id, fence }: Claim): Promise<void> {
  await db.run(sql`update run set owner = null, lease_until = null where id = ${id} and fence = ${fence}`);
}

/** For a process that is the only one on its database. Its own keys stay. */
export async function releaseAll(db: Tx, owner: string, kinds: readonly string[]): Promise<void> {
  await db.run(sql`
    update run set owner = null, lease_until = null
    where owner is not null and ended_at is null and kind = any(${kinds})`);
  await db.run(sql`delete from held_key where owner <> ${owner}`);
}

export async function withCancelRequested(db: Reader, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    sql`select id from run where id = any(${ids}) and cancel_requested_at is not null`,
  );
  return rows.map(({ id }) => id);
}

/** Locks the run's row until the transaction ends. */
export async function hold(tx: Tx, { id, fence }: Claim): Promise<boolean> {
  return (
    (await tx.one(sql`select id from run where id = ${id} and fence = ${fence} and ended_at is null for update`)) !==
    undefined
  );
}

/** False when a cancel was requested first. */
export async function settle(tx: Tx, { id, fence }: Claim): Promise<boolean> {
  const settled = await tx.run(sql`
    update run set settled_at = coalesce(settled_at, clock_now())
    where id = ${id} and fence = ${fence} and cancel_requested_at is null`);
  return settled === 1;
}

/** False when the run has settled: its results stay. */
export async function beginUndo(tx: Tx, { id, fence }: Claim, ending: Ending): Promise<boolean> {
  const begun = await tx.run(sql`
    update run set ending = ${json(ending)}::jsonb where id = ${id} and fence = ${fence} and settled_at is null`);
  return begun === 1;
}

export async function stepsOf(db: Reader, run_id: string): Promise<StoredStep[]> {
  return await db.all<StoredStep>(
    sql`select n, name, state, has_undo, attempt, output from run_step where run_id = ${run_id} order by n`,
  );
}

/** Returns the number of the attempt. */
export async function beginStep(
  tx: Tx,
  run_id: string,
  { n, path, has_undo }: { n: number; path: string; has_undo: boolean },
): Promise<number> {
  const row = await tx.one<{ attempt: number }>(sql`
    insert into run_step (run_id, n, name, has_undo, state) values (${run_id}, ${n}, ${path}, ${has_undo}, 'running')
    on conflict (run_id, name) do update set state = 'running', attempt = run_step.attempt + 1
    returning attempt`);
  return row?.attempt ?? 1;
}

export async function endStep(
  tx: Tx,
  run_id: string,
  name: string,
  end: { state: 'done'; output: unknown } | { state: 'failed' | 'undone'; problem?: object },
): Promise<void> {
  const output = end.state === 'done' ? json(end.output) : null;
  const problem = end.state === 'done' || end.problem === undefined ? null : json(end.problem);
  await tx.run(sql`
    update run_step set ended_at = coalesce(ended_at, clock_now()),
      -- The failed step keeps its state during its undo.
      state = case when state = 'failed' and ${end.state} = 'undone' then state else ${end.state} end,
      output = coalesce(${output}::jsonb, output), problem = coalesce(${problem}::jsonb, problem)
    where run_id = ${run_id} and name = ${name}`);
}

/** A step that waits has not failed, so the attempt is not counted. */
export async function stepWaits(tx: Tx, run_id: string, name: string): Promise<void> {
  await tx.run(
    sql`update run_step set state = 'waiting', attempt = attempt - 1 where run_id = ${run_id} and name = ${name}`,
  );
}

/** False when it was woken or cancelled before: then it is claimed again at once. */
export async function beginWait(tx: Tx, { id, fence }: Claim): Promise<boolean> {
  const row = await tx.one<{ state: RunState }>(sql`
    update run set owner = null, lease_until = null, waiting_since = clock_now(),
      state = case when cancel_requested_at is not null then state when is_woken then 'queued' else 'waiting' end
    where id = ${id} and fence = ${fence} returning state`);
  return row?.state === 'waiting';
}

export async function wake(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    update run set is_woken = true, state = case state when 'waiting' then 'queued' else state end,
      waited_ms = waited_ms + case state when 'waiting' then extract(epoch from clock_now() - waiting_since) * 1000 else 0 end
    where id = ${id} and ended_at is null`);
}

/** False when another executor has the run. The row lock gives seq the order of the commits. */
export async function append(
  tx: Tx,
  { id, fence }: Claim,
  events: readonly NewEvent[],
  log_bytes: number,
): Promise<boolean> {
  const held = await tx.run(sql`
    with held as (
      update run set last_seq = last_seq + ${events.length}::bigint, log_bytes = log_bytes + ${log_bytes}::bigint
      where id = ${id} and fence = ${fence} returning last_seq - ${events.length}::bigint as before)
    insert into run_event (run_id, seq, kind, step, state, message, data)
    select ${id}, before + n, event ->> 'kind', event ->> 'step', event ->> 'state', event ->> 'message', event -> 'data'
    from held, jsonb_array_elements(${json(events)}::jsonb) with ordinality as events (event, n)`);
  return held === events.length;
}

/** False when the run may not end done: a cancel was requested before it settled. */
export async function finish(
  tx: Tx,
  { id, fence }: Claim,
  end: { state: 'done'; result: unknown } | Ending,
): Promise<boolean> {
  const done = end.state === 'done';
  const ended = await tx.run(sql`
    update run set state = ${end.state}, ended_at = clock_now(), owner = null, lease_until = null,
      result = ${done ? json(end.result) : null}::jsonb, problem = ${done ? null : json(end.problem)}::jsonb
    where id = ${id} and fence = ${fence} and (not ${done} or cancel_requested_at is null or settled_at is not null)`);
  if (ended === 1)
    await tx.run(
      sql`update run_step set state = 'failed', ended_at = clock_now() where run_id = ${id} and state = 'waiting'`,
    );
  return ended === 1;
}

export async function eventsAfter(db: Reader, run_id: string, seq: number, limit: number): Promise<RunEvent[]> {
  return await db.all<RunEvent>(sql`
    select seq, at, kind, step, state, message, data from run_event
    where run_id = ${run_id} and seq > ${seq} order by seq limit ${limit}`);
}

/** True when an event after `seq` exists or can still come. */
export async function hasMore(db: Reader, run_id: string, seq: number): Promise<boolean> {
  const row = await db.one(sql`select id from run where id = ${run_id} and (ended_at is null or last_seq > ${seq})`);
  return row !== undefined;
}

/** Ended, and with a content. */
const forgotten = (kind: string, which: Forgotten): Sql =>
  sql`r.kind = ${kind} and r.input ? 'input' and ${
    'keep_days' in which
      ? sql`r.ended_at < clock_now() - make_interval(days => ${which.keep_days})`
      : sql`r.ended_at is not null and r.actor_id = ${which.actor_id}`
  }`;

/** Those that ended so long ago, or those that somebody began. */
export type Forgotten = { keep_days: number } | { actor_id: string };

/** The number of runs. */
export async function forgetContents(tx: Tx, kind: string, which: Forgotten): Promise<number> {
  const where = forgotten(kind, which);
  const known = (problem: Sql) =>
    sql`jsonb_build_object('code', ${problem} -> 'code', 'title', ${problem} -> 'title', 'status', ${problem} -> 'status')`;
  await tx.run(sql`
    update run_step s set output = s.output - 'text' - 'output',
      problem = case when s.problem is null then null else ${known(sql`s.problem`)} end
    from run r where r.id = s.run_id and ${where}`);
  await tx.run(sql`delete from run_event e using run r where r.id = e.run_id and ${where}`);
  return await tx.run(sql`
    update run r set input = r.input - '{input,thread_id,context_id}'::text[], result = r.result - 'output', ending = null,
      problem = case when r.problem is null then null else ${known(sql`r.problem`)} end
    where ${where}`);
}
