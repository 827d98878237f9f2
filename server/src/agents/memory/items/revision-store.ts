import type { Reader } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';

export interface KeyOfRevision {
  revision_id: string;
  /** Its gateway key. Null for a revision that is older than keys. */
  key_id: string | null;
}

/** The one that serves, also while it is stopped. */
export const servingRevision = async (db: Reader, agent_id: string) =>
  await db.one<KeyOfRevision>(sql`
    select v.id as revision_id, v.key_id from route r join revision v on v.id = r.revision_id where r.agent_id = ${agent_id} and r.is_default`);

/** Of the content of its version. */
export const digestOfRevision = async (db: Reader, revision_id: string): Promise<string | undefined> =>
  (
    await db.one<{ digest: string }>(
      sql`select n.digest from revision v join version n on n.id = v.version_id where v.id = ${revision_id}`,
    )
  )?.digest;
