import type { GuardrailReport } from '@gantry/contract/guardrails/report.ts';
import type { Database, Reader, Tx } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { forget } from '../../ground/queue/forget.ts';
import type { RecordedCall } from './record.ts';
import type { Done } from './guarded-call.ts';

export interface Count extends Done {
  agent_id: string | null;
  team_id: string | null;
  count: number;
}

const keep_hours = 90 * 24;
const max_forgotten = 1000;

/** In one order in every process, so no two of them wait for each other. */
export async function addCounts(db: Tx, counts: readonly Count[]): Promise<void> {
  await db.run(sql`
    insert into guardrail_count (hour, agent_id, team_id, rule, place, outcome, count)
    select date_trunc('hour', clock_now()), c.agent_id, c.team_id, c.rule, c.place, c.outcome, c.count
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb)
      as c (agent_id uuid, team_id uuid, rule text, place text, outcome text, count bigint)
    order by c.agent_id, c.team_id, c.rule, c.place, c.outcome
    on conflict (agent_id, team_id, hour, rule, place, outcome)
      do update set count = guardrail_count.count + excluded.count`);
}

export interface Block extends RecordedCall {
  rule: string;
  place: string;
  reason: string;
}

export async function insertBlock(db: Tx, { agent_id, team_id, key_prefix, run_id, ...block }: Block): Promise<void> {
  await db.run(sql`
    insert into guardrail_block (agent_id, team_id, key_prefix, run_id, rule, place, reason)
    values (${agent_id}, ${team_id}, ${key_prefix}, ${run_id}, ${block.rule}, ${block.place}, ${block.reason})`);
}

export async function forgetOld(db: Database): Promise<void> {
  await forget(db, { table: sql`guardrail_count`, since: sql`hour`, keep_hours }, max_forgotten);
  await forget(db, { table: sql`guardrail_block`, since: sql`at`, keep_hours }, max_forgotten);
}

export async function clock(db: Reader): Promise<string> {
  const row = await db.one<{ now: string }>(sql`select clock_now() as now`);
  return row?.now ?? '';
}

/** Whose calls. */
export interface Asked {
  of: { agent_id: string } | { team_id: string };
  since: string;
  until: string;
}

const max_blocks = 100;

export const counts = async (db: Reader, asked: Asked) =>
  await db.all<GuardrailReport['counts'][number]>(sql`
    select rule, place, outcome, sum(count)::bigint as count from guardrail_count as g
    where ${isOf(asked)} and hour >= date_trunc('hour', ${asked.since}::timestamptz) and hour <= ${asked.until}
    group by rule, place, outcome order by rule, place, outcome`);

/** The newest first. */
export const blocks = async (db: Reader, asked: Asked) =>
  await db.all<NonNullable<GuardrailReport['blocks']>[number]>(sql`
    select g.at, a.name as agent, g.key_prefix as key, g.run_id, g.rule, g.place, g.reason
    from guardrail_block g left join asset a on a.id = g.agent_id
    where ${isOf(asked)} and g.at >= ${asked.since} and g.at <= ${asked.until}
    order by g.at desc, g.id desc limit ${max_blocks}`);

function isOf({ of }: Asked): Sql {
  return 'agent_id' in of ? sql`g.agent_id = ${of.agent_id}` : sql`g.team_id = ${of.team_id}`;
}
