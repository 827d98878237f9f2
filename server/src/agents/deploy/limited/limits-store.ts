import type { Reader } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';

/** What the instances of a revision reach outside. Undefined without an instance, and for one without limits. */
export const limitsOf = async (db: Reader, revision_id: string) =>
  await db.one<{ agent: string; destinations: string[] }>(sql`
    select p.agent, i.egress as destinations from instance i join placement p on p.revision_id = i.revision_id
    where i.revision_id::text = ${revision_id} and jsonb_typeof(i.egress) = 'array' order by i.n limit 1`);
