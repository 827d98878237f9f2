// Deploys by the states of their runs.
import type { Reader } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { DeploymentRow } from './store.ts';

/** The last deploys of agents on their targets that failed in these days, without a later success; newest first. */
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
