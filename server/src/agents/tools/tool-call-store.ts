import type { GovernedTx } from '../../governance/access/change.ts';
import type { Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

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
}

/** A guardrail has changed what goes out. */
export async function setArguments(db: Database, id: string, arguments_digest: string): Promise<void> {
  await db.run(sql`update tool_call set arguments_digest = ${arguments_digest} where id = ${id}`);
}

/** The approval is used up, and the call goes out. */
export async function setApproval(db: Database, id: string, approval_id: string): Promise<void> {
  await db.run(sql`update tool_call set approval_id = ${approval_id} where id = ${id}`);
}

export async function begin(db: Database, id: string, call: BegunCall): Promise<void> {
  await db.run(sql`
    insert into tool_call (id, agent_id, revision_id, run_id, caller_id, server, server_version, tool, arguments_digest)
    values (${id}, ${call.agent_id}, ${call.revision_id}, ${call.run_id}, ${call.caller_id}, ${call.server}, ${call.server_version},
      ${call.tool}, ${call.arguments_digest})`);
}

export async function end(
  db: Database,
  id: string,
  { outcome, result_digest, problem, rule = null }: EndedCall,
): Promise<void> {
  await db.run(sql`
    update tool_call set outcome = ${outcome}, result_digest = ${result_digest}, problem = ${problem}, rule = ${rule}, ended_at = clock_now()
    where id = ${id}`);
}

export interface CallToRecord extends Omit<BegunCall, 'revision_id'>, Omit<EndedCall, 'outcome'> {
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
