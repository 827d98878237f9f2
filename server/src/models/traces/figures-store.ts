import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, sql } from '../../ground/database/sql.ts';

export interface FigureRow {
  agent_id: string;
  /** ISO 8601. */
  minute: string;
  calls: number;
  errors: number;
  /** By a guardrail. */
  blocked: number;
  /** Calls to models that were answered. */
  paid: number;
  /** Calls to models that a budget refused. */
  unpaid: number;
  latency: number[];
}

export interface RunRow {
  id: string;
  agent_id: string;
  revision_id: string | null;
  caller_id: string | null;
  trace_id: string;
  name: string;
  started_at: string;
  duration_ms: number;
  error: string | null;
}

/** Adds to the rows of other processes. In the order of the key, so that two processes never wait for each other. */
export async function addFigures(db: Tx, rows: readonly FigureRow[]): Promise<void> {
  await db.run(sql`
    insert into call_figure as f (agent_id, minute, calls, errors, blocked, paid, unpaid, latency)
    select agent_id, minute, calls, errors, blocked, paid, unpaid, latency
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as n (agent_id uuid, minute timestamptz, calls integer, errors integer, blocked integer, paid integer, unpaid integer, latency integer[])
    order by agent_id, minute
    on conflict (agent_id, minute) do update set calls = f.calls + excluded.calls, errors = f.errors + excluded.errors,
      blocked = f.blocked + excluded.blocked, paid = f.paid + excluded.paid, unpaid = f.unpaid + excluded.unpaid,
      latency = (select array_agg(one + other order by n) from unnest(f.latency, excluded.latency) with ordinality as t (one, other, n))`);
}

export async function addRuns(db: Tx, rows: readonly RunRow[]): Promise<void> {
  await db.run(sql`
    insert into agent_run (id, agent_id, revision_id, caller_id, trace_id, name, started_at, duration_ms, error)
    select id, agent_id, revision_id, caller_id, trace_id, name, started_at, duration_ms, error
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id uuid, agent_id uuid, revision_id uuid, caller_id uuid, trace_id text,
      name text, started_at timestamptz, duration_ms double precision, error text)
    on conflict do nothing`);
}

/** What failed in the runs of a caller, where it is more than a code. */
export async function eraseErrorsOf(tx: Tx, caller_id: string): Promise<void> {
  await tx.run(sql`
    update agent_run set error = 'erased' where caller_id = ${caller_id} and error !~ '^[a-z0-9_]+$'`);
}

export async function forgetOld(
  db: Tx,
  { run_days, figure_days }: { run_days: number; figure_days: number },
): Promise<void> {
  await db.run(sql`delete from agent_run where started_at < clock_now() - make_interval(days => ${run_days}::integer)`);
  await db.run(
    sql`delete from call_figure where minute < clock_now() - make_interval(days => ${figure_days}::integer)`,
  );
}

export interface DayRow extends Pick<FigureRow, 'agent_id' | 'calls' | 'errors' | 'blocked' | 'latency'> {
  /** A budget refused the last call to a model. */
  is_unpaid: boolean;
}

/** The figures of agents with calls in the last 24 hours. */
export async function figuresOfDay(db: Reader, agent_ids: readonly string[]): Promise<DayRow[]> {
  return await db.all(sql`
    select agent_id, sum(calls)::integer as calls, sum(errors)::integer as errors, sum(blocked)::integer as blocked,
      coalesce(max(minute) filter (where unpaid > 0) >= coalesce(max(minute) filter (where paid > 0), '-infinity'), false) as is_unpaid,
      (select array_agg(of_bucket order by n) from (
         select n, sum(amount)::integer as of_bucket from call_figure g, unnest(g.latency) with ordinality as t (amount, n)
         where g.agent_id = f.agent_id and g.minute >= clock_now() - interval '24 hours' group by n) b) as latency
    from call_figure f where agent_id = any(${agent_ids}::uuid[]) and minute >= clock_now() - interval '24 hours' group by agent_id`);
}

export interface Steps {
  agent_id: string;
  since: string;
  step_seconds: number;
}

/** The figures of the steps with calls. */
export async function figuresByStep(
  db: Reader,
  { agent_id, since, step_seconds }: Steps,
): Promise<{ step: number; calls: number; errors: number; latency: number[] }[]> {
  return await db.all(sql`
    with f as (
      select floor(extract(epoch from minute - ${since}::timestamptz) / ${step_seconds}::integer)::integer as step, calls, errors, latency
      from call_figure where agent_id = ${agent_id} and minute >= ${since})
    select step, sum(calls)::integer as calls, sum(errors)::integer as errors,
      (select array_agg(of_bucket order by n) from (
         select n, sum(amount)::integer as of_bucket from f g, unnest(g.latency) with ordinality as t (amount, n)
         where g.step = f.step group by n) b) as latency
    from f group by step`);
}

export interface RunFilter {
  agent_id: string;
  /** Undefined for all callers. */
  caller_id: string | undefined;
  before?: { started_at: string; id: string } | undefined;
  limit: number;
}

/** The newest first. */
export async function runs(
  db: Reader,
  { agent_id, caller_id, before, limit }: RunFilter,
): Promise<(RunRow & { caller: string | null })[]> {
  const conditions = [
    sql`r.agent_id = ${agent_id}`,
    ...(caller_id === undefined ? [] : [sql`r.caller_id = ${caller_id}`]),
    ...(before === undefined
      ? []
      : [sql`(r.started_at, r.id) < (${before.started_at}::timestamptz, ${before.id}::uuid)`]),
  ];
  return await db.all(sql`
    select r.*, i.label as caller from agent_run r left join identity i on i.id = r.caller_id
    where ${allOf(conditions)} order by r.started_at desc, r.id desc limit ${limit}`);
}
