import type { Reader } from './database.ts';
import { sql, type Sql } from './sql.ts';

/** `from` is the rest of the statement: tables and conditions. */
export async function countRows(db: Reader, from: Sql): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*)::int as total from ${from}`);
  return row?.total ?? 0;
}
