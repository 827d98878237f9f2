import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sealer } from '../proof/sealer.ts';
import { examine, type Check } from './doctor.ts';

/**
 * Throws unless the service can do its work: not stopping, the database takes writes, and the log is what was signed. Answers what is to be
 * warned of; anybody may read it, so it names no setting.
 */
export function readiness(
  db: Database,
  {
    stopping,
    sealer,
    orgFile,
  }: { stopping: AbortSignal; sealer: Pick<Sealer, 'checked' | 'trouble' | 'fault'>; orgFile: Check | undefined },
): () => Promise<string[]> {
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
    if (orgFile === undefined || (await examine(orgFile, stopping)).verdict === 'ok') return [];
    return ['The organisation settings are not as the settings file of this server has them: svc doctor'];
  };
}
