// The journal's SQL. Every write of an executor names its fence. It changes no row after another executor claimed the run.
import type { RunState } from '@gantry/contract/run-states.ts';
import type { RunEvent } from '@gantry/contract/runs.ts';
import type { Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { storableText } from '../database/storable-text.ts';
import { fromNow, isFree } from '../queue/lease.ts';
import type { Ending, NewRun, RunActor, RunRow } from './run.ts';
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
  ending: Ending | null;
  cancel_requested: boolean;
  log_bytes: number;
}

export interface StoredStep {
  name: string;
  state: 'running' | 'done' | 'failed' | 'undone';
  attempt: number;
  output: unknown;
}

export type NewEvent = Omit<RunEvent, 'seq' | 'at'>;

const active_states = ['queued', 'running', 'cancelling'] as const satisfies RunState[];

export async function insert(tx: Tx, run: NewRun): Promise<{ id: string }> {
  const row = await tx.one<{ id: string }>(sql`
    insert into run (kind, mutex, input, actor_id, actor_name, team_id)
    values (${run.kind}, ${run.mutex}, ${json(run.input)}::jsonb, ${run.actor.user_id}, ${run.actor.name}, ${run.team_id ?? null})
    returning id`);
  if (row === undefined) throw new Error('insert returned no row');
  return row;
}

export async function notify(tx: Tx, channel: string, id: string): Promise<void> {
  await tx.run(sql`select pg_notify(${channel}, ${id})`);
}

export async function active(db: Reader, kind: string, mutex: string): Promise<string | undefined> {
  const row = await db.one<{ id: string }>(sql`
    select id from run where kind = ${kind} and mutex = ${mutex} and state = any(${active_states})`);
  return row?.id;
}

export async function anyActive(db: Reader, kind: string): Promise<boolean> {
  return (
    (await db.one(sql`select from run where kind = ${kind} and state = any(${active_states}) limit 1`)) !== undefined
  );
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
    where id = ${id} and state in ('queued', 'running') and settled_at is null and ending is null`);
  return asked === 1;
}

/** Claims the oldest free run whose user and team are below their share. It is new, or its lease has expired. */
export async function claim(db: Tx, places: Places, lease_ms: number): Promise<ClaimedRun | undefined> {
  const { owner } = places;
  const kinds = Object.keys(places.kinds);
  const row = await db.one<Omit<ClaimedRun, 'actor'> & { actor_id: string; actor_name: string }>(sql`
    update run set owner = ${owner}, fence = fence + 1, lease_until = ${fromNow(lease_ms)},
      state = case state when 'queued' then 'running' else state end, started_at = coalesce(started_at, clock_now())
    where id = (
      select id from run as candidate
      where state = any(${active_states}) and kind = any(${kinds}) and ${isFree}
        and ${waitsFor(places)} is null
      order by created_at for update skip locked limit 1)
    returning id, kind, fence, input, actor_id, actor_name, ending, log_bytes, cancel_requested_at is not null as cancel_requested`);
  if (row === undefined) return undefined;
  const { actor_id, actor_name, ...run } = row;
  return { ...run, actor: { user_id: actor_id, name: actor_name } };
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

/** For a process that is the only one on its database. */
export async function releaseAll(db: Tx): Promise<void> {
  await db.run(sql`update run set owner = null, lease_until = null where owner is not null and ended_at is null`);
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
    sql`select name, state, attempt, output from run_step where run_id = ${run_id} order by n`,
  );
}

/** Returns the number of the attempt. */
export async function beginStep(tx: Tx, run_id: string, n: number, name: string): Promise<number> {
  const row = await tx.one<{ attempt: number }>(sql`
    insert into run_step (run_id, n, name, state) values (${run_id}, ${n}, ${name}, 'running')
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

// An absent value is JSON's null.
function json(value: unknown): string {
  return JSON.stringify(value ?? null, storable);
}

// Cleans the text before it becomes JSON. In JSON, a NUL and a written-out escape of NUL look the same.
function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Object.keys(value).every((key) => storableText(key) === key))
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [storableText(key), member]));
}
