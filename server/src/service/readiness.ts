import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** Throws unless the service can do its work: not stopping, the database takes writes, and the log is what was signed. */
export function readiness(
  db: Database,
  { stopping, logFault }: { stopping: AbortSignal; logFault: () => string | undefined },
): () => Promise<void> {
  return async () => {
    if (stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
    const row = await db.one<{ read_only: boolean }>(sql`select pg_is_in_recovery() as read_only`);
    if (row?.read_only !== false) throw new Problem('starting', { detail: 'The database takes no writes.' });
    const fault = logFault();
    if (fault !== undefined) throw new Problem('log_mismatch', { detail: fault });
  };
}
