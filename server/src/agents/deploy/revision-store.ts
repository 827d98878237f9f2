import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { RevisionMemory } from './revision-memory.ts';
import type { RevisionRow } from './store.ts';

export async function insertRevision(
  tx: GovernedTx,
  row: Omit<RevisionRow, 'created_at'> & RevisionMemory,
): Promise<void> {
  await tx.write(
    'revision',
    sql`insert into revision (id, agent_id, version_id, version, digest, target, image, approval_id, deployed_by, deployed_by_name, key_id, kept_by_service, needs_run,
          memory_config_id, memory_scope, threads_kept_seconds, items_kept_seconds)
        values (${row.id}, ${row.agent_id}, ${row.version_id}, ${row.version}, ${row.digest}, ${row.target}, ${row.image},
          ${row.approval_id}, ${row.deployed_by}, ${row.deployed_by_name}, ${row.key_id}, ${row.kept_by_service}, ${row.needs_run},
          ${row.memory_config_id}, ${row.memory_scope}, ${row.threads_kept_seconds}, ${row.items_kept_seconds}) returning id`,
  );
}

export const targetOfRevision = async (db: Reader, id: string): Promise<string | undefined> =>
  (await db.one<{ target: string }>(sql`select target from revision where id = ${id}`))?.target;
