import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../ground/database/database.ts';
import { sql } from '../ground/database/sql.ts';
import type { Sealer } from '../governance/proof/sealing/sealer.ts';
import { examine, type Check } from './doctor.ts';
import { freeBytes } from './free-bytes.ts';

// Four segments of PostgreSQL's write-ahead log: with less, a write may fail at any moment.
const least_free_bytes = 64 * 1024 ** 2;

/**
 * Throws `starting` or `storage_full` unless the process can work. It is not stopping, the database accepts writes, the disk has space, and
 * each of its roles is ready. Returns the warnings. Anybody may read them, so they name no setting.
 */
export function readiness(
  db: Database,
  { data_dir, stopping, roles }: { data_dir: string; stopping: AbortSignal; roles: (() => Promise<string[]>)[] },
): () => Promise<string[]> {
  return async () => {
    if (stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
    const row = await db.one<{ read_only: boolean }>(sql`select pg_is_in_recovery() as read_only`);
    if (row?.read_only !== false) throw new Problem('starting', { detail: 'The database accepts no writes.' });
    const free = await freeBytes(data_dir);
    if (free < least_free_bytes)
      throw new Problem('storage_full', { detail: `${Math.floor(free / 1024 ** 2)} MB are free under DATA_DIR.` });
    return (await Promise.all(roles.map(async (ready) => await ready()))).flat();
  };
}

/** Throws unless the log matches its signatures. */
export function governanceReady({
  sealer,
  orgFile,
  stopping,
}: {
  sealer: Pick<Sealer, 'checked' | 'trouble' | 'fault'>;
  orgFile: Check | undefined;
  stopping: AbortSignal;
}): () => Promise<string[]> {
  return async () => {
    if (!sealer.checked()) {
      const waits = sealer.trouble() === undefined ? 'is being checked' : 'cannot be checked: see the service log';
      throw new Problem('starting', { detail: `The audit log ${waits}.` });
    }
    const fault = sealer.fault();
    if (fault !== undefined) throw new Problem('log_mismatch', { detail: fault });
    if (orgFile === undefined || (await examine(orgFile, stopping)).verdict === 'ok') return [];
    return ["The organisation settings differ from this server's settings file. Run: svc doctor"];
  };
}
