import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sealer } from '../proof/sealer.ts';

/** Throws unless the service can do its work: not stopping, the database takes writes, and the log is what was signed. */
export function readiness(
  db: Database,
  { stopping, sealer }: { stopping: AbortSignal; sealer: Pick<Sealer, 'checked' | 'trouble' | 'fault'> },
): () => Promise<void> {
  return async () => {
    if (stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
    const row = await db.one<{ read_only: boolean }>(sql`select pg_is_in_recovery() as read_only`);
    if (row?.read_only !== false) throw new Problem('starting', { detail: 'The database takes no writes.' });
    if (!sealer.checked()) {
      const waits = sealer.trouble() === undefined ? 'is being checked' : 'cannot be checked: the service log says why';
      throw new Problem('starting', { detail: `The audit log ${waits}.` });
    }
    const fault = sealer.fault();
    if (fault !== undefined) throw new Problem('log_mismatch', { detail: fault });
  };
}
