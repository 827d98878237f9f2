// Deploys and agents by their states.
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import type { UnknownAfter } from './keep/condition.ts';
import type { DeploymentRow } from './store.ts';

const isDeploy = (each: Sql) => sql`${each}.operation in ('deploy', 'rollback')`;

/**
 * The last operations of agents on their targets that failed in these days; newest first. A later deploy or rollback replaces every
 * operation, and another one those that are no deploys.
 */
export async function failedDeployments(
  db: Reader,
  { days, before, limit }: { days: number; before?: { created_at: string; run_id: string } | undefined; limit: number },
): Promise<DeploymentRow[]> {
  const after =
    before === undefined ? sql`true` : sql`(d.created_at, d.run_id) < (${before.created_at}, ${before.run_id})`;
  return await db.all<DeploymentRow>(sql`
    select d.* from deployment d join run r on r.id = d.run_id
    where d.created_at > clock_now() - make_interval(days => ${days}) and r.state in ('failed', 'needs_attention') and ${after}
      and not exists (
        select from deployment later join run ended on ended.id = later.run_id
        where later.agent_id = d.agent_id and later.target = d.target and ended.state in ('done', 'failed', 'needs_attention')
          and (${isDeploy(sql`later`)} or not ${isDeploy(sql`d`)})
          and (later.created_at, later.run_id) > (d.created_at, d.run_id))
    order by d.created_at desc, d.run_id desc limit ${limit}`);
}

export interface ActiveDeploy {
  run_id: string;
  agent_id: string;
  agent: string;
  state: string;
}

/** The deploys that have not ended. */
export const activeDeploys = async (db: Reader) =>
  await db.all<ActiveDeploy>(sql`
    select d.run_id, d.agent_id, d.agent, r.state from run r join deployment d on d.run_id = r.id
    where r.state in ('queued', 'running', 'cancelling')`);

/** Since the last deploy or rollback to the revision. */
export async function secondsSinceSwitch(db: Reader, revision_id: string): Promise<number> {
  const row = await db.one<{ seconds: number | null }>(sql`
    select extract(epoch from clock_now() - max(coalesce(r.ended_at, clock_now())))::float8 as seconds
    from deployment d join run r on r.id = d.run_id where d.revision_id = ${revision_id} and ${isDeploy(sql`d`)}`);
  return row?.seconds ?? Infinity;
}

/** As a condition on `asset a`. */
export const isDeployed = (is: boolean): Sql =>
  sql`exists (select from route r where r.agent_id = a.id and r.is_default) = ${is}`;

/** As an order of `asset a`: by the state in the records, then by the calls of the last 24 hours. */
export const worstFirst = (after: UnknownAfter): Sql => sql`
  (${whereState('failed', after)}) desc, (${whereState('unknown', after)}) desc,
  (select coalesce(sum(calls), 0) from call_figure f where f.agent_id = a.id and f.minute >= clock_now() - interval '24 hours') desc, a.name`;

const bestFirst = sql`array_position(array['serving', 'starting', 'failed'], state)`;

/** The condition of status.ts from the records, as a condition on `asset a`. */
export function whereState(state: AgentStatus['state'], { starting, other }: UnknownAfter): Sql {
  const age = sql`extract(epoch from clock_now() - i.seen_at)`;
  const limit = sql`case i.state when 'starting' then ${starting}::float8 else ${other}::float8 end`;
  return sql`coalesce((
    select case when r.desired = 'stopped' then 'stopped'
      when i.id is null then case when c.config #> '{deploy,scaling,min}' = '0' then 'asleep' else 'failed' end
      when i.rebuilding_since is not null then 'starting'
      when i.state is null or i.seen_at is null or ${age} > ${limit} then 'unknown' else i.state end
    from route r join revision v on v.id = r.revision_id join content c on c.digest = v.digest left join lateral (
      select * from instance where revision_id = r.revision_id and draining_since is null
      order by ${bestFirst} limit 1) i on true
    where r.agent_id = a.id and r.is_default
  ), 'not_deployed') = ${state}`;
}
