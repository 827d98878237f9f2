import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { forget } from '../queue/forget.ts';
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
