// The names behind the ids of spans, for a collector of traces. Only this folder reads revisions.
import type { Reader } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { FindLabels } from '../traces/export.ts';

interface LabelRow {
  agent_id: string;
  revision_id: string | null;
  agent: string;
  team: string;
  version: string | null;
}

export function labelsFrom(db: Reader): FindLabels {
  return async (ids) => {
    const rows = await db.all<LabelRow>(sql`
      select s.agent_id, s.revision_id, a.name as agent, t.name as team, v.version
      from jsonb_to_recordset(${JSON.stringify(ids.map(pairOf))}::jsonb) as s (agent_id uuid, revision_id uuid)
      join asset a on a.id = s.agent_id join team t on t.id = a.team_id
      left join revision v on v.id = s.revision_id and v.agent_id = a.id`);
    const found = new Map(rows.map((row) => [JSON.stringify(pairOf(row)), row]));
    return ids.map((one) => found.get(JSON.stringify(pairOf(one))));
  };
}

const pairOf = ({ agent_id, revision_id }: Parameters<FindLabels>[0][number]) => ({ agent_id, revision_id });
