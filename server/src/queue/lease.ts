// A row that one process at a time works on has a column `lease_until`. A process that dies leaves its rows to the others once that time is
// over. A lease proves nothing to its holder, who may have been suspended: a write that must not come from two names its fence as well.
import { sql, type Sql } from '../database/sql.ts';

export const isFree: Sql = sql`(lease_until is null or lease_until < clock_now())`;

/** The time at which a lease ends that begins now, or a wait. */
export function fromNow(ms: number): Sql {
  return sql`clock_now() + ${ms}::float8 * interval '1 ms'`;
}
