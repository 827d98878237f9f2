import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface LabelIds {
  agent_id: string | null;
  revision_id: string | null;
}

interface LabelRow extends LabelIds {
  agent: string;
  team: string;
  version: string | null;
}

/** Without the agents that are gone. */
export const labels = async (db: Reader, ids: readonly LabelIds[]) =>
  await db.all<LabelRow>(sql`
    select s.agent_id, s.revision_id, a.name as agent, t.name as team, v.version
    from jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) as s (agent_id uuid, revision_id uuid)
    join asset a on a.id = s.agent_id join team t on t.id = a.team_id
    left join revision v on v.id = s.revision_id and v.agent_id = a.id`);
