// Governed: who has the secret of a hook may start refreshes.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface HookRow {
  id: string;
  base_id: string;
  created_by: string;
  created_at: string;
}

const columns = sql`id, base_id, created_by, created_at`;

/** Throws a unique violation when the base has one. */
export async function insert(tx: GovernedTx, hook: Omit<HookRow, 'created_at'> & { secret: Buffer }): Promise<void> {
  await tx.write(
    'knowledge_hook',
    sql`
      insert into knowledge_hook (id, base_id, secret, created_by)
      values (${hook.id}, ${hook.base_id}, ${hook.secret}, ${hook.created_by}) returning id`,
  );
}

/** False when the base has none. */
export async function remove(tx: GovernedTx, base_id: string): Promise<boolean> {
  const rows = await tx.write(
    'knowledge_hook',
    sql`delete from knowledge_hook where base_id = ${base_id} returning id`,
  );
  return rows.length > 0;
}

export const ofBase = async (db: Reader, base_id: string) =>
  await db.one<HookRow>(sql`select ${columns} from knowledge_hook where base_id = ${base_id}`);

export const byId = async (db: Reader, id: string) =>
  await db.one<HookRow & { secret: Buffer }>(sql`select ${columns}, secret from knowledge_hook where id = ${id}`);
