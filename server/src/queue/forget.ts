import type { Tx } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';

/** How long rows of a table are kept. */
export interface Retention {
  table: Sql;
  /** The column with the time from which the row is kept. */
  since: Sql;
  /** Which rows; all unless told. */
  where?: Sql;
  keep_hours: number;
}

/** Deletes rows past their time, oldest first and at most so many; true when there may be more. */
export async function forget(db: Tx, retention: Retention, limit: number): Promise<boolean> {
  const { table, since, where = sql`true` } = retention;
  const deleted = await db.run(sql`
    delete from ${table} where ctid in (
      select ctid from ${table} where ${isOver(retention)} and ${where} order by ${since} limit ${limit} for update skip locked)`);
  return deleted === limit;
}

export function isOver({ since, keep_hours }: Pick<Retention, 'since' | 'keep_hours'>): Sql {
  return sql`${since} < clock_now() - make_interval(hours => ${keep_hours})`;
}
