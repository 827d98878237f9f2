// Which keys work at this moment without an activation. It depends on a run and its lease, so it is asked each time.
import type { Reader } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';

/**
 * An executor with a live lease has begun the start of the run. A failure of the step, a cancel, the undo, the end of the lease and the
 * settlement end it. A killed process ends it when its lease is over, by the database's clock.
 */
const isStarting = sql`(activated_at is null and revoked_at is null and exists (
  select from run join run_step s on s.run_id = run.id and s.name = 'start' and s.state in ('running', 'done')
  where run.id = start_run_id and run.state = 'running' and run.lease_until > clock_now() and run.ending is null and run.settled_at is null))`;

/** Those whose deploy starts their container now. */
export async function startingKeys(db: Reader, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`select id from gateway_key where id = any(${ids}) and ${isStarting}`);
  return rows.map(({ id }) => id);
}

/** Those that were revoked, have expired, or whose start has ended without a registration. */
export const endedKeys = async (db: Reader, ids: readonly string[]) =>
  await db.all<{ id: string; prefix: string }>(sql`
    select id, prefix from gateway_key where id = any(${ids}) and (revoked_at is not null or expires_at <= clock_now()
      or (start_run_id is not null and activated_at is null and not ${isStarting}))`);
