import type { Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

/** The fields of a governance entry that tests read. */
export interface NamingEntry {
  event: string;
  actor: { name: string };
  detail: Record<string, unknown>;
}

/** The entries that contain a word, such as the id of a request, oldest first. */
export async function entriesNaming(db: Database, word: string): Promise<NamingEntry[]> {
  const rows = await db.all<{ body: string }>(
    sql`select body from audit.entry where chain = 'governance' and body like ${`%${word}%`} order by seq`,
  );
  return rows.map(({ body }) => JSON.parse(body) as NamingEntry); // the log's own JSON
}
