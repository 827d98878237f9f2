// The column `lease_until` gives a row to one process at a time. When the time is over, any process may take the row.
// A suspended process may still believe in its lease. A write that only one process may make also names its fence.
import { sql, type Sql } from '../database/sql.ts';

export const isFree: Sql = sql`(lease_until is null or lease_until < clock_now())`;

/** The end of a lease or a wait that begins now. */
export function fromNow(ms: number): Sql {
  return sql`clock_now() + ${ms}::float8 * interval '1 ms'`;
}
