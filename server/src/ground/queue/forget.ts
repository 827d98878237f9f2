import type { Tx } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';

/** The retention of a table's rows. */
export interface Retention {
  table: Sql;
  /** The column with the start of the retention. */
  since: Sql;
  /** Selects the rows; by default all. */
  where?: Sql;
  keep_hours: number;
}

/** Deletes a limited number of expired rows, oldest first. True when more may be left. */
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
