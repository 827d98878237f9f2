import type { GovernedTx } from '../../governance/access/change.ts';
import type { Database } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { fromNow } from '../../ground/queue/lease.ts';
import { exposing, type Exposure } from '../delegated-calls/exposure.ts';

export interface BegunCall {
  /** Null: the end caller itself makes the call. */
  agent_id: string | null;
  revision_id: string | null;
  run_id: string | null;
  caller_id: string;
  /** mcp-servers/<name> */
  server: string;
  server_version: string;
  tool: string;
  arguments_digest: string;
}

export interface EndedCall {
  /** `error`: the tool itself says that it failed. */
  outcome: 'answered' | 'error' | 'failed' | 'refused';
  result_digest: string | null;
  problem: string | null;
  /** The rule that refused: whose, and its name. */
  rule?: string | null;
  /** What the run has read with it. */
  exposes?: (Exposure & { root_run_id: string }) | undefined;
}

/** A guardrail has changed what goes out. */
export async function setArguments(db: Database, id: string, arguments_digest: string): Promise<void> {
  await db.run(sql`update tool_call set arguments_digest = ${arguments_digest} where id = ${id}`);
}

/** The approval is used up, and the call goes out. */
export async function setApproval(db: Database, id: string, approval_id: string): Promise<void> {
  await db.run(sql`update tool_call set approval_id = ${approval_id} where id = ${id}`);
}

export interface CallToBegin {
  id: string;
  call: BegunCall;
  /** Calls per minute, of the agent and of the agent for the caller. */
  rate: { agent?: number | undefined; caller?: number | undefined };
  at_once: number;
  lease_ms: number;
}

/** What leaves no room for the call: too many at once, or a limit per minute that does for this many seconds. Then nothing is stored. */
export interface NoRoom {
  is_full: boolean;
  agent_seconds: number | null;
  caller_seconds: number | null;
}

/** Calls of one agent begin one after another: two that begin at once cannot both take the last place. */
export async function begin(db: Database, { id, call, rate, at_once, lease_ms }: CallToBegin): Promise<NoRoom> {
  const { agent_id, caller_id, server } = call;
  // A person has limits of their own.
  const whose = agent_id === null ? sql`agent_id is null and caller_id = ${caller_id}` : sql`agent_id = ${agent_id}`;
  const lock = sql`select pg_advisory_xact_lock(hashtextextended(${agent_id ?? caller_id}, 17))`;
  const untilRoom = (limit: number | undefined, of: Sql) =>
    limit === undefined
      ? sql`null::float8`
      : sql`(select extract(epoch from started_at + interval '1 minute' - clock_now())::float8 from tool_call
          where ${whose} and server = ${server} and started_at > clock_now() - interval '1 minute'
            and outcome is distinct from 'refused' ${of} order by started_at desc offset ${limit - 1} limit 1)`;
  const row = await db.transaction(
    async (tx) =>
      await tx.last<NoRoom>(sql`
      with room as (
        select (select count(*) from tool_call where ${whose} and ended_at is null and not is_recorded
            and lease_until > clock_now()) >= ${at_once}::integer as is_full,
          ${untilRoom(rate.agent, sql``)} as agent_seconds, ${untilRoom(rate.caller, sql`and caller_id = ${caller_id}`)} as caller_seconds),
      begun as (
        insert into tool_call (id, agent_id, revision_id, run_id, caller_id, server, server_version, tool, arguments_digest, lease_until)
        select ${id}::uuid, ${agent_id}::uuid, ${call.revision_id}::uuid, ${call.run_id}::uuid, ${caller_id}::uuid, ${server}::text,
          ${call.server_version}::text, ${call.tool}::text, ${call.arguments_digest}::text, ${fromNow(lease_ms)}
        from room where not is_full and agent_seconds is null and caller_seconds is null)
      select * from room`),
    lock,
  );
  if (row === undefined) throw new Error('the limits are always counted');
  return row;
}

export async function renewLeases(db: Database, ids: readonly string[], lease_ms: number): Promise<void> {
  await db.run(
    sql`update tool_call set lease_until = ${fromNow(lease_ms)} where id = any(${ids}::uuid[]) and ended_at is null`,
  );
}

/** What the run has read with it is stored at the same moment. */
export async function end(
  db: Database,
  id: string,
  { outcome, result_digest, problem, rule = null, exposes }: EndedCall,
): Promise<void> {
  const exposed = exposes === undefined ? sql`` : sql`with exposed as (${exposing(exposes.root_run_id, exposes)})`;
  await db.run(sql`
    ${exposed} update tool_call set outcome = ${outcome}, result_digest = ${result_digest}, problem = ${problem}, rule = ${rule}, ended_at = clock_now()
    where id = ${id}`);
}

export interface CallToRecord extends Omit<BegunCall, 'revision_id'>, Omit<EndedCall, 'outcome' | 'exposes'> {
  id: string;
  /** The approval that it used up. */
  approval_id: string | null;
  outcome: EndedCall['outcome'] | null;
  started_at: string;
}

/** Those that have ended, and those whose process must have died. No other process records them. */
export const toRecord = async (tx: GovernedTx, { most, dead_seconds }: { most: number; dead_seconds: number }) =>
  await tx.all<CallToRecord>(sql`
    select id, agent_id, run_id, caller_id, server, server_version, tool, arguments_digest, result_digest, outcome, problem, rule, approval_id, started_at
    from tool_call where not is_recorded and (ended_at is not null or started_at < clock_now() - make_interval(secs => ${dead_seconds}))
    order by started_at, id limit ${most} for update skip locked`);

export async function setRecorded(tx: GovernedTx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`update tool_call set is_recorded = true where id = any(${ids}::uuid[])`);
}

/** The rows that the audit log has, after their time. */
export async function forgetOld(db: Database, keep_days: number): Promise<void> {
  await db.run(sql`
    delete from tool_call where is_recorded and started_at < clock_now() - make_interval(days => ${keep_days})`);
}
