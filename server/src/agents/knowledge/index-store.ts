// RAG indexes that were built. Which version's settings are searched is governed.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface IndexRow {
  id: string;
  index_id: string;
  /** Null until the first build is done. */
  version: string | null;
  /** The digest of the content of that version. */
  config: string | null;
  key_id: string | null;
}

const columns = sql`id, index_id, version, config, key_id`;

export const find = async (db: Reader, index_id: string) =>
  await db.one<IndexRow>(sql`select ${columns} from knowledge_index where index_id = ${index_id}`);

/** Built ones whose version names the base. */
export const ofBase = async (db: Reader, base_id: string) =>
  await db.all<IndexRow & { config: string }>(sql`
    select i.id, i.index_id, i.version, i.config, i.key_id from knowledge_index i
      join content c on c.digest = i.config
    where c.pins @> ${JSON.stringify([{ asset_id: base_id }])}::jsonb order by i.index_id`);

/** The key that pays. The version stays. */
export async function putKey(tx: GovernedTx, index_id: string, key_id: string): Promise<void> {
  await tx.write(
    'knowledge_index',
    sql`
      insert into knowledge_index (index_id, key_id) values (${index_id}, ${key_id})
      on conflict (index_id) do update set key_id = excluded.key_id returning id`,
  );
}

export async function putVersion(
  tx: GovernedTx,
  index_id: string,
  { version, config }: { version: string; config: string },
): Promise<void> {
  await tx.write(
    'knowledge_index',
    sql`
      insert into knowledge_index (index_id, version, config) values (${index_id}, ${version}, ${config})
      on conflict (index_id) do update set version = excluded.version, config = excluded.config, since = clock_now() returning id`,
  );
}

export async function remove(tx: GovernedTx, index_id: string): Promise<void> {
  await tx.write('knowledge_index', sql`delete from knowledge_index where index_id = ${index_id} returning id`);
}
