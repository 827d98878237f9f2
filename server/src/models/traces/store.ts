import type { SpanStatus } from '@gantry/contract/models/traces.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, sql } from '../../ground/database/sql.ts';
import { whereReadsSpan } from './policy.ts';
import type { Span } from './span.ts';

/** A span that is stored already is left as it is. */
export async function insert(db: Tx, spans: readonly Span[]): Promise<void> {
  await db.run(sql`
    insert into span (day, trace_id, span_id, parent_id, name, kind, source, agent_id, revision_id, run_id, team_id, caller_id, started_us,
      ended_us, status, model, provider, input_tokens, output_tokens, cost_nano_usd, input, output, error, attributes)
    select (to_timestamp(started_us / 1e6) at time zone 'UTC')::date, trace_id, span_id, parent_id, name, kind, source, agent_id, revision_id,
      run_id, team_id, caller_id, started_us, ended_us, status, model, provider, input_tokens, output_tokens, cost_nano_usd, input, output,
      error, attributes
    from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb) as s (trace_id text, span_id text, parent_id text, name text, kind text,
      source text, agent_id uuid, revision_id uuid, run_id uuid, team_id uuid, caller_id uuid, started_us bigint, ended_us bigint,
      status text, model text, provider text, input_tokens bigint, output_tokens bigint, cost_nano_usd bigint, input text, output text,
      error text, attributes jsonb)
    on conflict do nothing`);
}

/** The bytes of all spans, after the partitions have been made and dropped. */
export async function keepPartitions(
  db: Reader,
  { keep_days, max_bytes }: { keep_days: number; max_bytes: number },
): Promise<number> {
  const row = await db.one<{ bytes: number }>(
    sql`select keep_span_partitions(${keep_days}::integer, ${max_bytes}::bigint) as bytes`,
  );
  if (row === undefined) throw new Error('a query without conditions answered nothing');
  return row.bytes;
}

export interface Sampling {
  /** The share of ordinary traces that is kept, from 0 to 1. */
  share: number;
  /** A trace is kept when it took this long. */
  slow_ms: number;
}

/** The microseconds before now in which traces are thinned: they have ended, and were not thinned long ago. */
const thinned_us = { from: 3600e6, to: 300e6 };

/** Deletes traces that are neither failed nor slow nor in the share. The end of the id decides, so all processes keep the same ones. */
export async function thin(db: Tx, { share, slow_ms }: Sampling): Promise<number> {
  const now_us = Date.now() * 1000;
  return await db.run(sql`
    with ended as (
      select distinct trace_id from span
      where is_entry and started_us > ${now_us - thinned_us.from}::bigint and started_us < ${now_us - thinned_us.to}::bigint
        and ('x' || right(trace_id, 8))::bit(32)::bigint >= ${share}::float8 * 4294967296),
    ordinary as (
      select s.trace_id from span s join ended e on e.trace_id = s.trace_id group by s.trace_id
      having bool_and(s.status = 'ok') and max(s.ended_us) - min(s.started_us) < ${slow_ms}::bigint * 1000
        and max(s.ended_us) < ${now_us - thinned_us.to}::bigint)
    delete from span s using ordinary o where s.trace_id = o.trace_id`);
}

export async function addLosses(db: Tx, losses: readonly { reason: string; spans: number }[]): Promise<void> {
  await db.run(sql`
    insert into span_loss as l (day, reason, spans)
    select (clock_now() at time zone 'UTC')::date, reason, spans
    from jsonb_to_recordset(${JSON.stringify(losses)}::jsonb) as n (reason text, spans bigint)
    on conflict (day, reason) do update set spans = l.spans + excluded.spans`);
}

/** A span with the sums of the gateway's calls in its run. */
export interface EntryRow extends Span {
  sum_input_tokens: number | null;
  sum_output_tokens: number | null;
  sum_nano_usd: number | null;
}

export interface EntryFilter {
  agent_id?: string | undefined;
  run?: string | undefined;
  since_us?: number | undefined;
  status?: SpanStatus | undefined;
  min_duration_ms?: number | undefined;
  before?: { started_us: number; span_id: string } | undefined;
  limit: number;
}

const columns = sql`s.trace_id, s.span_id, s.parent_id, s.name, s.kind, s.source, s.agent_id, s.revision_id, s.run_id, s.team_id, s.caller_id,
  s.started_us, s.ended_us, s.status, s.model, s.provider, s.input_tokens, s.output_tokens, s.cost_nano_usd, s.error, s.attributes`;

/** The newest first. */
export async function entries(
  db: Reader,
  caller: SignedInCaller,
  { agent_id, run, since_us, status, min_duration_ms, before, limit }: EntryFilter,
): Promise<EntryRow[]> {
  const conditions = [
    sql`s.is_entry and ${whereReadsSpan(caller)}`,
    ...(agent_id === undefined ? [] : [sql`s.agent_id = ${agent_id}`]),
    ...(run === undefined ? [] : [sql`s.run_id = ${run}`]),
    ...(since_us === undefined ? [] : [sql`s.started_us >= ${since_us}::bigint`]),
    ...(status === undefined ? [] : [sql`s.status = ${status}`]),
    ...(min_duration_ms === undefined ? [] : [sql`s.ended_us - s.started_us >= ${min_duration_ms}::bigint * 1000`]),
    ...(before === undefined
      ? []
      : [sql`(s.started_us, s.span_id) < (${before.started_us}::bigint, ${before.span_id}::text)`]),
  ];
  return await db.all<EntryRow>(sql`
    select e.*, g.* from (
      select ${columns}, null as input, null as output from span s left join asset a on a.id = s.agent_id
      where ${allOf(conditions)} order by s.started_us desc, s.span_id desc limit ${limit}) e
    left join lateral (
      select sum(s.input_tokens)::bigint as sum_input_tokens, sum(s.output_tokens)::bigint as sum_output_tokens,
        sum(s.cost_nano_usd)::bigint as sum_nano_usd
      from span s where s.trace_id = e.trace_id and s.source = 'gateway' and (s.run_id = e.run_id or s.span_id = e.span_id)) g on true
    order by e.started_us desc, e.span_id desc`);
}

/** By their start. */
export async function spansOfTrace(
  db: Reader,
  caller: SignedInCaller,
  { trace_id, limit }: { trace_id: string; limit: number },
): Promise<Span[]> {
  return await db.all<Span>(sql`
    select ${columns}, s.input, s.output from span s left join asset a on a.id = s.agent_id
    where s.trace_id = ${trace_id} and ${whereReadsSpan(caller)} order by s.started_us, s.ended_us desc limit ${limit}`);
}

/** The losses of today and yesterday, the largest first. */
export async function recentLosses(db: Reader): Promise<{ reason: string; spans: number }[]> {
  return await db.all(sql`
    select reason, sum(spans)::bigint as spans from span_loss where day >= (clock_now() at time zone 'UTC')::date - 1
    group by reason order by spans desc, reason`);
}

const thread_names = ['session.id', 'gen_ai.conversation.id'];

/** The words of failures go too: only a code stays. A caller has named the threads. */
export const eraseContentsOf = async (tx: Tx, caller_id: string): Promise<number> =>
  await tx.run(sql`
    update span set input = null, output = null, error = case when error ~ '^[a-z0-9_]+$' then error end,
      attributes = attributes - ${thread_names}::text[]
    where caller_id = ${caller_id}
      and (input is not null or output is not null or error is not null or attributes ?| ${thread_names}::text[])`);
