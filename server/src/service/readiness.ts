import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** Throws `starting` unless the service can do its work: not stopping, and the database takes writes. */
export function readiness(db: Database, stopping: AbortSignal): () => Promise<void> {
  return async () => {
    if (stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
    const row = await db.one<{ read_only: boolean }>(sql`select pg_is_in_recovery() as read_only`);
    if (row?.read_only !== false) throw new Problem('starting', { detail: 'The database takes no writes.' });
  };
}
