// What is known of a version before it serves.
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { DeploymentRow } from './store.ts';

interface Content {
  agent_id: string;
  version_id: string;
  digest: string;
  target: string;
}

/** The last deploy of this content on its target. */
export const lastDeployOf = async (db: Reader, { agent_id, version_id, digest, target }: Content) =>
  await db.one<DeploymentRow>(sql`
    select * from deployment where agent_id = ${agent_id} and version_id = ${version_id} and digest = ${digest} and target = ${target} and operation = 'deploy'
    order by created_at desc, run_id desc limit 1`);

/** Those of the versions that have ever served. */
export async function everServed(
  db: Reader,
  { agent_ids, version_ids }: { agent_ids: readonly string[]; version_ids: readonly string[] },
): Promise<Set<string>> {
  const rows = await db.all<{ version_id: string }>(sql`
    select distinct version_id from revision where agent_id = any(${agent_ids}) and version_id = any(${version_ids})`);
  return new Set(rows.map(({ version_id }) => version_id));
}
