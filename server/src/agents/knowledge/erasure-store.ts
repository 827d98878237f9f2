// The digests of what was erased from a base. Nothing else of it is kept.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';

const sha256Of = (path: Sql) => sql`encode(sha256(convert_to(${path}, 'UTF8')), 'hex')`;

/** Every content that the base has had under this path, and the numbers of the snapshots with it. */
export const contentsAt = async (db: Reader, base_id: string, path: string) =>
  await db.all<{ source_sha256: string; text_sha256: string; snapshots: number[] }>(sql`
    select d.source_sha256, d.text_sha256, coalesce(array_agg(distinct s.number) filter (where s.number is not null), '{}') as snapshots
    from knowledge_document d
      left join knowledge_snapshot_document sd on sd.document_id = d.id left join knowledge_snapshot s on s.id = sd.snapshot_id
    where d.base_id = ${base_id} and d.path = ${path} group by d.source_sha256, d.text_sha256 order by d.source_sha256, d.text_sha256`);

/** These contents stay away from now on. */
export async function erase(
  tx: GovernedTx,
  base_id: string,
  path: string,
  source_sha256s: readonly string[],
): Promise<void> {
  await tx.write(
    'knowledge_erasure',
    sql`
      insert into knowledge_erasure (base_id, path_sha256, source_sha256)
      select ${base_id}, ${sha256Of(sql`${path}`)}, source from unnest(${source_sha256s}::text[]) source
      on conflict (base_id, path_sha256, source_sha256) do update set erased_at = clock_now() returning id`,
  );
}

/** Removes each document with an erased content from every snapshot, with its chunks. Returns the digests of their bytes. */
export async function removeErased(tx: Tx, base_id: string): Promise<string[]> {
  const gone = await tx.all<{ source_sha256: string; text_sha256: string }>(sql`
    delete from knowledge_document d using knowledge_erasure e
    where d.base_id = ${base_id} and e.base_id = d.base_id and e.source_sha256 = d.source_sha256 and e.path_sha256 = ${sha256Of(sql`d.path`)}
    returning d.source_sha256, d.text_sha256`);
  return [...new Set(gone.flatMap((one) => [one.source_sha256, one.text_sha256]))];
}

export const isErased = async (db: Reader, base_id: string, path: string, source_sha256: string) =>
  (await db.one<{ id: string }>(sql`
    select id from knowledge_erasure
    where base_id = ${base_id} and path_sha256 = ${sha256Of(sql`${path}`)} and source_sha256 = ${source_sha256}`)) !==
  undefined;

export async function removeAll(tx: GovernedTx, base_id: string): Promise<void> {
  await tx.write('knowledge_erasure', sql`delete from knowledge_erasure where base_id = ${base_id} returning id`);
}
