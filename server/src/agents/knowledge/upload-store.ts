// The files that people sent to a base. Their bytes are blobs of the base.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface UploadRow {
  path: string;
  sha256: string;
  bytes: number;
  uploaded_at: string;
}

const columns = sql`path, sha256, bytes, uploaded_at`;

/** By path, after that one. */
export const listed = async (db: Reader, base_id: string, { after = '', limit }: { after?: string; limit: number }) =>
  await db.all<UploadRow>(sql`
    select ${columns} from knowledge_upload where base_id = ${base_id} and path collate "C" > ${after}
    order by path collate "C" limit ${limit}`);

export const find = async (db: Reader, base_id: string, path: string) =>
  await db.one<UploadRow>(sql`select ${columns} from knowledge_upload where base_id = ${base_id} and path = ${path}`);

/** Of all files of the base but this one. */
export async function sizeWithout(
  db: Reader,
  base_id: string,
  path: string,
): Promise<{ files: number; bytes: number }> {
  const row = await db.one<{ files: number; bytes: number }>(sql`
    select count(*) as files, coalesce(sum(bytes), 0)::float8 as bytes from knowledge_upload where base_id = ${base_id} and path <> ${path}`);
  return row ?? { files: 0, bytes: 0 };
}

export async function put(
  tx: GovernedTx,
  base_id: string,
  { path, sha256, bytes }: Pick<UploadRow, 'path' | 'sha256' | 'bytes'>,
): Promise<void> {
  await tx.write(
    'knowledge_upload',
    sql`
      insert into knowledge_upload (base_id, path, sha256, bytes) values (${base_id}, ${path}, ${sha256}, ${bytes})
      on conflict (base_id, path) do update set sha256 = excluded.sha256, bytes = excluded.bytes, uploaded_at = clock_now() returning id`,
  );
}

export async function remove(tx: GovernedTx, base_id: string, path: string): Promise<void> {
  await tx.write(
    'knowledge_upload',
    sql`delete from knowledge_upload where base_id = ${base_id} and path = ${path} returning id`,
  );
}

export async function removeAll(tx: GovernedTx, base_id: string): Promise<void> {
  await tx.write('knowledge_upload', sql`delete from knowledge_upload where base_id = ${base_id} returning id`);
}
