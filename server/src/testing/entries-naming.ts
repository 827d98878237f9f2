import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** What stands in an entry of the governance chain, as far as tests look at it. */
export interface NamingEntry {
  event: string;
  actor: { name: string };
  detail: Record<string, unknown>;
}

/** The entries of which the text holds a word, such as the id of a request, oldest first. */
export async function entriesNaming(db: Database, word: string): Promise<NamingEntry[]> {
  const rows = await db.all<{ body: string }>(
    sql`select body from audit.entry where chain = 'governance' and body like ${`%${word}%`} order by seq`,
  );
  return rows.map(({ body }) => JSON.parse(body) as NamingEntry); // the log's own JSON
}
